/**
 * Whether the name of a variable suggests a secret value.
 *
 * Names are split into words (`awsSecretAccess_KEY` has four), so that `KEYBOARD`, `TOKENIZERS_PARALLELISM` and
 * `GIT_AUTHOR_NAME` do not match.
 */
export function isSecretName(name: string): boolean {
  if (PUBLIC_FAMILIES.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (SECRET_METADATA_WORDS.has(last) || isPlainId(words)) return false;
  if (words.some((word) => SECRET_WORD.test(word))) return true;
  if (words.length > 1 && SECRET_WHEN_LAST.has(last)) return true;
  return NAMED_SECRETS.has(words.join('_')) || isSecretKey(words);
}

/** Also at the end of a longer word: `PGPASSWORD`, `APITOKEN`. */
const SECRET_WORD = /(?:token|secret|password|passwd|passphrase|credential|apikey)s?$|^(?:creds|jwt|bearer)$/;

/** Alone these are common and harmless (`PWD`, `PASS`), or part of another name (`PASS_COUNT`). */
const SECRET_WHEN_LAST: ReadonlySet<string> = new Set([
  'auth',
  'authorization',
  'cookie',
  'pass',
  'pat',
  'pwd',
]);

/** Secret names that the word rules do not detect. */
const NAMED_SECRETS: ReadonlySet<string> = new Set([
  'auth',
  'authorization',
  'docker_auth_config',
  'gpg_private_key_data',
  'kube_config_data',
  'netlify_auth',
  'sonar_login',
]);

/** Last words of names that describe a secret: its location, name or lifetime. */
const SECRET_METADATA_WORDS: ReadonlySet<string> = new Set(
  (
    'agent algorithm audience count dir directory enabled endpoint expiration expires expiry file format header ' +
    'helper home host issuer length level limit manager mode name parallelism path policy port prompt provider ' +
    'region required size sock socket source store timeout ttl type url uri version'
  ).split(' '),
);

/** Values from public files, and settings of programs whose names only resemble secrets. */
const PUBLIC_FAMILIES = /^(?:npm_package_|PASSWORD_STORE_|BASH_FUNC_)/;

/** `GPG_KEY_ID` is the name of a key; the `SECRET_ID` of a vault is a secret. */
function isPlainId(words: readonly string[]): boolean {
  return words.at(-1) === 'id' && words.at(-2) !== 'secret';
}

/** `…_KEY` is a secret unless it is a public key, or the key of a table, a cache or a keyboard. */
function isSecretKey(words: readonly string[]): boolean {
  const last = words.at(-1);
  if (last !== 'key' && last !== 'keys') return false;
  return !words.some((word) => PUBLIC_KEY_WORDS.has(word));
}

const PUBLIC_KEY_WORDS: ReadonlySet<string> = new Set(
  'cache compose foreign gpg hot index meta modifier partition primary public publishable route sort'.split(
    ' ',
  ),
);

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/**
 * Secrets with a recognizable form, whatever the variable is called.
 *
 * Every pattern is distinctive and matches in linear time. Hashes, ids and other random text are not matched.
 */
const SECRET_SHAPES: readonly RegExp[] = [
  // Tokens with a prefix of their issuer.
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
  // An HTTP header, as in git settings.
  /(?<![A-Za-z0-9])(?:basic|bearer|token)\s{1,8}[A-Za-z0-9+/=._~-]{16,}/gi,
  // Connection strings.
  /(?<![A-Za-z0-9])(?:password|pwd|accountkey|sharedaccesskey|sig)=[^;&\s]{6,}/gi,
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\/\S{16,}/g,
];

/** `scheme://user:password@host`; the user may be empty, as with redis. */
const URL_WITH_PASSWORD = /:\/\/([^\s/?#@:]*):([^\s/?#@]+)@/g;

/** Returns the parts of a value that have the form of a secret. */
export function findSecretSubstrings(value: string): readonly string[] {
  const pieces = SECRET_SHAPES.flatMap((shape) => [...value.matchAll(shape)].map(([piece]) => piece));
  for (const [, user = '', password = ''] of value.matchAll(URL_WITH_PASSWORD)) {
    pieces.push(`${user}:${password}@`, password, decoded(password));
  }
  return pieces;
}

/** Whether a value is a flag or a count. These are never secrets, and masking `1` would garble all output. */
export function isTrivialValue(value: string): boolean {
  return /^(?:|true|false|yes|no|on|off|none|null|auto|always|never|\d{1,7}[km]?)$/i.test(value.trim());
}

/** Whether a value is a file path with an extension. Base64 has no dot, so a key does not match. */
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
