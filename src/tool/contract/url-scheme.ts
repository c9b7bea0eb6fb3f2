/** A URL of ours, taken apart. */
export interface InternalUrl {
  /** As it was written. */
  readonly url: string;
  readonly scheme: string;
  /** What follows `://`, with percent signs decoded. */
  readonly rest: string;
}

/** What a URL stands for. */
export interface UrlTarget {
  /** Absolute. */
  readonly path: string;
  /** A directory that is to be made before anything starts. */
  readonly directoryToCreate: string | null;
}

/** One scheme: throws `url_unresolved` or `url_forbidden` for what it cannot or will not resolve. */
export interface UrlScheme {
  resolve(url: InternalUrl): Promise<UrlTarget>;
}

/** A scheme of the caller's: gives an absolute path, or `null` when it knows no such thing. */
export type UrlResolver = (url: InternalUrl) => string | null | Promise<string | null>;

const URL_PATTERN = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s;

/** `undefined` when the whole text is no URL. */
export function parseInternalUrl(text: string): InternalUrl | undefined {
  const [, scheme, rest] = URL_PATTERN.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  return { url: text, scheme, rest: decodePercentEncoding(rest) };
}

/** A lone `%` is no encoding: such a name is taken as it stands. */
function decodePercentEncoding(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
