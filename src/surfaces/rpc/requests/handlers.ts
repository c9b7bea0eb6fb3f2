import { type CommandType, PROTOCOL_VERSION, type ResponseData } from '../protocol.ts';
import { readArtifact, searchArtifact } from './artifact.ts';
import type { Asked } from './asked.ts';
import { callBash, readTrace } from './bash.ts';
import { anything, oneOf, readFields, requestId, text } from './fields.ts';

type Handlers = {
  readonly [Type in CommandType]: (asked: Asked) => Promise<ResponseData[Type]> | ResponseData[Type];
};

/** What there is to ask for. */
export const HANDLERS: Handlers = {
  hello: ({ version, lineBytes, session, sessions, fields }) => {
    readFields(fields, {});
    return {
      name: 'nacre',
      version,
      protocol: PROTOCOL_VERSION,
      commands: Object.keys(HANDLERS),
      limits: { lineBytes, ...sessions.limits },
      session: session.info,
    };
  },
  tools: ({ session: { bash }, fields }) => {
    readFields(fields, {});
    return { tools: bash.jobTool === null ? [bash.tool] : [bash.tool, bash.jobTool] };
  },
  bash: callBash,
  abort_bash: ({ session, fields }) => ({
    aborted: session.abort(readFields(fields, { target: requestId }).target),
  }),
  yield_bash: ({ session, fields }) => ({
    yielded: session.yield(readFields(fields, { target: requestId }).target),
  }),
  job: ({ session, sessions, fields: { traceparent, tracestate, ...fields } }) => {
    const { input } = readFields(fields, { input: anything }, 'input');
    const trace = readTrace({ traceparent, tracestate });
    return sessions.jobCalls.run(() => session.bash.job(input, trace));
  },
  explain: ({ session, fields }) =>
    session.bash.explain(readFields(fields, { command: text }, 'command').command),
  list_artifacts: ({ session: { bash }, fields }) => {
    readFields(fields, {});
    return { artifacts: bash.artifacts.list() };
  },
  read_artifact: ({ session: { bash }, sessions: { reads }, fields }) =>
    reads.run(() => readArtifact(fields, bash.artifacts)),
  search_artifact: ({ session: { bash }, sessions: { reads }, fields }) =>
    reads.run(() => searchArtifact(fields, bash.artifacts)),
  answer_approval: ({ session: { bash }, fields }) => {
    const kinds = {
      question: text,
      answer: oneOf('once', 'always', 'project', 'everywhere', 'no'),
      reason: text,
    };
    const { question, answer, reason } = readFields(fields, kinds, 'question', 'answer');
    bash.approvals.answer(question, answer, reason === undefined ? {} : { reason });
    return {};
  },
  open_session: ({ sessions, fields }) =>
    sessions.open(
      readFields(fields, { name: text, cwd: text, profile: oneOf('agent', 'modes', 'simple') }, 'name'),
    ),
  close_session: async ({ sessions, fields }) => {
    await sessions.close(readFields(fields, { name: text }, 'name').name);
    return {};
  },
  reset_session: ({ session, fields }) => {
    readFields(fields, {});
    session.bash.resetState();
    return {};
  },
  list_sessions: ({ sessions, fields }) => {
    readFields(fields, {});
    return { sessions: sessions.list() };
  },
  shutdown: ({ shutdown, fields }) => {
    readFields(fields, {});
    shutdown();
    return {};
  },
};
