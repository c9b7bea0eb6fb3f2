#!/usr/bin/env node
import '../dist/surfaces/cli/main.js';
