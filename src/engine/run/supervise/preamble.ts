import { quote } from '../../text/quote.ts';

/**
 * What bash reads before a command whose pipeline statuses are wanted: `BASH_ENV` brings it, so the command itself
 * stays as it was written. A script that sets its own EXIT trap takes the place, and there are no statuses then.
 */
export function renderPreamble(directory: string, userBashEnv: string | undefined): string {
  const file = quote(`${directory}/pipestatus`);
  // The statuses are taken first: any other command would replace them. Tracing must not show our own lines.
  const trap = `{ __nacre=("\${PIPESTATUS[@]}"); set +x; } 2>/dev/null; builtin printf "%s " "\${__nacre[@]}" >|${file}`;
  const restore =
    userBashEnv === undefined
      ? 'unset BASH_ENV'
      : `BASH_ENV=${quote(userBashEnv)}; [[ ! -r $BASH_ENV ]] || . "$BASH_ENV"`;
  return `${restore}\ntrap -- ${quote(trap)} EXIT\n`;
}
