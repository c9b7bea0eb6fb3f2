import { proveHost } from './conformance.ts';

proveHost('sandbox');
