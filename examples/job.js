/** A job: started, found again, ended. */
import { createBash } from 'nacre';

const bash = createBash({ session: `example-${process.pid}` });
const started = await bash.call({ command: 'sleep 1000', async: true });
console.log(started.isError, started.run.status);

const [job] = bash.jobs.list();
if (job !== undefined) {
  const { survivors } = await bash.jobs.kill(job.id, { escalate: true });
  console.log(job.label, survivors.length);
}

await bash.close();
