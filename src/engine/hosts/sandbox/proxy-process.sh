# Stands in for a command inside a sandbox: a fork of the command's supervisor outside, told by the nurse inside how the
# command ended, and ends the same way. $nacre_named: the named pipes; the working directory: the run's own.
# The one who speaks in there may be anybody, so of what it says only plain numbers are taken.
trap '' HUP INT QUIT USR1 USR2 PIPE ALRM TERM TSTP TTIN TTOU VTALRM PROF IO PWR WINCH XCPU
ulimit -c 0
nacre_feeder= nacre_failed=

nacre_stop_feeding() { # whoever brings the input may wait for somebody to read it, and nobody will
  [[ -z $nacre_feeder ]] || nacre_signal_process KILL "$nacre_feeder" "$nacre_feeder_time"
}

nacre_lose() { # $1: why, for the supervisor
  nacre_stop_feeding
  printf '%s\n' "$1" >failed
  exit 126
}

nacre_is_number() { [[ $1 == [0-9] || $1 == [0-9][0-9] || $1 == [0-9][0-9][0-9] ]]; }

nacre_end_as() { # $1: exited or signaled, $2: with which, the rest: statuses of a last pipeline
  local how=$1 number=$2 status
  shift 2
  nacre_is_number "$number" || nacre_lose place
  for status; do nacre_is_number "$status" || set --; done
  [[ $# == 0 ]] || printf '%s ' "$@" >pipestatus
  nacre_stop_feeding
  printf 'read\n' >&5
  if [[ $how == signaled ]]; then
    trap - "$number"
    kill -"$number" "$BASHPID"
  fi
  exit "$number"
}

# Both ways first: opening one alone would wait for somebody at the other end.
exec 3<>"$nacre_named/answer" 4<"$nacre_named/answer" 3>&- 5<>"$nacre_named/request"
if [[ -n ${nacre_feeds-} ]]; then
  # Said explicitly: what runs in the background reads nothing by itself.
  cat <&0 >"$nacre_named/in" 3>&- 4<&- 5>&- &
  nacre_feeder=$!
  nacre_start_time "$nacre_feeder"
  nacre_feeder_time=$nacre_time
fi
exec </dev/null
while IFS=' ' read -r -n 400 -u 4 nacre_word nacre_how nacre_number nacre_rest; do
  case $nacre_word in
    failed) nacre_failed=1 ;;
    # All of what is said of one command is read here: the next one begins where this one stopped.
    ended) [[ -z $nacre_failed ]] || { printf 'read\n' >&5; nacre_lose cwd; }; nacre_end_as "$nacre_how" "$nacre_number" $nacre_rest ;;
  esac
done
nacre_lose place
