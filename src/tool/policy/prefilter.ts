/** Words without which no built-in check can fire. */
const RULE_WORDS = ['rm', 'add', 'stage', 'push', 'send-pack', '-delete', 'git-add', 'git-push', 'git-stage'];

/** Commands that can print such a word without it being written anywhere. */
const DECODERS = ['rsync', 'base64', 'gbase64', 'openssl', 'xxd', 'rev', 'tr', 'sed', 'printf'];

/** Commands that run a text, or words, which others may have printed piece by piece. */
const RUNNERS = [
  ...['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'rbash', 'fish', 'csh', 'tcsh', 'su', 'runuser'],
  ...['eval', 'source', '.', 'xargs', 'gxargs', 'parallel', 'sem', 'at', 'batch', 'crontab', 'tmux', 'tee'],
];

// Functions of other languages that delete trees.
const TREE_DELETION = /rmtree|remove_tree|rm_r|rm(?:dir)?Sync|(?:remove|emptyDir)Sync|rimraf|\brm\b/;

// Where nothing that is written can be run afterwards.
const DISCARDED_OUTPUT = /(?:&|\d*)>>?\s*\/dev\/null(?=[\s;&|)]|$)|\d*>&\d/g;

/**
 * Most commands need no parser. Where nothing is expanded, printed for another command to run, or
 * written into a file, every word that runs is written in the text, at most cut up by quotes; so
 * where none of the telltale words is left when the quotes are gone, no rule can fire.
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
