/** One command: what a model sees, and what a program reads. */
import { createBash } from 'nacre';

const bash = createBash({ cwd: import.meta.dirname });
const result = await bash.call({ command: 'echo out; echo err >&2; exit 3', timeout: 60 });

console.log(result.content[0]?.text);
console.log(result.isError, result.run.status, result.run.exitCode);

await bash.close();
