#!/usr/bin/env node
import '../dist/bundle/nacre.js';
