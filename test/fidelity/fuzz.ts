import { createRandom } from './random.ts';

/** Small parts of scripts that go together in any order. Each ends by itself, prints little and touches only its directory. */
const STEPS: readonly string[] = [
  'x=1',
  'x=$((x + 1))',
  'x="a b"',
  'y=${x:-none}',
  'a=(1 "2 3" 4)',
  'a+=("$x")',
  'declare -A m=([k]=$x)',
  'f() { echo "f $1 $x"; return 3; }',
  'f one',
  'unset x',
  'export x',
  'local z=1',
  'cd .',
  'cd nowhere',
  'mkdir -p d; cd d',
  'echo $x',
  'echo "$x" "${a[@]}" $?',
  'echo err >&2',
  'printf "%s|" "$@" $x; echo',
  'false',
  'true',
  '(exit 4)',
  'set -- p q',
  'shift',
  'set -u',
  'set -e',
  'set +e',
  'set -x',
  'set +x',
  'set -o pipefail',
  'shopt -s nullglob',
  'trap "echo usr" USR1; kill -USR1 $BASHPID',
  'trap "echo bye" EXIT',
  'trap "echo err" ERR',
  'trap - EXIT ERR',
  'trap',
  'eval "echo \\"$x\\""',
  'read -r r <<< "$x tail"',
  'echo $LINENO $-',
  'nothing-like-this',
  'exec 3>&1; echo three >&3; exec 3>&-',
  'exec 2>&1',
  'wait',
  'sleep 0.01 & wait $!',
  'umask 027; touch made',
  'for i in 1 2; do echo $i; done',
  'while read -r l; do echo "l $l"; done < <(printf "1\\n2\\n")',
  'case $x in a*) echo A ;; *) echo other ;; esac',
  '[[ $x =~ ([0-9]+) ]] && echo ${BASH_REMATCH[1]}',
  '((x++)); echo $?',
  'echo $_',
  'alias q="echo alias"; q',
  'exit 7',
  'exec echo gone',
  'kill -TERM $BASHPID',
  'return 2',
  'readonly R=1; R=2',
  'echo ${missing?not there}',
  'IFS=,',
  'cat <<E\ndoc $x\nE',
];

const FRAMES: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => inner,
  (inner) => `{ ${inner}\n}`,
  (inner) => `( ${inner}\n)`,
  (inner) => `if true; then ${inner}\nfi`,
  (inner) => `g() { ${inner}\n}; g`,
  (inner) => `{ ${inner}\n} 2>&1 | cat`,
  (inner) => `{ ${inner}\n} &\nwait $!`,
  (inner) => `echo "$(${inner}\n)"`,
  (inner) => `{ ${inner}\n} 2>&1 > out; cat out`,
  (inner) => `! { ${inner}\n}`,
  (inner) => `for n in 1 2; do ${inner}\ndone`,
  (inner) => `true && { ${inner}\n} || echo or`,
];

/** A script for every number, the same every time. */
export function fuzzedScript(seed: number): string {
  const next = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const parts = Array.from({ length: 2 + Math.floor(next() * 4) }, () => {
    const steps = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(STEPS));
    return pick(FRAMES)(
      steps.join(steps.some((step) => step.includes('<<E')) ? '\n' : pick(['; ', '\n', ' && '])),
    );
  });
  return parts.join('\n');
}
