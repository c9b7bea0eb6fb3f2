# Proxy process of a command in a sandbox, sourced by a fork of the supervisor outside. The slot runner inside reports the
# exit status, and this process exits in the same way. The working directory is the run directory.
#
# nacre_named is the directory with the named pipes of the slot. Descriptors: 4 answer, 5 request. Lines of answer:
# "failed cwd 0", "ended exited|signaled NUMBER [STATUS...]". The sender is untrusted, so only numbers are accepted.
trap '' HUP INT QUIT USR1 USR2 PIPE ALRM TERM TSTP TTIN TTOU VTALRM PROF IO PWR WINCH XCPU
ulimit -c 0
nacre_input_pid= nacre_failed=

nacre_stop_input() { # kills the process that forwards input, which would wait for a reader forever
  [[ -z $nacre_input_pid ]] || nacre_signal_process KILL "$nacre_input_pid" "$nacre_input_time"
}

nacre_fail_run() { # $1: the reason for the supervisor
  nacre_stop_input
  printf '%s\n' "$1" >failed
  exit 126
}

nacre_is_number() { # whether $1 has one to three digits
  [[ $1 == [0-9] || $1 == [0-9][0-9] || $1 == [0-9][0-9][0-9] ]]
}

nacre_exit_as() { # $1: exited or signaled, $2: exit code or signal, the rest: statuses of the last pipeline
  local how=$1 number=$2 status
  shift 2
  nacre_is_number "$number" || nacre_fail_run place
  for status; do nacre_is_number "$status" || set --; done
  [[ $# == 0 ]] || printf '%s ' "$@" >pipestatus
  nacre_stop_input
  printf 'read\n' >&5
  if [[ $how == signaled ]]; then
    trap - "$number"
    kill -"$number" "$BASHPID"
  fi
  exit "$number"
}

# Opened for reading and writing first: open(2) of one end would block until the other is open.
exec 3<>"$nacre_named/answer" 4<"$nacre_named/answer" 3>&- 5<>"$nacre_named/request"
if [[ -n ${nacre_feeds-} ]]; then
  # `<&0`, because background processes otherwise read /dev/null.
  cat <&0 >"$nacre_named/in" 3>&- 4<&- 5>&- &
  nacre_input_pid=$!
  nacre_start_time "$nacre_input_pid"
  nacre_input_time=$nacre_time
fi
exec </dev/null
while IFS=' ' read -r -n 400 -u 4 nacre_word nacre_how nacre_number nacre_rest; do
  case $nacre_word in
    failed) nacre_failed=1 ;;
    # All lines of one command are read, so that the next command starts with an empty pipe.
    ended) [[ -z $nacre_failed ]] || { printf 'read\n' >&5; nacre_fail_run cwd; }; nacre_exit_as "$nacre_how" "$nacre_number" $nacre_rest ;;
  esac
done
nacre_fail_run place
