# Starts shells before their commands are known; the decision record on ready shells says why, and what was measured.
#
# One of these serves a caller for a while: it is small, so its forks are cheap, however large the caller is. It reads
# directories, a line each; for each it forks a supervisor, leader of its own group, with a bash that waits for its text
# in a session of its own. Descriptors here: 3, later 10, the caller (duplex, lines), 4 this script, 5 and 6 the two parts
# of the supervisor. When the caller goes, this ends, and so does every shell that was not used.
nacre_only_functions=1
. /dev/fd/6
exec 10<&3 3<&- 6<&-

# Descriptors of a supervisor with a shell that is ready, besides those of every supervisor:
#   3 and 14  what the caller says                      12 and 13  what the shell will read
#   15 and 11 what the caller is told                   7          the ending, once the shell has the end of the pipe
#   9         what the command is given besides its text, likewise: the caller may remove it before it is read
# Of the ends that the caller writes to only the listener has copies, until the caller has opened its own: from then on
# the caller's death is the end of both streams.

nacre_make_ready() { # $1: the run's directory, before it is one
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

nacre_become_shell() { # as any command becomes one, but what it will run is not known yet
  # A child in the background ignores these two when there is no job control; bash lets it take that back.
  trap - INT QUIT
  # It says for itself when it waits: only then does it lead a session of its own.
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
  # One word when the caller has its own ends; a caller that died before is not waited for.
  IFS= read -r -t 5 -u 3 line
  exec 13>&- 14>&-
  nacre_listen
}

nacre_stand_by() { # until the command is over: most are over at once, with nothing else to be looked at
  # Once for nothing: what this touches is in memory by the time somebody waits for it.
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

nacre_is_plain() { # a command that ended with status $1: nothing else is to be said of it
  [[ $1 != -* && $1 -le 128 && -s run.json && ! -e gone && ! -e failed && ! -e reason && ! -e drains && -n ${EPOCHREALTIME-} ]]
}

nacre_write_end() { # $1: status, $2, $3: where it is written down, and told
  nacre_line="exited $1 - 0 ${EPOCHREALTIME/,/.} -"
  printf '%-250s.\n' "$nacre_line" >&"$2"
  printf 'ended %s %s\n' "$nacre_line" "$nacre_listener" >&"$3"
}

set -m
while IFS= read -r -u 10 nacre_line; do
  nacre_make_ready "$nacre_line" &
done
