# Proxy process of a command on a remote host, sourced by a fork of the local supervisor. It starts the remote command
# exactly once, receives its output, forwards signals and input, and exits with the same status or signal. After a lost
# connection it continues where the output stopped. docs/decisions/0010-hosts.md describes the protocol.
#
# Settings: nacre_client is the command line that connects to a remote bash, nacre_remote_agent_script the script that is
# sent to it, nacre_opens an optional script that replaces nacre_remote_open. The working directory is the run directory.
# Its files: far (the part that only a start needs), far.state (started PID, or failed REASON), far.why (error text),
# far.unsure (the start may have happened), far.names (leftover processes), far.gaps (lost bytes), far.before and far.after
# (shell dump), far.in (spooled input), far.fed (input offset), far.cut (input was lost), far.signal (signal to forward).
# Remote data is never evaluated.
#
# Descriptors: 7 input of the command, 8 output of one connection, 9 and 10 report lines of a connection, 11 stdout and
# 12 stderr of the run, 13 the request.

nacre_remote_render_request() { # prints the script for task $1 on stream $2, with $3 bytes received, and words $4
  local LC_ALL=C body
  body="nacre_task=$1 nacre_id=${nacre_remote_id:-$nacre_id} nacre_stream=$2 nacre_from=$3 nacre_words=${4@Q} nacre_feeds=$nacre_remote_input_kind nacre_follow=$nacre_remote_follows_leftovers nacre_at=$nacre_remote_place"$'\n'
  if [[ $1 == start ]]; then
    body+="nacre_array=${nacre_array-}"$'\n'
    # A later connection sends the input.
    ! nacre_remote_is_queued start || body+=$'nacre_unfed=1\n'
    body+=$(<far)$'\n'"nacre_exports=${NACRE_FAR_EXPORTS@Q}"$'\n'
    body+="nacre_supervisor=${nacre_remote_supervisor_text@Q}"$'\n'"nacre_later_text=${nacre_remote_unattended_text@Q}"$'\n'
  fi
  [[ -z $nacre_remote_input_kind && $1 != finish ]] || body+=$nacre_remote_input_text$'\n'
  body+=$nacre_remote_agent_text
  printf '%s %s nacre_text && eval "$nacre_text"\n%s' "$nacre_remote_read_command" "${#body}" "$body"
}

nacre_remote_is_queued() { # whether task $1 only submits a job to a queue
  [[ $1 == start && -n ${nacre_queues-} && ( $nacre_watch == nobody || -z $nacre_remote_place ) ]]
}

nacre_remote_connect() { # arguments as above; output goes to descriptor 8, report lines go to stdout
  local feeds= line status
  [[ $2 != out ]] || nacre_remote_is_queued "$1" || feeds=$nacre_remote_input_kind
  [[ -z $feeds ]] || : >far.feeder >far.fed
  exec 9>&1
  exec 13< <(
    exec 8>&- 9>&- 10<&- 2>/dev/null
    [[ -z $feeds ]] || { nacre_start_time "$BASHPID"; printf '%s %s\n' "$BASHPID" "$nacre_time" >far.feeder; }
    nacre_remote_render_request "$@"
    [[ -z $feeds ]] || nacre_remote_forward_input
  )
  nacre_remote_open "$1" <&13 2>&9 8>&- 9>&- 13<&- | nacre_remote_forward_output "$feeds" 13<&-
  status=${PIPESTATUS[0]}
  # The remote side did not read the script, so it cannot have run it. On a busy machine the script may still be
  # being written: its first line or the end of the pipe arrives in any case.
  if [[ $1 == start ]] && IFS= read -r -t 20 -u 13 line && [[ $line == "$nacre_remote_read_command "* ]]; then status=untouched; fi
  printf 'left %s\n' "$status" >&9
  exec 13<&-
}

nacre_remote_run_exists() { [[ -e ending ]]; } # fails when the run directory was removed

nacre_remote_forward_input() { # sends input once the remote side asks for it: open input from the requested offset, other input as it comes
  until [[ -s far.fed ]]; do nacre_remote_run_exists || exit; sleep 0.02; done
  [[ $nacre_remote_input_kind == open ]] || exec cat <&7
  exec tail -c "+$(($(<far.fed) + 1))" -s 0.02 -f --pid="$nacre_remote_spooler_pid" -- far.in 7<&-
}

nacre_remote_spool_input() { # stores open input in far.in; reports its end in a task of its own, because EOF may also be a lost connection
  cat <&7 >far.in
  until nacre_remote_load_place; nacre_remote_input_kind= nacre_remote_render_request finish out 0 "$(($(wc -c <far.in)))" | nacre_remote_open_silently finish; do
    nacre_remote_run_exists && kill -0 "$nacre_remote_self" || return
    sleep 1
  done
}

nacre_remote_forward_output() { # copies output to descriptor 8 and reports the number of bytes; $1 is set if this connection sends input
  local report
  report=$(LC_ALL=C dd bs=65536 2>&1 >&8 7<&- 9>&-)
  # The connection is over: the process that sends input would not notice while it waits for input.
  if [[ -n $1 ]]; then
    until [[ -s far.feeder ]]; do nacre_remote_run_exists || exit; sleep 0.01; done
    nacre_signal_process KILL $(<far.feeder)
  fi
  report=${report##*$'\n'}
  printf 'received %s\n' "${report%% *}" >&9
}

nacre_remote_is_number() { # whether $1 is a decimal number
  [[ -n $1 && $1 != *[!0-9]* && ${#1} -lt 16 ]]
}

nacre_remote_fail() { # ends the run as failed: $1 is the reason for the supervisor, $2 the text for the result
  printf '%s\n' "$2" >far.why
  [[ -e far.state ]] || { printf 'failed %s\n' "$1" >far.new && mv far.new far.state; }
  printf '%s\n' "$1" >failed
  exit 126
}

nacre_remote_handle_line() { # handles one report line of a connection
  local line=$1 value=${1##* }
  case $line in
    'nacre started '*)
      nacre_remote_is_number "$value" || return
      nacre_remote_task=attach nacre_remote_tries=0
      [[ -e far.state ]] || { printf 'started %s\n' "$value" >far.new && mv far.new far.state; }
      ;;
    'nacre total '*) ! nacre_remote_is_number "$value" || nacre_remote_total=$value ;;
    'nacre gap '*) ! nacre_remote_is_number "$value" || { ((nacre_remote_received += value)); printf '%s\n' "$value" >>far.gaps; } ;;
    'nacre pipe '*) line=${line#nacre pipe } && [[ $line == *[!0-9\ ]* ]] || printf '%s' "$line" >pipestatus ;;
    'nacre shell before' | 'nacre shell after') : >"far.$value" ;;
    'nacre shell before '* | 'nacre shell after '*) nacre_remote_store_dump_line "$line" ;;
    'nacre fed '*) ! nacre_remote_is_number "$value" || printf '%s\n' "$value" >far.fed ;;
    'nacre taken') nacre_remote_input_kind= ;;
    'nacre cut') : >far.cut ;;
    'nacre behind '* | 'nacre survivors '* | 'nacre ends '*) printf '%s\n' "${line#nacre }" >>far.names ;;
    'nacre ended '*) nacre_remote_exit_line=${line#nacre ended } ;;
    'nacre failed '*) nacre_remote_failure=${line#nacre failed } ;;
    'nacre place '*) [[ $value == *[!0-9a-f-]* ]] || nacre_remote_other_place=$value ;;
    'nacre refused') nacre_remote_status=untouched ;;
    'left '*) [[ $nacre_remote_status == untouched ]] || nacre_remote_status=$value ;;
    'received '*) ! nacre_remote_is_number "$value" || ((nacre_remote_received += value)) ;;
    nacre*) ;;
    *) nacre_remote_last_error=$line nacre_remote_error=$line ;;
  esac
}

nacre_remote_store_dump_line() { # appends one base64 line of a shell dump
  local letters=${1#nacre shell * } name=${1#nacre shell }
  [[ $letters != *[!A-Za-z0-9+/=]* ]] && ((++nacre_remote_dump_lines < 9000)) || return
  printf '%s\n' "$letters" >>"far.${name%% *}"
}

nacre_remote_receive_stream() { # receives stream $1 completely into descriptor $2, with $3 as the first task
  local line
  nacre_remote_task=$3 nacre_remote_received=0 nacre_remote_tries=0 nacre_remote_last_error= nacre_remote_failure= nacre_remote_moves=0
  [[ -z $nacre_remote_follows_leftovers ]] || nacre_remote_received=$nacre_remote_total
  while :; do
    nacre_remote_total= nacre_remote_exit_line= nacre_remote_other_place= nacre_remote_status= nacre_remote_error=
    exec 10< <(exec 8>&"$2" 10<&- 11>&- 12>&-; nacre_remote_connect "$nacre_remote_task" "$1" "$nacre_remote_received" '')
    while IFS= read -r -n 4000 -u 10 line; do nacre_remote_handle_line "$line"; done
    exec 10<&-
    [[ -z $nacre_remote_failure ]] || nacre_remote_fail_with_reason
    [[ -z $nacre_remote_exit_line || $nacre_remote_total != "$nacre_remote_received" ]] || return 0
    if [[ -n $nacre_remote_other_place ]] && nacre_remote_adopt_place; then continue; fi
    nacre_remote_retry
  done
}

nacre_remote_mark_unsure() { # the command may have started, so it must not run on another host
  [[ -e far.state ]] || { printf 'failed unsure\n' >far.new && mv far.new far.state; }
}

nacre_remote_fail_with_reason() { # ends the run with the text for $nacre_remote_failure
  case $nacre_remote_failure in
    cwd) nacre_remote_fail cwd 'the working directory could not be entered' ;;
    exec) nacre_remote_fail exec 'the shell could not be started on the remote host' ;;
    store) nacre_remote_fail place 'no run directory could be created on the remote host' ;;
    restarted) nacre_remote_mark_unsure; nacre_remote_fail place 'the machine was restarted' ;;
    *) nacre_remote_mark_unsure; nacre_remote_fail place 'the run no longer exists on the remote host' ;;
  esac
}

nacre_remote_retry() { # the connection ended before the run: waits before the next one, or gives up
  ((++nacre_remote_tries))
  # The run directory was removed, or the main proxy process was killed.
  [[ -e ending ]] || exit 126
  [[ -n $nacre_remote_follows_leftovers ]] || kill -0 "$nacre_remote_self" 2>/dev/null || exit 126
  # Input in transit is lost and the command has seen EOF, so sending cannot continue.
  [[ $nacre_remote_input_kind != once || ! -s far.fed ]] || { nacre_remote_input_kind=; : >far.cut; }
  [[ $nacre_remote_task != start ]] || nacre_remote_check_start
  sleep "$((nacre_remote_tries < 10 ? nacre_remote_tries / 5 : 5)).2"
}

nacre_remote_adopt_place() { # another place answered and ran nothing: uses it from now on, unless the command may have started elsewhere
  [[ $nacre_remote_task == start && -z $nacre_remote_unsure$nacre_remote_stopping ]] && ((++nacre_remote_moves < 5)) || {
    nacre_remote_last_error='another machine, or another container, answers by this name'
    [[ $nacre_remote_task == start ]] || ((nacre_remote_tries < 5)) || nacre_remote_fail place "$nacre_remote_last_error"
    nacre_remote_status=untouched
    return 1
  }
  nacre_remote_place=$nacre_remote_other_place
  [[ -d ${nacre_remote_place_file%/*} ]] || mkdir -p -m 700 -- "${nacre_remote_place_file%/*}"
  printf '%s\n' "$nacre_remote_place" >"$nacre_remote_place_file.$BASHPID" && mv -f -- "$nacre_remote_place_file.$BASHPID" "$nacre_remote_place_file"
  return 0
}

nacre_remote_check_start() { # a start failed: records whether the command may have started, and gives up if a retry is pointless
  local most=4
  # 126 and 127: there is no shell, so nothing ran.
  case $nacre_remote_status in untouched | 126 | 127) ;; *) nacre_remote_unsure=1 && : >far.unsure ;; esac
  if [[ -n $nacre_remote_unsure ]]; then
    # Retried until the place answers: there a second start finds the first.
    most=${nacre_remote_max_tries:-12}
  else
    # Permanent errors are reported at once.
    case $nacre_remote_status-$nacre_remote_error in
      12[67]-* | *denied* | *'not resolve'* | *'Cannot connect'* | *refused* | *'verification failed'* | *'No such'* | *'not found'* | *'not running'* | *'Name or service'* | *[Ii]nvalid* | *fatal:*) most=0 ;;
      # Each timeout took 15 seconds.
      *'timed out'*) most=2 ;;
    esac
  fi
  ! ((nacre_remote_tries < most)) || [[ -n $nacre_remote_stopping ]] || return
  [[ -z $nacre_remote_unsure ]] || nacre_remote_mark_unsure
  nacre_remote_fail unreachable "${nacre_remote_last_error:-the connection ended without an error message}"
}

nacre_remote_send() { # sends task $1 with words $2 in the background, and retries until it arrives
  local tries nacre_remote_words=$2
  (
    trap '' TERM INT HUP USR2 QUIT
    for tries in 0.1 0.2 0.5 1 2 5 5 5 5 5; do
      [[ -n $nacre_remote_place ]] || nacre_remote_load_place
      nacre_remote_input_kind= nacre_remote_render_request "$1" out 0 "$2" | nacre_remote_open_silently "$1" && break
      sleep "$tries"
    done
  ) </dev/null &
}

nacre_remote_load_place() { # reads the last known place of this host into nacre_remote_place
  nacre_remote_place=
  [[ ! -s $nacre_remote_place_file ]] || IFS= read -r nacre_remote_place <"$nacre_remote_place_file"
  [[ $nacre_remote_place != *[!0-9a-f-]* ]] || nacre_remote_place=
}

nacre_remote_stop() { # sends task $1 with words $2; a command that has not started will not start
  nacre_remote_stopping=1
  nacre_remote_send "$1" "$2"
}

nacre_remote_open() { "${nacre_client[@]}"; } # connects; $1 is the task, which a replacement of this function may need

nacre_remote_open_silently() { # connects for task $1 without output
  nacre_remote_open "$1" >/dev/null 2>&1 7<&- 8>&- 10<&- 11>&- 12>&-
}

nacre_remote_forward_signal() { # sends the signal that far.signal names, or `release`
  local word
  IFS= read -r word <far.signal || return
  if [[ $word == release ]]; then nacre_remote_send say release; else nacre_remote_send signal "$word"; fi
}

nacre_remote_exit() { # exits with the status or signal of the remote command
  local how number why rest
  read -r how number why rest <<<"$nacre_remote_exit_line"
  # The remote supervisor stopped it: the local supervisor copies the reason into the exit record.
  case $why in timeout | output_limit) [[ -e reason ]] || printf '%s\n' "$why" >reason ;; esac
  [[ $how != failed ]] || { nacre_remote_failure=$number; nacre_remote_fail_with_reason; }
  nacre_remote_is_number "$number" || nacre_remote_fail place 'the remote host sent an invalid exit status'
  [[ -z $nacre_remote_spooler_pid ]] || nacre_signal_process KILL "$nacre_remote_spooler_pid" "$nacre_remote_spooler_time"
  [[ ! -e far.names ]] || nacre_remote_follow_leftovers
  ulimit -c 0
  if [[ $how == signaled ]]; then
    trap - "$number"
    kill -"$number" "$BASHPID"
  fi
  [[ $how == exited ]] || nacre_remote_fail place 'the remote host does not know the exit status'
  exit "$number"
}

nacre_remote_follow_leftovers() { # keeps a process that receives the output of leftover processes and can stop them
  grep -q '^behind ' far.names || return
  (
    trap 'nacre_remote_send kill TERM' TERM INT HUP
    trap 'nacre_remote_send kill KILL' QUIT
    nacre_remote_follows_leftovers=1 nacre_remote_input_kind=
    nacre_remote_receive_stream out 11 attach
  ) &
}

trap 'nacre_remote_stop say "stop kill"' TERM INT HUP
trap 'nacre_remote_stop kill KILL' QUIT
trap nacre_remote_forward_signal USR2
trap '' USR1 PIPE TSTP TTIN TTOU
nacre_remote_agent_text=$(<"$nacre_remote_agent_script") nacre_remote_input_text=$(<"${nacre_remote_agent_script%.sh}-input.sh")
nacre_remote_supervisor_text=$(<"$nacre_remote_script_directory/supervisor.sh") nacre_remote_unattended_text=$(<"$nacre_remote_script_directory/supervisor-unattended.sh")
nacre_remote_input_kind= nacre_remote_follows_leftovers= nacre_remote_dump_lines=0 nacre_remote_spooler_pid= nacre_remote_unsure= nacre_remote_stopping= nacre_remote_self=$BASHPID
nacre_remote_read_command='LC_ALL=C IFS= read -r -N'
nacre_remote_load_place
[[ -z ${nacre_opens-} ]] || . "$nacre_opens"
# Separate descriptors: in a pipeline 1 is the pipe, and nothing of this script may go to the output of the run.
exec 7<&0 11>&1 12>&2 </dev/null >/dev/null 2>&1
if [[ -n ${nacre_feeds-} && $nacre_input == - ]]; then
  nacre_remote_input_kind=once
elif [[ -n ${nacre_feeds-} ]]; then
  : >far.in
  nacre_remote_input_kind=open
  nacre_remote_spool_input 11>&- 12>&- &
  nacre_remote_spooler_pid=$!
  nacre_start_time "$nacre_remote_spooler_pid"
  nacre_remote_spooler_time=$nacre_time
  exec 7<&-
fi
nacre_remote_err_pid=
if [[ $nacre_streams == apart ]]; then
  (
    while [[ ! -e far.state && -e ending ]]; do sleep 0.02; done
    read -r nacre_remote_state _ <far.state
    # The start may have changed the place.
    nacre_remote_load_place
    [[ $nacre_remote_state != started ]] || nacre_remote_input_kind= nacre_remote_receive_stream err 12 attach
  ) &
  nacre_remote_err_pid=$!
fi
nacre_remote_receive_stream out 11 start
[[ -z $nacre_remote_err_pid ]] || wait "$nacre_remote_err_pid"
nacre_remote_exit
