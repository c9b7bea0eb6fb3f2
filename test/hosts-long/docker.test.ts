import { proveHost } from '../hosts/conformance.ts';
import { openDocker } from './containers.ts';

proveHost('docker', openDocker);
