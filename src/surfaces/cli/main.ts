import { dispatch } from './dispatch.ts';

// Until a status is known, an end is a failure: nothing may end this program early and look like success.
process.exitCode = 125;
// Not left to the event loop: a status is final, and nothing that still waits may hold it back.
void dispatch(process.argv.slice(2)).then((status) => process.exit(status));
