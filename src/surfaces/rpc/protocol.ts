import type {
  Answer,
  ArtifactInfo,
  ArtifactMatches,
  ArtifactText,
  CallResult,
  ErrorCode,
  Explanation,
  JobEnd,
  JobResult,
  JobToolDefinition,
  OpenQuestion,
  ProfileName,
  StreamName,
  ToolDefinition,
} from '../../index.ts';

/** Increases when existing messages change their meaning, not when messages or fields are added. */
export const PROTOCOL_VERSION = 1;

/** The client's id of a request, repeated in the response and all events of the request. */
export type RequestId = string | number;

/** Fields that every request may have. */
export interface Envelope {
  readonly id?: RequestId;
  /** The target session; the default session when missing. */
  readonly session?: string;
}

/** A message from the client, one JSON object per line. */
export type Request = Envelope & Command;

export type Command =
  | { readonly type: 'hello' }
  | { readonly type: 'tools' }
  | BashCommand
  | { readonly type: 'abort_bash'; readonly target?: RequestId }
  | { readonly type: 'yield_bash'; readonly target?: RequestId }
  /** The input of the job tool. */
  | ({ readonly type: 'job'; readonly input: Readonly<Record<string, unknown>> } & Traced)
  | { readonly type: 'explain'; readonly command: string }
  | { readonly type: 'list_artifacts' }
  | ReadArtifactCommand
  | SearchArtifactCommand
  | {
      readonly type: 'answer_approval';
      /** The id of the question. */
      readonly question: string;
      readonly answer: Answer;
      /** For a refusal: a text for the model. */
      readonly reason?: string;
    }
  | {
      readonly type: 'open_session';
      readonly name: string;
      readonly cwd?: string;
      readonly profile?: ProfileName;
    }
  | { readonly type: 'close_session'; readonly name: string }
  /** The next command gets a new shell in the session's start directory. Jobs, artifacts and files stay. */
  | { readonly type: 'reset_session' }
  | { readonly type: 'list_sessions' }
  | { readonly type: 'shutdown' };

/** The client's span that a call belongs to, in W3C Trace Context format. */
export interface Traced {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** The fields of the bash tool and the events to send while it runs. */
export type BashCommand = {
  readonly type: 'bash';
  readonly command: string;
  /** Send all output as it arrives; a slow reader slows the command down. */
  readonly stream?: boolean;
  /** Send the end of the output so far, at most every 50 ms; a slow reader misses updates. */
  readonly updates?: boolean;
} & Traced &
  Readonly<Record<string, unknown>>;

/** A range of lines or bytes: lines count from 1 and include both ends. */
export interface RpcRange {
  readonly from: number;
  readonly to: number;
}

export interface ReadArtifactCommand {
  readonly type: 'read_artifact';
  /** `artifact://<id>` or `<id>`, optionally followed by `/err`. */
  readonly artifact: string;
  /** One of these four; the default is the last 100 lines. Bytes count from 0 and exclude `to`. */
  readonly lines?: RpcRange;
  readonly head?: number;
  readonly tail?: number;
  readonly bytes?: RpcRange;
  /** With `bytes`: return base64. */
  readonly raw?: boolean;
}

export interface SearchArtifactCommand {
  readonly type: 'search_artifact';
  readonly artifact: string;
  /** A literal text, or with `regex` a regular expression. */
  readonly pattern: string;
  readonly regex?: boolean;
  readonly limit?: number;
  readonly context?: number;
}

/** The response data by request type. */
export interface ResponseData {
  readonly hello: Hello;
  readonly tools: { readonly tools: readonly (ToolDefinition | JobToolDefinition)[] };
  readonly bash: BashData;
  readonly abort_bash: { readonly aborted: number };
  readonly yield_bash: { readonly yielded: number };
  readonly job: JobResult;
  readonly explain: Explanation;
  readonly list_artifacts: { readonly artifacts: readonly ArtifactInfo[] };
  readonly read_artifact: (ArtifactText | RawBytes) & { readonly totalBytes: number };
  readonly search_artifact: ArtifactMatches & { readonly totalBytes: number };
  readonly answer_approval: Readonly<Record<never, never>>;
  readonly open_session: SessionInfo;
  readonly close_session: Readonly<Record<never, never>>;
  readonly reset_session: Readonly<Record<never, never>>;
  readonly list_sessions: { readonly sessions: readonly SessionInfo[] };
  readonly shutdown: Readonly<Record<never, never>>;
}

export type CommandType = keyof ResponseData;

export interface Hello {
  readonly name: 'nacre';
  readonly version: string;
  readonly protocol: number;
  readonly commands: readonly string[];
  /** The longest line in bytes, and the largest number of concurrent requests and sessions. */
  readonly limits: Readonly<Record<'lineBytes' | 'calls' | 'jobs' | 'reads' | 'sessions', number>>;
  readonly session: SessionInfo;
}

export interface SessionInfo {
  /** The name in the `session` field of requests. */
  readonly name: string;
  /** The session key of its jobs and artifacts. */
  readonly key: string;
  readonly cwd: string;
  readonly profile: ProfileName;
}

export interface RawBytes {
  readonly base64: string;
  readonly from: number;
  readonly to: number;
  readonly notes: readonly string[];
}

/** The result of a call, with additional fields for clients of pi. */
export interface BashData extends CallResult {
  readonly output: string;
  readonly exitCode: number | null;
  /** The command was aborted or reached its time limit; `run` tells which. */
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly artifactId: string | null;
  /** The file with the full output when `output` is truncated. */
  readonly fullOutputPath?: string;
}

/** The response to a request; every request gets exactly one. */
export type Response =
  | {
      readonly id?: RequestId;
      readonly type: 'response';
      readonly command: string;
      readonly success: true;
      readonly data: unknown;
    }
  | {
      readonly id?: RequestId;
      readonly type: 'response';
      readonly command: string;
      readonly success: false;
      readonly error: string;
      readonly errorId: ErrorCode;
      /** The result of a refused call. */
      readonly data?: unknown;
    };

/** A message to the client that is not a response. */
export type Event =
  | {
      readonly type: 'bash_execution_update';
      readonly id?: RequestId;
      readonly stream: StreamName;
      readonly delta: string;
    }
  | {
      readonly type: 'bash_update';
      readonly id?: RequestId;
      readonly runId: string;
      readonly output: string;
    }
  | ({ readonly type: 'job_ended'; readonly session: string } & JobEnd)
  | {
      readonly type: 'approval_request';
      readonly session: string;
      /** The call that waits for the answer. */
      readonly id?: RequestId;
      readonly question: OpenQuestion;
    }
  /** The question was answered, by any program, or withdrawn. */
  | { readonly type: 'approval_closed'; readonly session: string; readonly question: string };

export type Message = Response | Event;
