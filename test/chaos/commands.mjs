/**
 * The commands of the chaos driver. Every process that may stay alive is a `sleep` whose argument ends with the tag of
 * the history, so that the driver finds it in /proc whatever nacre reports.
 */

/** Ways to leave a process running. `S` stands for the sleep. */
const LEFTOVERS = [
  'S &',
  'S & disown',
  'nohup S >/dev/null 2>&1 &',
  'setsid S &',
  'setsid S >/dev/null 2>&1 &',
  '(S &)',
  '( (S &) & )',
  'env -i S &',
  'env -i setsid S &',
  'env -i setsid S &',
  'env -i setsid S & sleep 0.05',
  "bash -c 'S & S & wait' &",
  'bash -c "trap \'\' TERM; S" &',
  'S <&- &',
  'exec 3>&1; S >&3 2>/dev/null &',
  'S | cat &',
  'coproc S',
  'S & S & S &',
  "setsid bash -c 'S & exit' &",
  "bash -c 'setsid S & sleep 0.05' &",
  "bash -c 'exec -a renamed S' &",
  '{ S & } 2>/dev/null',
];

/** Ways to end the command after that. */
const ENDS = [
  { text: 'echo done', exitCode: 0, output: 'done\n' },
  { text: 'exit 3', exitCode: 3, output: '' },
  { text: 'sleep 0.1; echo late', exitCode: 0, output: 'late\n' },
];

/** A command that ends by itself, with an output that is known. */
const PLAIN = [
  { text: 'echo hi', exitCode: 0, output: 'hi\n' },
  { text: 'exit 7', exitCode: 7, output: '' },
  { text: 'sleep 0.2; echo slept', exitCode: 0, output: 'slept\n' },
  { text: 'for i in 1 2 3; do echo $i; sleep 0.05; done', exitCode: 0, output: '1\n2\n3\n' },
  { text: 'head -c 300000 /dev/zero | tr "\\0" x', exitCode: 0, bytes: 300_000 },
  { text: '(exit 4) | true; echo ${PIPESTATUS[0]}', exitCode: 0, output: '4\n' },
];

/** A command that runs until it is stopped. Some close their own output first. */
const ENDLESS = [
  'S',
  'S; echo never',
  'exec >/dev/null 2>&1; S',
  'exec >/dev/null 2>&1; S',
  'exec &>/dev/null; S & wait',
  'exec 1>&- 2>&-; S',
  'trap "" TERM; S',
  'setsid S & S',
  'while :; do echo line; sleep 0.01; done & S',
];

/** Draws a command. `sleep(n)` makes a tagged sleep. */
export function drawCommand(random, sleep) {
  const fill = (text) => text.replaceAll(/\bS\b/g, () => sleep());
  const kind = random.pick(['plain', 'plain', 'leftover', 'leftover', 'endless', 'endless', 'session']);
  if (kind === 'plain') return { kind, ...random.pick(PLAIN) };
  if (kind === 'endless') return { kind, text: fill(random.pick(ENDLESS)) };
  if (kind === 'session') {
    const name = `v${random.below(1e9)}`;
    return { kind, text: `${name}=1`, exitCode: 0, output: '', name };
  }
  const end = random.pick(ENDS);
  return { kind, ...end, text: `${fill(random.pick(LEFTOVERS))}\n${end.text}` };
}
