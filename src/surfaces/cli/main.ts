import { dispatch } from './dispatch.ts';

// Not left to the event loop: a status is final, and nothing that still waits may hold it back.
void dispatch(process.argv.slice(2)).then((status) => process.exit(status));
