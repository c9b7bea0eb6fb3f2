import { proveHost } from '../hosts/conformance.ts';
import { openPodman } from './containers.ts';

proveHost('podman', openPodman);
