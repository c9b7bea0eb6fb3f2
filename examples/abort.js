/** A command that is ended by its caller: nothing it printed is lost. */
import { createBash, ToolAbortError } from 'nacre';

const bash = createBash();
const controller = new AbortController();

try {
  await bash.call(
    { command: 'echo working; sleep 1000' },
    { signal: controller.signal, onUpdate: () => controller.abort() },
  );
} catch (error) {
  if (!(error instanceof ToolAbortError)) throw error;
  console.log(error.result.run.status, error.result.run.output.text.trim());
}

await bash.close();
