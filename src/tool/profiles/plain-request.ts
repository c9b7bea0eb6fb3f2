import type { CallRequest } from '../planning/request.ts';

/** What is asked by a call that can say little more than its command. */
export function plainRequest(asked: Pick<CallRequest, 'command' | 'timeLimit' | 'background'>): CallRequest {
  return {
    ...asked,
    cwd: null,
    env: {},
    head: null,
    tail: null,
    raw: false,
    stdin: null,
    pty: false,
    waitMs: null,
    service: null,
    sandbox: null,
    array: null,
  };
}
