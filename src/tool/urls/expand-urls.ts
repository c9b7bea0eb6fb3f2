import type { WordSpan } from '../policy/parse.ts';
import { quoteWord } from './quote-word.ts';
import type { UrlScheme, UrlTarget } from './scheme.ts';
import { parseUrl } from './scheme.ts';

/** Every scheme that is ours, by name. */
export type UrlSchemes = Readonly<Record<string, UrlScheme>>;

/** A text with its URLs replaced, and the directories that must be there before it is used. */
export interface Expanded {
  readonly text: string;
  readonly make: readonly string[];
}

/** Replaces the words of a command that are URLs of ours, shell-escaped. What is not ours stays. */
export async function expandCommand(command: string, schemes: UrlSchemes): Promise<Expanded> {
  if (!mentions(command, schemes)) return { text: command, make: [] };
  const { wordSpans } = await import('../policy/parse.ts');
  const replaced = await Promise.all(wordSpans(command).map((span) => replacement(span, schemes)));
  let text = '';
  let end = 0;
  for (const { span, target } of replaced.filter((found) => found !== undefined)) {
    text += command.slice(end, span.pos) + quoteWord(target.path, span);
    end = span.end;
  }
  return { text: text + command.slice(end), make: replaced.flatMap((found) => found?.target.make ?? []) };
}

/** Replaces a value that is wholly a URL of ours, as it is: no shell will read it. */
export async function expandValue(value: string, schemes: UrlSchemes): Promise<Expanded> {
  const target = await resolve(value, schemes);
  if (target === undefined) return { text: value, make: [] };
  return { text: target.path, make: target.make === null ? [] : [target.make] };
}

async function replacement(
  span: WordSpan,
  schemes: UrlSchemes,
): Promise<{ readonly span: WordSpan; readonly target: UrlTarget } | undefined> {
  const target = await resolve(span.value, schemes);
  return target && { span, target };
}

async function resolve(text: string, schemes: UrlSchemes): Promise<UrlTarget | undefined> {
  const url = parseUrl(text);
  if (url === undefined || !Object.hasOwn(schemes, url.scheme)) return undefined;
  return schemes[url.scheme]?.resolve(url);
}

function mentions(text: string, schemes: UrlSchemes): boolean {
  return text.includes('://') && Object.keys(schemes).some((scheme) => text.includes(`${scheme}://`));
}
