import type { CallRequest } from './request.ts';

/** The two rewritings of a command, both of which leave its meaning alone. */
type Rewritable = Pick<CallRequest, 'command' | 'cwd' | 'head' | 'tail'>;

/** Whether a leading `cd <literal path> && …` may be taken off, and what the shell would find. */
export interface CdRules {
  readonly movesCd: boolean;
  /** Of the command's environment: with it, bash looks for a relative directory elsewhere. */
  readonly cdPath: string | undefined;
}

/** A leading `cd <literal path> &&` becomes `cwd`, when the call named none and it is provably the same. */
export async function moveLeadingCd<T extends Rewritable>(request: T, rules: CdRules): Promise<T> {
  if (!rules.movesCd || request.cwd !== null || !/^\s*cd\s[^&]*&&/.test(request.command)) return request;
  const { leadingCd } = await import('../policy/parse.ts');
  const found = leadingCd(request.command);
  if (found === null || (rules.cdPath && !/^[./~]/.test(found.path))) return request;
  return { ...request, command: found.rest, cwd: found.path };
}

/** A trailing `| head -n N` or `| tail -n N` becomes a limit of what is shown; an explicit one wins. */
export async function liftLimits<T extends Rewritable>(request: T): Promise<T> {
  if (!/\|\s*(?:head|tail)\s/.test(request.command)) return request;
  const { trailingLimit } = await import('../policy/parse.ts');
  const found = trailingLimit(request.command);
  if (found === null) return request;
  return {
    ...request,
    command: found.command,
    head: request.head ?? found.head ?? null,
    tail: request.tail ?? found.tail ?? null,
  };
}

/** Whether the statuses of a last pipeline can be had. */
export async function endsInPipeline(command: string): Promise<boolean> {
  if (!command.includes('|')) return false;
  const parse = await import('../policy/parse.ts');
  return parse.endsInPipeline(command);
}
