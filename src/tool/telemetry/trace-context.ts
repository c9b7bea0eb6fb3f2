/** Whose child a span is, as the W3C writes it: `00-<trace>-<span>-<flags>`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** `null` for what is none: a wrong parent is no reason to fail. */
export function parseTraceParent(text: string | undefined): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** What vendors add to it; `undefined` for what could be no variable, or is no such list. */
export function parseTraceState(text: string | undefined): string | undefined {
  return text !== undefined && /^[\t\x20-\x7e]{1,8192}$/.test(text) ? text : undefined;
}

export function renderTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`;
}
