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

/** Rises when something that was there changes its meaning; what is only added does not count. */
export const PROTOCOL_VERSION = 1;

/** Whatever a client calls a request by; it comes back with everything that belongs to it. */
export type RequestId = string | number;

/** What every request may carry. */
export interface Envelope {
  readonly id?: RequestId;
  /** Which session it is for; without it the first one, which is always there. */
  readonly session?: string;
}

/** From the client, one JSON object a line. */
export type Request = Envelope & Command;

export type Command =
  | { readonly type: 'hello' }
  | { readonly type: 'tools' }
  | BashCommand
  | { readonly type: 'abort_bash'; readonly target?: RequestId }
  | { readonly type: 'yield_bash'; readonly target?: RequestId }
  /** The input of the job tool, as a model gives it. */
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
      /** For a no: what the model is to do instead. */
      readonly reason?: string;
    }
  | {
      readonly type: 'open_session';
      readonly name: string;
      readonly cwd?: string;
      readonly profile?: ProfileName;
    }
  | { readonly type: 'close_session'; readonly name: string }
  /** Its next command has a new shell, where the session began. Jobs, artifacts and files stay. */
  | { readonly type: 'reset_session' }
  | { readonly type: 'list_sessions' }
  | { readonly type: 'shutdown' };

/** The span of the client that a call belongs to, as W3C Trace Context writes it. */
export interface Traced {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** The fields of the tool, and how it is followed. */
export type BashCommand = {
  readonly type: 'bash';
  readonly command: string;
  /** Every piece of the output as it comes; who reads slowly slows the command down. */
  readonly stream?: boolean;
  /** The end of the output so far, at most every 50 ms; who reads slowly misses some of it. */
  readonly updates?: boolean;
} & Traced &
  Readonly<Record<string, unknown>>;

/** Counted from 1, both ends included. */
export interface RpcRange {
  readonly from: number;
  readonly to: number;
}

export interface ReadArtifactCommand {
  readonly type: 'read_artifact';
  /** `artifact://<id>`, `<id>`, or with `/err` behind it. */
  readonly artifact: string;
  /** One of these four; without any the last 100 lines. Bytes are counted from 0, `to` is not included. */
  readonly lines?: RpcRange;
  readonly head?: number;
  readonly tail?: number;
  readonly bytes?: RpcRange;
  /** With `bytes`: as they are, in base64. */
  readonly raw?: boolean;
}

export interface SearchArtifactCommand {
  readonly type: 'search_artifact';
  readonly artifact: string;
  /** A text as it stands, or with `regex` a pattern. */
  readonly pattern: string;
  readonly regex?: boolean;
  readonly limit?: number;
  readonly context?: number;
}

/** What a request is answered with, by its type. */
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
  /** The longest line, and how much of what may be under way. */
  readonly limits: Readonly<Record<'lineBytes' | 'calls' | 'jobs' | 'reads' | 'sessions', number>>;
  readonly session: SessionInfo;
}

export interface SessionInfo {
  /** What requests name it by. */
  readonly name: string;
  /** Whose jobs and artifacts it has. */
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

/** The result of a call, and beside it the fields that clients of pi look at. */
export interface BashData extends CallResult {
  readonly output: string;
  readonly exitCode: number | null;
  /** It did not end by itself: aborted, or at its limit. `run` tells which. */
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly artifactId: string | null;
  /** Where all of it is, when it was cut. */
  readonly fullOutputPath?: string;
}

/** To the client. Every request gets exactly one of these. */
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
      /** Of a call that was refused: its result all the same. */
      readonly data?: unknown;
    };

/** To the client, unasked. */
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
  /** Answered, here or elsewhere, or withdrawn. */
  | { readonly type: 'approval_closed'; readonly session: string; readonly question: string };

export type Message = Response | Event;
