import { proveHost } from './conformance.ts';

proveHost('ssh');
