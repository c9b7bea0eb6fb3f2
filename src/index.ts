/** Every public name, exported by name. What is not here is nobody's business. */

export type {
  ClientExit,
  ClientTerminal,
  ClientTerminalOutput,
  ClientTerminalRequest,
  ClientTerminals,
} from './engine/hosts/client/client-terminals.ts';
export type {
  Host,
  KeepLimits,
  ProcessName,
  Run,
  RunEnd,
  RunInput,
  RunRequest,
} from './engine/hosts/host.ts';
export type { MachineFacts } from './engine/hosts/machine.ts';
export { inspectMachine } from './engine/hosts/machine.ts';
export type { Artifact, ArtifactMatches, ArtifactText } from './engine/output/kept/artifact.ts';
export type { Ending, StopReason } from './engine/run/ending.ts';
export type { StreamName } from './engine/run/files.ts';
export type { SweepLimits, SweepReport } from './engine/run/record/sweep.ts';
export type { TerminalPlan, TerminalSize } from './engine/run/supervise/terminal.ts';
export { encodeKey, encodePaste, encodeText } from './engine/terminal/keys/encode-key.ts';
export type { KeyModes } from './engine/terminal/keys/key-modes.ts';
export { readKey } from './engine/terminal/keys/read-key.ts';
export type { TerminalKey } from './engine/terminal/keys/terminal-key.ts';
export type { ScreenOptions } from './engine/terminal/screen.ts';
export { Screen } from './engine/terminal/screen.ts';
export { columnsOf } from './engine/text/columns.ts';
export type { ErrorCode, ErrorFields } from './errors.ts';
export { ERROR_CODES, NacreError } from './errors.ts';
export type {
  Bash,
  CloseOptions,
  JobCallOptions,
  JobToolDefinition,
  Log,
  ToolDefinition,
} from './tool/bash.ts';
export { createBash } from './tool/bash.ts';
export type { CallOptions, CallUpdate, LiveTerminal, TerminalView } from './tool/call-options.ts';
export type { CallInput, HookAnswer, Hooks } from './tool/hooks.ts';
export { requireHost } from './tool/hosts/find-host.ts';
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
} from './tool/hosts/host-config.ts';
export type { FieldSchema, InputSchema, ValueSchema } from './tool/input/schema.ts';
export type { KillOptions } from './tool/job/acting/kill.ts';
export type { JobOutput, PeekOptions } from './tool/job/acting/peek.ts';
export type { SendOptions } from './tool/job/acting/send.ts';
export type { JobWait, JobWaitOptions, WaitedJob, WaitMet } from './tool/job/acting/wait.ts';
export type { JobLook } from './tool/job/looking/job-meter.ts';
export type { JobEnd } from './tool/job/telling/job-end.ts';
export type { JobAction, JobReport, JobResult } from './tool/job/tool/job-result.ts';
export type { LogEntry, LogQuery } from './tool/journal/read-log.ts';
export { readLog, stampOfLog } from './tool/journal/read-log.ts';
export { checkMinimizer } from './tool/minimise/check-minimizer.ts';
export type { AsyncOptions, AutoBackgroundOptions } from './tool/options/async-options.ts';
export type { CondenserRule, DropRule, MinimizerOptions } from './tool/options/minimizer-options.ts';
export type { BashOptions, ProfileName } from './tool/options/options.ts';
export { defaultStateDirectory } from './tool/options/resolve-options.ts';
export type { SecretOptions } from './tool/options/secret-options.ts';
export type { StorageOptions } from './tool/options/storage-options.ts';
export type { UrlOptions } from './tool/options/url-options.ts';
export type { ApprovalRule } from './tool/policy/approve/rule.ts';
export type { Approvals, ApprovalsOptions } from './tool/policy/asking/approvals.ts';
export { openApprovals } from './tool/policy/asking/approvals.ts';
export type { LearnedRule } from './tool/policy/asking/learned-rules.ts';
export type {
  Answer,
  Approver,
  Asking,
  OpenQuestion,
  QuestionEvent,
  Reply,
} from './tool/policy/asking/question.ts';
export { checkPolicy } from './tool/policy/check-policy.ts';
export type { InterceptorMode, InterceptorRule, Suggestion, TakeOver } from './tool/policy/intercept/rule.ts';
export type { ExplainedPart, ExplainedRule, Explanation } from './tool/policy/judge/explain.ts';
export type { Always, Decision, Finding } from './tool/policy/judge/verdict.ts';
export type {
  ApprovalOptions,
  BashPolicyOptions,
  BuiltInCheck,
  InterceptorOptions,
} from './tool/policy/policy-options.ts';
export type { Invocation, InvocationOptions, PolicyRule } from './tool/policy/rules/own-rule.ts';
export { defineRule } from './tool/policy/rules/own-rule.ts';
export type { OptionSpec } from './tool/policy/unwrap/options.ts';
export type {
  CallResult,
  CallStatus,
  JobHandle,
  LineRange,
  MachineOutput,
  MachineResult,
  WaitingForInput,
} from './tool/result.ts';
export type { ArtifactInfo, Artifacts, ArtifactsOptions } from './tool/runs/artifacts.ts';
export { openArtifacts } from './tool/runs/artifacts.ts';
export type { JobInfo } from './tool/runs/job-info.ts';
export type { Jobs, JobsOptions, JobWatch, KillReport, PruneOptions } from './tool/runs/jobs.ts';
export { openJobs } from './tool/runs/jobs.ts';
export type { SessionInfo, Sessions, SessionsOptions } from './tool/sessions/sessions.ts';
export { openSessions } from './tool/sessions/sessions.ts';
export type { StateReset } from './tool/sessions/shell-plan.ts';
export type { Span, SpanAttributes, SpanContext, Tracer } from './tool/telemetry/tracer.ts';
export { ToolAbortError } from './tool/tool-abort-error.ts';
export type { InternalUrl, UrlResolver } from './tool/urls/scheme.ts';
