/**
 * Does the name of a variable say that its value is a secret?
 *
 * Names are read word by word (`awsSecretAccess_KEY` has four), so that `KEYBOARD`, `TOKENIZERS_PARALLELISM`
 * and `GIT_AUTHOR_NAME` are what they are.
 */
export function isSecretName(name: string): boolean {
  if (PUBLIC_FAMILIES.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (ABOUT_A_SECRET.has(last) || isIdOfSomething(words)) return false;
  if (words.some((word) => SECRET_WORD.test(word))) return true;
  if (words.length > 1 && SECRET_WHEN_LAST.has(last)) return true;
  return NAMED_SECRETS.has(words.join('_')) || isSecretKey(words);
}

/** Also as the end of a longer word: `PGPASSWORD`, `APITOKEN`. */
const SECRET_WORD = /(?:token|secret|password|passwd|passphrase|credential|apikey)s?$|^(?:creds|jwt|bearer)$/;

/** Alone these are common and harmless (`PWD`, `PASS`), or part of something else (`PASS_COUNT`). */
const SECRET_WHEN_LAST: ReadonlySet<string> = new Set([
  'auth',
  'auth',
  'authorization',
  'cookie',
  'pass',
  'pat',
  'pwd',
]);

/** What their words do not give away. */
const NAMED_SECRETS: ReadonlySet<string> = new Set([
  'auth',
  'authorization',
  'docker_auth_config',
  'gpg_private_key_data',
  'kube_config_data',
  'netlify_auth',
  'sonar_login',
]);

/** The name of a thing next to a secret: where it is, what it is called, how long it lives. */
const ABOUT_A_SECRET: ReadonlySet<string> = new Set(
  (
    'agent algorithm audience count dir directory enabled endpoint expiration expires expiry file format header ' +
    'helper home host issuer length level limit manager mode name parallelism path policy port prompt provider ' +
    'region required size sock socket source store timeout ttl type url uri version'
  ).split(' '),
);

/** Set from files that are public, or by a program whose settings merely sound like secrets. */
const PUBLIC_FAMILIES = /^(?:npm_package_|PASSWORD_STORE_|BASH_FUNC_)/;

/** `GPG_KEY_ID` names a key; the `SECRET_ID` of a vault opens it. */
function isIdOfSomething(words: readonly string[]): boolean {
  return words.at(-1) === 'id' && words.at(-2) !== 'secret';
}

/** `…_KEY` is a secret unless it is a public one, or the key of a table, a cache or a keyboard. */
function isSecretKey(words: readonly string[]): boolean {
  const last = words.at(-1);
  if (last !== 'key' && last !== 'keys') return false;
  return !words.some((word) => OPEN_KEY.has(word));
}

const OPEN_KEY: ReadonlySet<string> = new Set(
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
