import { proveHost } from './conformance.ts';

proveHost('local');
