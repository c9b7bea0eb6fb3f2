import { expect, test } from 'vitest';
import { readOtlpSettings } from '../../../../src/tool/telemetry/otlp-exporter.ts';
import { parseTraceParent, renderTraceParent } from '../../../../src/tool/telemetry/telemetry.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };

test('the common endpoint has a path for traces, the one for traces is used as it is', () => {
  expect(readOtlpSettings(ENDPOINT)?.url).toBe('http://127.0.0.1:4318/v1/traces');
  const own = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.test/in?x=1' };
  expect(readOtlpSettings(own)?.url).toBe('https://collector.test/in?x=1');
});

test.each([
  ['nothing is set', {}],
  ['OpenTelemetry is switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  ['traces are not wanted', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ['they go elsewhere', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }],
  ['none are recorded', { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'always_off' }],
  ['the collector speaks gRPC only', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ['the endpoint is none', { OTEL_EXPORTER_OTLP_ENDPOINT: 'not a url' }],
  ['the endpoint is a file', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'file:///etc/passwd' }],
])('no spans are sent when %s', (_why, env) => {
  expect(readOtlpSettings(env)).toBeNull();
});

test('headers, resource and time limit are read', () => {
  const settings = readOtlpSettings({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-a = b=c ,broken,=,%zz=1',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=test',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  expect(settings?.headers).toEqual({ authorization: 'Bearer x', 'x-a': 'b=c', '%zz': '1' });
  expect(settings?.resource).toEqual({ 'service.name': 'mine', 'deployment.environment': 'test' });
  expect(settings?.timeoutMs).toBe(500);
  for (const wrong of ['0', '-1', 'x', '999999999'])
    expect(readOtlpSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: wrong })?.timeoutMs).toBe(10_000);
});

test('a parent is read and written as the W3C has it; what is none is none', () => {
  const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const parent = parseTraceParent(text);
  expect(parent).toEqual({ traceId: text.slice(3, 35), spanId: text.slice(36, 52), flags: 1 });
  expect(parent && renderTraceParent(parent)).toBe(text);
  expect(parseTraceParent(`cc${text.slice(2)}-more`)).toEqual(parent);
  for (const wrong of [
    undefined,
    '',
    'x',
    text.slice(1),
    `ff${text.slice(2)}`,
    text.replace('b7', 'B7'),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ])
    expect(parseTraceParent(wrong)).toBeNull();
});
