/** A program with a session, to be killed: makes calls that are kept, and then one that does not end, if told so. */
import { createBash } from '../../dist/index.js';

const [stateDirectory, ready, when] = process.argv.slice(2);
const inheritedEnv = {
  PATH: process.env.PATH,
  HOME: stateDirectory,
  NACRE_TEST_MARKER: process.env.NACRE_TEST_MARKER,
};
const bash = createBash({
  stateDirectory,
  session: 'killed',
  cwd: '/',
  readyShells: Number(ready),
  inheritedEnv,
});
for (let call = 1; call <= 3; call++) {
  await bash.call({ command: `n=${call}; cd /usr; f() { echo "f $n"; }` });
  await new Promise((resolve) => setTimeout(resolve, 60));
}
const say = () => process.stdout.write('now\n');
if (when === 'middle')
  void bash.call(
    { command: 'n=lost; cd /tmp; f() { :; }; echo begun; sleep 1000' },
    { onBytes: () => void say() },
  );
else say();
setInterval(() => undefined, 1000);
