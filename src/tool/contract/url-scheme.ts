/** A parsed internal URL. */
export interface InternalUrl {
  /** The URL as written. */
  readonly url: string;
  readonly scheme: string;
  /** Part after `://`, percent-decoded. */
  readonly rest: string;
}

/** Path that an internal URL resolves to. */
export interface UrlTarget {
  /** Absolute path. */
  readonly path: string;
  /** Directory to create before the command starts. */
  readonly directoryToCreate: string | null;
}

/** An internal URL scheme. It throws `url_unresolved` or `url_forbidden` for a URL that it does not resolve. */
export interface UrlScheme {
  resolve(url: InternalUrl): Promise<UrlTarget>;
}

/** Resolver of a custom scheme: returns an absolute path, or `null` for an unknown name. */
export type UrlResolver = (url: InternalUrl) => string | null | Promise<string | null>;

const URL_PATTERN = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s;

/** Parses an internal URL; `undefined` when the whole text is not a URL. */
export function parseInternalUrl(text: string): InternalUrl | undefined {
  const [, scheme, rest] = URL_PATTERN.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  return { url: text, scheme, rest: decodePercentEncoding(rest) };
}

/** Text with an invalid percent encoding is used unchanged. */
function decodePercentEncoding(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
