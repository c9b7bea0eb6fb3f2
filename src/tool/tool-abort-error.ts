import { NacreError } from '../errors.ts';
import type { CallResult } from './result.ts';

/** The caller's own abort. What the command had done by then is not lost. */
export class ToolAbortError extends NacreError {
  override readonly name: string = 'ToolAbortError';
  /** What there is of a result. */
  readonly result: CallResult;

  constructor(result: CallResult, options?: ErrorOptions) {
    super('aborted', {}, options);
    this.result = result;
  }
}
