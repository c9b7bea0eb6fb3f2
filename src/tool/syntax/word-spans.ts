import type { SyntaxNode, Word } from 'unbash';
import { parseCommand, toLiteralWord, type WordQuoting, walkSyntax } from './parse-script.ts';

/** A whole word of a command without expansions. */
export interface WordSpan {
  readonly pos: number;
  readonly end: number;
  readonly quoting: WordQuoting;
  /** The word as written. */
  readonly text: string;
  /** The word without quotes and backslashes; unquoted `*`, `?` and `[…]` are unchanged. */
  readonly value: string;
  /** Whether the word is inside backticks, which remove a backslash before `$`, a backtick or a backslash. */
  readonly inBackticks: boolean;
}

/**
 * Returns every whole word in source order: names and arguments of commands, targets of redirections, words of
 * loops, arrays and tests, including those in `$( )` and backticks.
 *
 * Excluded are bodies of here-documents, assignments, patterns, words that mix kinds of quoting, and backtick
 * scripts with escapes.
 */
export function findWordSpans(command: string): readonly WordSpan[] {
  const spans: WordSpan[] = [];
  collectSpans({ root: parseCommand(command).script, inBackticks: false, spans });
  return spans.sort((a, b) => a.pos - b.pos);
}

interface SpanCollection {
  readonly root: SyntaxNode;
  readonly inBackticks: boolean;
  readonly spans: WordSpan[];
}

function collectSpans({ root, inBackticks, spans }: SpanCollection): void {
  walkSyntax(root, (node) => {
    if (node.type === 'HereDocBody') return 'past';
    if (node.type === 'CommandExpansion' && node.text.startsWith('`')) {
      // A script with escapes was parsed from decoded text: its positions are not those of the command.
      if (node.script !== undefined && node.script.source === undefined)
        collectSpans({ root: node.script, inBackticks: true, spans });
      return 'past';
    }
    spans.push(...wholeWords(node).flatMap((word) => toWordSpan(word, inBackticks)));
    return 'inside';
  });
}

function wholeWords(node: SyntaxNode): readonly Word[] {
  switch (node.type) {
    case 'Command':
      return [...(node.name ? [node.name] : []), ...node.suffix.filter((item) => item.type === 'Word')];
    case 'For':
    case 'Select':
      return node.wordlist ?? [];
    case 'ArrayValue':
      return node.elements;
    case 'Redirect':
    case 'HereString':
      return node.target ? [node.target] : [];
    case 'TestUnary':
      return [node.operand];
    case 'TestBinary':
      return [node.left, node.right];
    default:
      return [];
  }
}

function toWordSpan(word: Word, inBackticks: boolean): readonly WordSpan[] {
  const literal = toLiteralWord(word) ?? toGlobWord(word);
  if (literal?.quoting === undefined) return [];
  const { pos, end, text } = word;
  return [{ pos, end, text, value: literal.value, quoting: literal.quoting, inBackticks }];
}

function toGlobWord(word: Word): { value: string; quoting: WordQuoting } | undefined {
  const plain = word.parts?.every(({ type }) => type === 'Literal' || type === 'Glob');
  return plain ? { value: word.value, quoting: 'bare' } : undefined;
}
