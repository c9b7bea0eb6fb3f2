/** The tool in a process of its own, spoken to as JSON lines. */
import { createRpcClient } from 'nacre/rpc';

const client = createRpcClient({ cwd: import.meta.dirname });
const { protocol } = await client.hello();

let streamed = '';
const onOutput = (delta) => {
  streamed += delta;
};
const result = await client.bash({ command: 'echo one; echo two; exit 3' }, { onOutput });
console.log(protocol, JSON.stringify(streamed), result.exitCode, result.isError);

const { run } = await client.bash({ command: 'sleep 1000', async: true });
const { details } = await client.job({ action: 'kill', id: run.job.id, escalate: true });
console.log(details.jobs[0].state);

await client.close();
