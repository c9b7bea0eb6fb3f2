import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const front = join(import.meta.dirname, '../../src/index.ts');

test('these values are public, and no other', async () => {
  const names = Object.keys(await import(front)).sort();
  expect(names).toEqual([
    'ERROR_CODES',
    'NacreError',
    'ToolAbortError',
    'createBash',
    'defaultStateDirectory',
    'inspectMachine',
    'openApprovals',
    'openArtifacts',
    'openJobs',
    'readLog',
  ]);
});

test('these types are public, and no other', () => {
  const text = readFileSync(front, 'utf8');
  const lists = [...text.matchAll(/export type \{([^}]+)\}/g)].map(([, names]) => names ?? '');
  const names = lists.flatMap((list) => list.split(',').map((name) => name.trim())).filter(Boolean);
  expect(names.sort()).toMatchInlineSnapshot(`
    [
      "Always",
      "Answer",
      "ApprovalOptions",
      "ApprovalRule",
      "Approvals",
      "ApprovalsOptions",
      "Approver",
      "Artifact",
      "ArtifactInfo",
      "ArtifactMatches",
      "ArtifactText",
      "Artifacts",
      "ArtifactsOptions",
      "Asking",
      "AsyncOptions",
      "AutoBackgroundOptions",
      "Bash",
      "BashOptions",
      "BashPolicyOptions",
      "BuiltInCheck",
      "CallInput",
      "CallOptions",
      "CallResult",
      "CallStatus",
      "CallUpdate",
      "Decision",
      "Ending",
      "ErrorCode",
      "ErrorFields",
      "ExplainedPart",
      "ExplainedRule",
      "Explanation",
      "FieldSchema",
      "Finding",
      "HookAnswer",
      "Hooks",
      "Host",
      "InputSchema",
      "InterceptorMode",
      "InterceptorOptions",
      "InterceptorRule",
      "InternalUrl",
      "JobAction",
      "JobCallOptions",
      "JobEnd",
      "JobHandle",
      "JobInfo",
      "JobLook",
      "JobOutput",
      "JobReport",
      "JobResult",
      "JobToolDefinition",
      "JobWait",
      "JobWaitOptions",
      "JobWatch",
      "Jobs",
      "JobsOptions",
      "KeepLimits",
      "KillOptions",
      "KillReport",
      "LearnedRule",
      "LineRange",
      "Log",
      "LogEntry",
      "LogQuery",
      "MachineFacts",
      "MachineOutput",
      "MachineResult",
      "OpenQuestion",
      "PeekOptions",
      "ProcessName",
      "ProfileName",
      "PruneOptions",
      "QuestionEvent",
      "Reply",
      "Run",
      "RunEnd",
      "RunInput",
      "RunRequest",
      "SecretOptions",
      "SendOptions",
      "StopReason",
      "StorageOptions",
      "StreamName",
      "SweepLimits",
      "SweepReport",
      "ToolDefinition",
      "UrlOptions",
      "UrlResolver",
      "ValueSchema",
      "WaitMet",
      "WaitedJob",
      "WaitingForInput",
    ]
  `);
});

test('everything is exported by name', () => {
  expect(readFileSync(front, 'utf8')).not.toMatch(/export \*|export default/);
});
