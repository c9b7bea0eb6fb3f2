import type { Artifacts, CallResult } from '../../../index.ts';
import type { BashData } from '../protocol.ts';

/** A result with the fields beside it that clients of older tools look at. */
export function toBashData(result: CallResult, artifacts: Artifacts): BashData {
  const { output, exitCode, aborted, timedOut, runId, artifact } = result.run;
  const isCut = output.omitted !== null;
  const path = isCut && runId !== null ? pathOf(runId, artifacts) : undefined;
  return {
    output: output.text,
    exitCode,
    cancelled: aborted || timedOut,
    truncated: isCut,
    totalLines: output.totalLines,
    totalBytes: output.totalBytes,
    outputLines: output.shown.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    outputBytes: Buffer.byteLength(output.text),
    artifactId: artifact === null ? null : runId,
    ...(path === undefined ? {} : { fullOutputPath: path }),
    ...result,
  };
}

/** One file, unless its middle was dropped. */
function pathOf(runId: string, artifacts: Artifacts): string | undefined {
  try {
    return artifacts.paths(runId)[0];
  } catch {
    return undefined;
  }
}
