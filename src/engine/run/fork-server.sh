# Starts warm shells: bash processes whose commands are not known yet. The decision record on warm shells has the reasons
# and the measurements.
#
# A fork server serves one caller. It is small, so its forks are cheap, however large the caller is. It reads directories,
# one per line; for each it forks a supervisor, leader of its own group, and a bash that waits for its command in its own
# session. Descriptors: 3 (later 10) the caller (duplex, lines), 4 this script, 5 and 6 the two parts of the supervisor.
# When the caller exits, the fork server and all unused shells exit.
nacre_only_functions=1
. /dev/fd/6
exec 10<&3 3<&- 6<&-

# Descriptors of the supervisor of a warm shell, in addition to those of every supervisor:
#   3 and 14   lines from the caller                    12 and 13  what the shell will read
#   15 and 11  lines to the caller                      7          the exit record, once the shell has its pipe
#   9          the call spec; opened early, because the caller may remove the file before it is read
# Only the listener has copies of the ends that the caller writes to, until the caller has opened its own: from then on
# the caller's death ends both streams.

nacre_make_ready() { # $1: the directory of the warm shell
  set +m
  nacre_ready=$1 nacre_self=$BASHPID nacre_tell=11
  cd -- "$1" && . ./spec || exit
  nacre_open_output
  nacre_open_pipe 12 13 text
  nacre_open_pipe 3 14 words
  nacre_open_pipe 15 11 told
  trap : PIPE
  trap 'nacre_later nacre_end shutdown' TERM INT HUP
  exec 2>message
  (exec 3<&12 4<waiter >&7 2>&9; nacre_become_shell) &
  nacre_pid=$!
  exec 7<>ending 9<call 12<&-
  [[ ! -d /usr/bin ]] || PATH=/usr/bin:/bin:$PATH
  nacre_write_who
  nacre_listen_early &
  nacre_listener=${nacre_listener:-$!}
  exec 3<&- 13>&- 14>&-
  printf 'ready %s %s %s %s %s\n' "$nacre_id" "$nacre_self" "$nacre_mine" "$nacre_pid $nacre_time" "$nacre_listener" >&10
  exec 10>&-
  nacre_stand_by
}

nacre_become_shell() { # becomes a bash that waits for its command
  # Without job control a background child ignores these two signals; bash can reset them.
  trap - INT QUIT
  # The shell reports by itself when it is ready: only then does it lead its own session.
  exec 5>&11 6<&- 7>&- 8<&- 9>&- 10>&- 11>&- 12<&- 13>&- 14>&- 15<&-
  cd -- "$nacre_cwd" 2>/dev/null || cd /
  if [[ -n ${nacre_oldpwd+set} ]]; then OLDPWD=$nacre_oldpwd; else unset OLDPWD; fi
  if [[ -n ${nacre_shlvl+set} ]]; then SHLVL=$nacre_shlvl; else unset SHLVL; fi
  export NACRE_RUN_ID=$nacre_id BASH_ENV=/dev/fd/4
  if ((${#nacre_env[@]})); then
    exec "$nacre_setsid" env -- "${nacre_env[@]}" "$nacre_shell" -O expand_aliases -c __X bash
  else
    exec "$nacre_setsid" "$nacre_shell" -O expand_aliases -c __X bash
  fi
}

nacre_listen_early() {
  local line
  exec 7>&- 10>&- 11>&- 12<&- 15<&-
  # The caller sends one line when it has opened its own ends; a caller that died before is waited for at most 5
  # seconds.
  IFS= read -r -t 5 -u 3 line
  exec 13>&- 14>&-
  nacre_listen
}

nacre_stand_by() { # waits for the command; most commands need nothing but the plain exit record
  # A dry run: it loads into memory what the end of a command needs.
  nacre_is_plain 0 || nacre_write_end 0 1 1
  wait "$nacre_pid"
  nacre_status=$?
  if nacre_is_plain "$nacre_status"; then
    nacre_how="exited $nacre_status" nacre_settled=1
    nacre_write_end "$nacre_status" 7 11
  else
    nacre_look "$nacre_status"
  fi
  nacre_watch_over
}

nacre_is_plain() { # succeeds when status $1 is the whole result of the command
  [[ $1 != -* && $1 -le 128 && -s run.json && ! -e gone && ! -e failed && ! -e reason && ! -e drains && -n ${EPOCHREALTIME-} ]]
}

nacre_write_end() { # writes the exit record of status $1 to descriptor $2 and reports it on descriptor $3
  nacre_line="exited $1 - 0 ${EPOCHREALTIME/,/.} -"
  printf '%-250s.\n' "$nacre_line" >&"$2"
  printf 'ended %s %s\n' "$nacre_line" "$nacre_listener" >&"$3"
}

set -m
while IFS= read -r -u 10 nacre_line; do
  nacre_make_ready "$nacre_line" &
done
