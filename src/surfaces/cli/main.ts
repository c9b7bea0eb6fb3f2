import { dispatch } from './dispatch.ts';

// An exit before the status is known counts as a failure.
process.exitCode = 125;
// Exits at once: pending handles must not delay the exit.
void dispatch(process.argv.slice(2)).then((status) => process.exit(status));
