/** The public API. Names that are not exported here are internal. */

export type {
  ClientExit,
  ClientTerminal,
  ClientTerminalOutput,
  ClientTerminalRequest,
  ClientTerminals,
} from './engine/hosts/client-terminal-run.ts';
export type {
  Host,
  KeepLimits,
  ProcessName,
  Run,
  RunEnd,
  RunInput,
  RunRequest,
} from './engine/hosts/host.ts';
export type { MachineFacts } from './engine/hosts/inspect-machine.ts';
export { inspectMachine } from './engine/hosts/inspect-machine.ts';
export type { Artifact, ArtifactMatches, ArtifactText } from './engine/output/raw/artifact.ts';
export type { StreamName } from './engine/run/run-files.ts';
export type { Ending, StopReason } from './engine/run/run-request.ts';
export type { TerminalPlan, TerminalSize } from './engine/run/run-terminal.ts';
export type { SweepLimits, SweepReport } from './engine/run/sweep-runs.ts';
export { encodeKey, encodePaste, encodeText } from './engine/terminal/encode-key.ts';
export type { KeyModes } from './engine/terminal/key-modes.ts';
export type { ScreenOptions } from './engine/terminal/screen.ts';
export { Screen } from './engine/terminal/screen.ts';
export type { TerminalKey } from './engine/terminal/terminal-key.ts';
export { readKey } from './engine/terminal/terminal-key.ts';
export type { ErrorCode, ErrorFields } from './errors.ts';
export { ERROR_CODES, NacreError } from './errors.ts';
export { checkPolicy } from './tool/approvals/create-policy.ts';
export type { ExplainedPart, ExplainedRule, Explanation } from './tool/approvals/explain-command.ts';
export type { LearnedRule } from './tool/approvals/learned-rules.ts';
export type { Approvals, ApprovalsOptions } from './tool/approvals/open-approvals.ts';
export { openApprovals } from './tool/approvals/open-approvals.ts';
export type {
  Bash,
  CloseOptions,
  JobCallOptions,
  JobToolDefinition,
  Log,
  ToolDefinition,
} from './tool/call/bash.ts';
export { createBash } from './tool/call/bash.ts';
export type { CallOptions, CallUpdate, LiveTerminal, TerminalView } from './tool/contract/call-options.ts';
export type { CallInput, HookAnswer, Hooks } from './tool/contract/hooks.ts';
export type { FieldSchema, InputSchema, ValueSchema } from './tool/contract/input-schema.ts';
export type { JobEnd, JobInfo } from './tool/contract/job.ts';
export type {
  ApprovalOptions,
  ApprovalRule,
  BashPolicyOptions,
  BuiltInCheck,
  InterceptorMode,
  InterceptorOptions,
  InterceptorRule,
  Invocation,
  InvocationOptions,
  OptionSpec,
  PolicyRule,
  TakeOver,
} from './tool/contract/policy-options.ts';
export type {
  Always,
  Answer,
  Approver,
  Asking,
  Decision,
  Finding,
  OpenQuestion,
  QuestionEvent,
  Reply,
  Suggestion,
} from './tool/contract/policy-verdict.ts';
export type {
  CallResult,
  CallStatus,
  JobHandle,
  LineRange,
  MachineOutput,
  MachineResult,
  StateReset,
  WaitingForInput,
} from './tool/contract/result.ts';
export { ToolAbortError } from './tool/contract/result.ts';
export type { Span, SpanAttributes, SpanContext, Tracer } from './tool/contract/tracer.ts';
export type { InternalUrl, UrlResolver } from './tool/contract/url-scheme.ts';
export type { ArtifactInfo, Artifacts, ArtifactsOptions } from './tool/jobs/artifacts.ts';
export { openArtifacts } from './tool/jobs/artifacts.ts';
export type { JobLook } from './tool/jobs/job-meter.ts';
export type { JobAction, JobReport, JobResult } from './tool/jobs/job-tool.ts';
export type { Jobs, JobsOptions, JobWatch, KillReport, PruneOptions } from './tool/jobs/jobs.ts';
export { openJobs } from './tool/jobs/jobs.ts';
export type { KillOptions } from './tool/jobs/kill-job.ts';
export type { JobOutput, PeekOptions } from './tool/jobs/peek-job.ts';
export type { SendOptions } from './tool/jobs/send-to-job.ts';
export type { JobWait, JobWaitOptions, WaitedJob, WaitMet } from './tool/jobs/wait-for-jobs.ts';
export type { LogEntry, LogQuery } from './tool/journal/journal.ts';
export { readLog } from './tool/journal/journal.ts';
export type {
  AsyncOptions,
  AutoBackgroundOptions,
  BashOptions,
  OutputOptions,
  ProfileName,
  SecretOptions,
  StorageOptions,
  UrlOptions,
} from './tool/options/bash-options.ts';
export type {
  ContainerConfig,
  HostConfig,
  KubernetesConfig,
  PoolConfig,
  SandboxConfig,
  SandboxNetwork,
  SandboxPreset,
  SlurmConfig,
  SshConfig,
} from './tool/options/host-config.ts';
export type { CondenserRule, DropRule, MinimizerOptions } from './tool/options/minimizer-options.ts';
export { checkMinimizer } from './tool/options/minimizer-options.ts';
export { defaultStateDirectory } from './tool/options/option-table.ts';
export { defineRule } from './tool/policy/rules/custom-rule.ts';
export type { SessionInfo, Sessions, SessionsOptions } from './tool/sessions/sessions.ts';
export { openSessions } from './tool/sessions/sessions.ts';
