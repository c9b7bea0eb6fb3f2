/**
 * Secrets that can be told by what they look like, whatever the variable is called.
 *
 * Every pattern is distinctive and matches in linear time; hashes, ids and other random text are not
 * secrets by their look alone.
 */
const SHAPES: readonly RegExp[] = [
  // Tokens whose issuers gave them a prefix for exactly this purpose.
  /(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|soat)-|glsa_)[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)_|whsec_|sq0(?:atp|csp)-|shp(?:at|ca|pa|ss)_)[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9])(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
  /(?<![A-Za-z0-9])(?:ya29\.|SG\.|hv[bs]\.|dp\.(?:pt|st|ct)\.)[A-Za-z0-9._-]{20,}/g,
  /(?<![A-Za-z0-9])(?:npm|hf|gsk|r8|figd|sbp|sntrys|phx|rnd|ntn|nfp)_[A-Za-z0-9_-]{24,}/g,
  /(?<![A-Za-z0-9])(?:pypi-|dckr_pat_|do[opr]_v1_|lin_api_|nvapi-|xai-|pplx-|tskey-|PMAK-|AGE-SECRET-KEY-1)[A-Za-z0-9_-]{20,}/g,
  // A signed JSON web token: two JSON objects and a signature.
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]+/g,
  // An HTTP header as it is put into settings of git and others.
  /(?<![A-Za-z0-9])(?:basic|bearer|token)\s{1,8}[A-Za-z0-9+/=._~-]{16,}/gi,
  // Connection strings.
  /(?<![A-Za-z0-9])(?:password|pwd|accountkey|sharedaccesskey|sig)=[^;&\s]{6,}/gi,
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\/\S{16,}/g,
];

/** `scheme://user:password@host`; the user may be empty, as with redis. */
const URL_WITH_PASSWORD = /:\/\/([^\s/?#@:]*):([^\s/?#@]+)@/g;

/** Every piece of a value that looks like a secret, the smallest that should not be seen. */
export function secretPieces(value: string): readonly string[] {
  const pieces = SHAPES.flatMap((shape) => [...value.matchAll(shape)].map(([piece]) => piece));
  for (const [, user = '', password = ''] of value.matchAll(URL_WITH_PASSWORD)) {
    pieces.push(`${user}:${password}@`, password, decoded(password));
  }
  return pieces;
}

/** Flags and counts: no name makes them secret, and hiding `1` would hide everything. */
export function isTooPlainToBeSecret(value: string): boolean {
  return /^(?:|true|false|yes|no|on|off|none|null|auto|always|never|\d{1,7}[km]?)$/i.test(value.trim());
}

/** A file with an extension: it says where a secret is. Base64 has no dot, so a key is not mistaken for one. */
export function isFilePath(value: string): boolean {
  return /^(?:~|\.{1,2})?\/\S*\.[A-Za-z0-9]{1,8}$/.test(value);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
