type Env = Readonly<Record<string, string | undefined>>;

/** Where spans go, and how they are labelled. */
export interface OtlpSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** What the variables of OpenTelemetry say; `null`: no spans are wanted, or not in a way that we can send them. */
export function readOtlpSettings(env: Env): OtlpSettings | null {
  const value = (name: string): string =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || '';
  const off = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_SAMPLER === 'always_off';
  const other = !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim() ?? '');
  // Over HTTP every collector also takes JSON; gRPC is another port and another protocol.
  if (off || other || value('PROTOCOL') === 'grpc') return null;
  const url = toUrl(env);
  if (url === null) return null;
  const timeoutMs = Number(value('TIMEOUT'));
  return {
    url,
    headers: parsePairs(value('HEADERS')),
    resource: {
      ...parsePairs(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
      ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
    },
    timeoutMs: timeoutMs > 0 && timeoutMs <= 60_000 ? timeoutMs : 10_000,
  };
}

/** The endpoint for traces is used as it is, the common one has a path for each kind of signal. */
function toUrl({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own,
  OTEL_EXPORTER_OTLP_ENDPOINT: common,
}: Env): string | null {
  try {
    if (own) return checked(new URL(own));
    return common ? checked(new URL(`${common.replace(/\/+$/, '')}/v1/traces`)) : null;
  } catch {
    return null;
  }
}

function checked({ protocol, href }: URL): string | null {
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

/** `key=value,key=value`, with percent signs for what is special. */
function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at <= 0 ? [] : [[decode(pair.slice(0, at).trim()), decode(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
