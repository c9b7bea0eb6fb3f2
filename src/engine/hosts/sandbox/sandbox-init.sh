# What runs inside a sandbox before any command does. docs/decisions/0010-hosts.md says who is who.
#
# `agent` hears the numbers of slots and starts a nurse for each. A nurse is a session of its own: it keeps a shell
# waiting for its command, and tells outside how that ended. Its pipes lie in /run/nacre/<slot>, which nobody in here can
# change. Nobody outside believes more of what is said here than a number.

nacre_agent() { # $1: processes, $2: KiB of data of each, 0 for no limit; $3: whether somebody bridges to the network
  local slot hears=
  # What runs in the background is deaf to INT and QUIT, and so is all that it starts, unless somebody undoes it.
  ! env --default-signal=INT,QUIT true || hears='env --default-signal=INT,QUIT'
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
    $hears setsid bash --noprofile --norc /run/nacre-inside nurse "$slot" 3>&- &
  done
}

nacre_nurse() { # $1: slot; one command after the other, as long as nobody holds on to its pipes
  local word
  nacre_slot=/run/nacre/$1
  exec 9<>"$nacre_slot/answer" 8<>"$nacre_slot/request" 7<>"$nacre_slot/pipestatus"
  # Of a death by signal bash writes a line here, and none of an exit code: a pipe, for no file in here is ours alone.
  exec 2<<<''
  [[ -p /proc/self/fd/2 ]] || exec 2< <(echo)
  exec 2<>/proc/self/fd/2
  IFS= read -r -u 2
  while :; do
    nacre_tend
    # Until it was read: what is in a pipe is gone with the last who holds it.
    IFS= read -r -u 8 word
    IFS= read -r -u 8 word
    [[ $word == again ]] || exit
  done
}

nacre_tend() { # one command
  local pid status how=exited line statuses=
  set -m
  (nacre_wait_for_command 2>/dev/null) &
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

nacre_wait_for_command() {
  local length text
  IFS= read -r -u 8 length || exit 126
  # Bytes, not characters: so many were counted.
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
