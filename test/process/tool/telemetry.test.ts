import { describe, expect, test } from 'vitest';
import { type BashOptions, createBash, type Span } from '../../../src/index.ts';
import { openCollector } from '../../helpers/collector.ts';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

function open(env: Readonly<Record<string, string>>, options: BashOptions = {}) {
  const directory = temporaryDirectory();
  const inheritedEnv = { PATH: process.env.PATH, HOME: directory, ...env };
  return createBash({ cwd: directory, stateDirectory: directory, inheritedEnv, ...options });
}

const parentIn = async (bash: ReturnType<typeof open>, call: object = {}): Promise<string> =>
  (
    await bash.call({ command: 'echo "${TRACEPARENT-none} ${TRACESTATE-none}"' }, call)
  ).run.output.text.trim();

describe('with a collector', () => {
  test('each call is a span, and the command is its child', async () => {
    const { url, spans, headers } = await openCollector();
    const bash = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=1',
      TRACEPARENT: PARENT,
    });
    const seen = await parentIn(bash);
    await bash.call({ command: 'echo SECRET_OUTPUT; exit 3' });
    await bash.call({ command: '' });
    await bash.job({ action: 'list' });
    await bash.close();
    const [first, second, third, fourth] = spans();
    expect(seen).toBe(`00-${TRACE}-${first?.spanId}-01 none`);
    expect(first).toMatchObject({
      name: 'execute_tool bash',
      traceId: TRACE,
      parentSpanId: 'b7ad6b7169203331',
      status: { code: 0 },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'bash',
        'nacre.status': 'exited',
        'nacre.session': bash.session,
        'process.exit.code': '0',
        'nacre.run.id': expect.any(String),
      },
    });
    expect(second).toMatchObject({ status: { code: 0 }, attributes: { 'process.exit.code': '3' } });
    expect(third).toMatchObject({
      status: { code: 2, message: 'bad_input' },
      attributes: { 'error.type': 'bad_input' },
    });
    expect(fourth).toMatchObject({ name: 'execute_tool job', attributes: { 'nacre.job.action': 'list' } });
    expect(headers[0]?.['x-key']).toBe('1');
  });

  test('nothing of what was run, printed or passed is in them', async () => {
    const { url, bodies } = await openCollector();
    const bash = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      GITHUB_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
    });
    await bash.call({ command: 'echo WORD_$((1 + 1)); false', env: { VALUE: 'in-the-environment' } });
    await bash.close();
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).not.toMatch(/WORD_|echo|in-the-environment|ghp_|VALUE/);
  });

  test('a call says whose span it belongs to; a wrong parent is no reason to fail', async () => {
    const { url, spans } = await openCollector();
    const bash = open({ OTEL_EXPORTER_OTLP_ENDPOINT: url, TRACEPARENT: 'wrong' });
    expect(await parentIn(bash, { traceparent: PARENT, tracestate: 'a=b' })).toMatch(
      new RegExp(`^00-${TRACE}-\\w{16}-01 a=b$`),
    );
    expect(await parentIn(bash, { traceparent: 'wrong' })).toMatch(/^00-\w{32}-\w{16}-01 none$/);
    await bash.close();
    expect(spans().map(({ parentSpanId }) => parentSpanId)).toEqual(['b7ad6b7169203331', undefined]);
  });

  test('a trace that nobody records goes on unrecorded', async () => {
    const { url, bodies } = await openCollector();
    const bash = open({ OTEL_EXPORTER_OTLP_ENDPOINT: url, TRACEPARENT: PARENT.replace(/01$/, '00') });
    expect(await parentIn(bash)).toMatch(new RegExp(`^00-${TRACE}-\\w{16}-00`));
    await bash.close();
    expect(bodies).toEqual([]);
  });

  test('one that is busy is asked again; one that refuses is not', async () => {
    const busy = await openCollector({ answers: [503, 200] });
    const bash = open({ OTEL_EXPORTER_OTLP_ENDPOINT: busy.url });
    await bash.call({ command: 'true' });
    await expect.poll(() => busy.bodies.length, { timeout: 20_000 }).toBe(2);
    expect(busy.bodies[0]).toBe(busy.bodies[1]);
    await bash.close();
    const strict = await openCollector({ answers: [400] });
    const other = open({ OTEL_EXPORTER_OTLP_ENDPOINT: strict.url });
    await other.call({ command: 'true' });
    await other.close();
    expect(strict.bodies).toHaveLength(1);
  });

  test.each([
    ['that never answers', async () => (await openCollector({ answers: [null] })).url],
    ['that is not there', async () => 'http://127.0.0.1:9'],
  ])('one %s delays no call and no close for long', async (_name, find) => {
    const bash = open({ OTEL_EXPORTER_OTLP_ENDPOINT: await find() });
    expect((await bash.call({ command: 'echo on' })).run.output.text).toBe('on\n');
    const started = performance.now();
    await bash.close();
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('the command line sends them, too', async () => {
    const { url, spans } = await openCollector();
    const env = nacreEnv(temporaryDirectory(), { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const { stdout } = await runNacre(['run', 'echo $TRACEPARENT'], { env });
    expect(spans()).toHaveLength(1);
    expect(stdout.trim()).toBe(`00-${spans()[0]?.traceId}-${spans()[0]?.spanId}-01`);
  });
});

describe('without one', () => {
  test('a parent that is known is passed on, and else there is none', async () => {
    expect(await parentIn(open({}))).toBe('none none');
    expect(await parentIn(open({ TRACEPARENT: PARENT }))).toBe(`${PARENT} none`);
    expect(await parentIn(open({}), { traceparent: PARENT, tracestate: 'a=b' })).toBe(`${PARENT} a=b`);
  });
});

describe('with a tracer of the caller', () => {
  const span = (more: Partial<Span> = {}): Span => ({
    setAttributes: () => undefined,
    setStatus: () => undefined,
    end: () => undefined,
    spanContext: () => ({ traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags: 1 }),
    ...more,
  });

  test('it gets the spans, and nobody else does', async () => {
    const { url, bodies } = await openCollector();
    const told: unknown[] = [];
    const tracer = {
      startSpan: (name: string, options: unknown) => {
        told.push(name, options);
        return span({
          setAttributes: (attributes) => told.push(attributes),
          end: () => void told.push('end'),
        });
      },
    };
    const bash = open({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, { tracer });
    expect(await parentIn(bash)).toBe(`${PARENT} none`);
    await bash.close();
    expect(told[0]).toBe('execute_tool bash');
    expect(told[2]).toMatchObject({ 'nacre.status': 'exited' });
    expect(told.at(-1)).toBe('end');
    expect(bodies).toEqual([]);
  });

  test('one that fails fails nothing', async () => {
    const fail = (): never => {
      throw new Error('broken');
    };
    for (const startSpan of [fail, () => span({ setAttributes: fail, spanContext: fail, end: fail })]) {
      const bash = open({}, { tracer: { startSpan } });
      expect((await bash.call({ command: 'echo on' })).run.output.text).toBe('on\n');
      await bash.close();
    }
  });
});
