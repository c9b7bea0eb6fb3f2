import { NacreError } from '../../../index.ts';
import type { SplitLine } from '../../serving/line-splitter.ts';
import type { RequestId } from '../protocol.ts';

/** A line that was understood so far that it can be answered. */
export interface ParsedRequest {
  readonly id: RequestId | undefined;
  readonly type: string;
  readonly session: string | undefined;
  /** Everything else. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Throws `bad_line` that says what is wrong with it. */
export function parseRequest(line: SplitLine, maxBytes: number): ParsedRequest {
  if ('tooLong' in line)
    throw badLine(`it has ${line.tooLong} bytes, and a line may have ${maxBytes}; pass long text in a file`);
  const value = parseJson(decode(line.bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badLine('it is not a JSON object');
  const { id, type, session, ...fields } = value as Record<string, unknown>;
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw badLine('its id is neither a text nor a number');
  if (typeof type !== 'string') throw badLine('it has no type', id);
  if (session !== undefined && typeof session !== 'string') throw badLine('its session is not a text', id);
  return { id, type, session, fields };
}

/** A bad line; where its id is known, whoever sent it is told by it. */
export class BadLine extends NacreError {
  readonly id: RequestId | undefined;

  constructor(problem: string, id?: RequestId) {
    super('bad_line', { problem });
    this.id = id;
  }
}

function badLine(problem: string, id?: RequestId): BadLine {
  return new BadLine(problem, id);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badLine('it is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badLine(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
