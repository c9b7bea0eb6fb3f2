import { shellQuote } from '../../engine/text/shell-quote.ts';
import { parseInternalUrl, type UrlScheme, type UrlTarget } from '../contract/url-scheme.ts';
import type { WordSpan } from '../syntax/word-spans.ts';

/** URL schemes by name. */
export type UrlSchemes = Readonly<Record<string, UrlScheme>>;

/** A text with its URLs replaced, and the directories to create before it is used. */
export interface ExpandedText {
  readonly text: string;
  readonly directoriesToCreate: readonly string[];
}

/** Replaces the words of a command that are internal URLs by quoted paths. Other words stay unchanged. */
export async function expandCommandUrls(command: string, schemes: UrlSchemes): Promise<ExpandedText> {
  if (!mentionsScheme(command, schemes)) return { text: command, directoriesToCreate: [] };
  const { findWordSpans: wordSpans } = await import('../syntax/word-spans.ts');
  const replaced = await Promise.all(wordSpans(command).map((span) => findReplacement(span, schemes)));
  let text = '';
  let end = 0;
  for (const { span, target } of replaced.filter((found) => found !== undefined)) {
    text += command.slice(end, span.pos) + quoteShellWord(target.path, span);
    end = span.end;
  }
  return {
    text: text + command.slice(end),
    directoriesToCreate: replaced.flatMap((found) => found?.target.directoryToCreate ?? []),
  };
}

/** Replaces a value that is an internal URL by its path, without shell quoting. */
export async function expandValueUrl(value: string, schemes: UrlSchemes): Promise<ExpandedText> {
  const target = await resolveUrl(value, schemes);
  if (target === undefined) return { text: value, directoriesToCreate: [] };
  return {
    text: target.path,
    directoriesToCreate: target.directoryToCreate === null ? [] : [target.directoryToCreate],
  };
}

async function findReplacement(
  span: WordSpan,
  schemes: UrlSchemes,
): Promise<{ readonly span: WordSpan; readonly target: UrlTarget } | undefined> {
  const target = await resolveUrl(span.value, schemes);
  return target && { span, target };
}

async function resolveUrl(text: string, schemes: UrlSchemes): Promise<UrlTarget | undefined> {
  const url = parseInternalUrl(text);
  if (url === undefined || !Object.hasOwn(schemes, url.scheme)) return undefined;
  return schemes[url.scheme]?.resolve(url);
}

function mentionsScheme(text: string, schemes: UrlSchemes): boolean {
  return text.includes('://') && Object.keys(schemes).some((scheme) => text.includes(`${scheme}://`));
}

/** Quotes a text as one shell word, also inside backticks. */
function quoteShellWord(text: string, { inBackticks }: { readonly inBackticks: boolean }): string {
  // Backticks remove one level of these backslashes before their text is parsed.
  return inBackticks ? shellQuote(text).replace(/[\\`$]/g, '\\$&') : shellQuote(text);
}
