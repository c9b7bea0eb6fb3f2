# First program inside a sandbox. docs/decisions/0010-hosts.md describes the processes.
#
# `agent` reads slot numbers and starts a slot runner for each. A slot runner is a session of its own: it keeps a shell
# that waits for a command, and reports the exit status. Its named pipes are in /run/nacre/<slot>, which is read-only in
# here. Programs outside accept only numbers from these pipes.
#
# Descriptors of a slot runner: 2 messages of bash about its child, 7 pipestatus, 8 request, 9 answer. Lines of request:
# the length of a script and the script, "read" (the status was read), "again" or "done". Lines of answer:
# "ready RUNNER COMMAND" (pids), "failed cwd 0", "ended exited|signaled NUMBER [STATUS...]".

nacre_agent() { # $1: process limit, $2: data limit in KiB (0: none), $3: set if the network bridge is needed
  local slot signals=
  # Background processes ignore INT and QUIT, and their children inherit that, unless env resets it.
  ! env --default-signal=INT,QUIT true || signals='env --default-signal=INT,QUIT'
  if [[ -n $3 ]]; then
    /run/nacre-node /run/nacre-bridge.mjs >/dev/null 2>&1 &
    for ((slot = 0; slot < 500; slot++)); do
      (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null && break
      sleep 0.02
    done
  fi
  exec 6>&-
  (($1 == 0)) || ulimit -u "$1"
  (($2 == 0)) || ulimit -d "$2"
  exec 3<>/run/nacre/control
  while IFS= read -r -u 3 slot; do
    $signals setsid bash --noprofile --norc /run/nacre-inside slot_runner "$slot" 3>&- &
  done
}

nacre_slot_runner() { # $1: slot; runs commands until the answer to a finished one is not "again"
  local word
  nacre_slot=/run/nacre/$1
  exec 9<>"$nacre_slot/answer" 8<>"$nacre_slot/request" 7<>"$nacre_slot/pipestatus"
  # Bash writes a message to stderr only if its child died by a signal. A pipe, because commands could change a file.
  exec 2<<<''
  [[ -p /proc/self/fd/2 ]] || exec 2< <(echo)
  exec 2<>/proc/self/fd/2
  IFS= read -r -u 2
  while :; do
    nacre_run_command
    # Waits for "read": the contents of a pipe are lost when its last descriptor closes.
    IFS= read -r -u 8 word
    IFS= read -r -u 8 word
    [[ $word == again ]] || exit
  done
}

nacre_run_command() { # starts a shell that waits for a command, and reports the exit status
  local pid status how=exited line statuses=
  set -m
  (nacre_await_command 2>/dev/null) &
  pid=$!
  set +m
  printf 'ready %s %s\n' "$$" "$pid" >&9
  wait "$pid"
  status=$?
  while read -r -t 0 -u 2; do
    IFS= read -r -u 2 line
    case $line in *" $pid "*) how=signaled ;; esac
  done
  case $status in 130 | 141 | 143) how=signaled ;; esac
  if ((status <= 128)); then how=exited; fi
  [[ $how == exited ]] || ((status -= 128))
  ! read -r -t 0 -u 7 || IFS= read -r -t 0.001 -N 400 -u 7 statuses
  printf 'ended %s %s %s\n' "$how" "$status" "$statuses" >&9
}

nacre_await_command() { # reads the script of a command from descriptor 8 and becomes the command
  local length text
  IFS= read -r -u 8 length || exit 126
  # LC_ALL=C: the length is in bytes.
  LC_ALL=C IFS= read -r -N "$length" -u 8 text || exit 126
  eval "$text"
  unset text length
  cd -- "$nacre_cwd" || { printf 'failed cwd 0\n' >&9; exit 126; }
  if [[ -n ${nacre_oldpwd+set} ]]; then OLDPWD=$nacre_oldpwd; else unset OLDPWD; fi
  if [[ -n ${nacre_shlvl+set} ]]; then SHLVL=$nacre_shlvl; else unset SHLVL; fi
  export NACRE_RUN_ID=$nacre_id
  [[ -z ${nacre_bash_env+set} ]] || export BASH_ENV=$nacre_bash_env
  [[ $nacre_input == /dev/null ]] || nacre_input=$nacre_slot/in
  if [[ $nacre_streams == apart ]]; then exec 7>"$nacre_slot/err"; else exec 7>"$nacre_slot/out"; fi
  exec 8>&- <"$nacre_input" >"$nacre_slot/out" 2>&7 7>&- 9>&-
  if ((${#nacre_env[@]})); then
    exec env -- "${nacre_env[@]}" "$nacre_program" "${nacre_words[@]}"
  else
    exec -a bash "$nacre_program" "${nacre_words[@]}"
  fi
}

"nacre_$1" "${@:2}"
