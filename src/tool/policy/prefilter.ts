import { wordList } from '../../engine/text/word-list.ts';

/** Words of which one must occur for a built-in rule to match. */
const RULE_WORDS = ['rm', 'add', 'stage', 'push', 'send-pack', '-delete', 'git-add', 'git-push', 'git-stage'];

/** Commands that can print such a word without containing it. */
const DECODERS = ['rsync', 'base64', 'gbase64', 'openssl', 'xxd', 'rev', 'tr', 'sed', 'printf'];

/** Commands that run text or words which other commands may have printed in pieces. */
const RUNNERS = wordList(`
  sh bash dash zsh ksh mksh ash rbash fish csh tcsh su runuser eval source . xargs gxargs parallel sem at
  batch crontab tmux tee
`);

// Functions of other languages that delete directory trees.
const TREE_DELETION = /rmtree|remove_tree|rm_r|rm(?:dir)?Sync|(?:remove|emptyDir)Sync|rimraf|\brm\b/;

// Redirections whose output cannot be run later.
const DISCARDED_OUTPUT = /(?:&|\d*)>>?\s*\/dev\/null(?=[\s;&|)]|$)|\d*>&\d/g;

/**
 * Creates a predicate that is `false` for commands on which no rule can match, so that most commands need no
 * parser.
 *
 * Without expansions, printed commands and written files, every word that runs occurs in the text, at most
 * divided by quotes. If none of the listed words remains after the quotes are removed, no rule can match.
 */
export function createPrefilter(ruleCommands: readonly string[]): (command: string) => boolean {
  if (ruleCommands.includes('*')) return () => true;
  const words = new Set([...RULE_WORDS, ...DECODERS, ...RUNNERS, ...ruleCommands]);
  return (command) => {
    if (/[$`\\*?[{]/.test(command)) return true;
    const text = command.replace(/['"]/g, '');
    if (TREE_DELETION.test(text)) return true;
    if (text.replace(DISCARDED_OUTPUT, ' ').includes('>')) return true;
    return text.split(/[\s;&|<>()=,:!#]+/).some((word) => words.has(word.slice(word.lastIndexOf('/') + 1)));
  };
}
