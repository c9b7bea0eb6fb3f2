import { context, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

test('the SDK of OpenTelemetry takes our spans, and the command is below them', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const { bash } = openBash({ tracer: provider.getTracer('nacre') });
  const { run } = await bash.call({ command: 'echo $TRACEPARENT; exit 3' });
  const [span] = exporter.getFinishedSpans();
  expect(span?.name).toBe('execute_tool bash');
  expect(span?.attributes).toMatchObject({ 'process.exit.code': 3, 'gen_ai.tool.name': 'bash' });
  const { traceId, spanId } = span?.spanContext() ?? {};
  expect(run.output.text).toBe(`00-${traceId}-${spanId}-01\n`);
  expect(trace.getSpan(context.active())).toBeUndefined();
});
