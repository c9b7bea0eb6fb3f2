import { createRequire } from 'node:module';

type Unbash = typeof import('unbash');

const load: NodeJS.Require = createRequire(import.meta.url);

/** The parser, read from disk the first time it is asked for: most commands never need it. */
export function unbash(): Unbash {
  return load('unbash') as Unbash;
}
