# Runs on the remote host, sent by remote-client.sh to a plain bash. stdout is the output of the run and nothing else;
# report lines go to stderr and start with "nacre". docs/decisions/0010-hosts.md describes the protocol.
#
# Request: nacre_task (start, attach, say, signal, kill, finish or clear), nacre_id (the run), nacre_stream (out or err),
# nacre_from (received bytes), nacre_words (argument of the task), nacre_at (id of the place where the run belongs),
# nacre_feeds (open or once: the connection carries input), nacre_follow (set: receive output of leftover processes).
#
# Report lines: started PID, fed OFFSET, taken, cut, gap BYTES, total BYTES, pipe STATUS..., shell before|after BASE64,
# behind|survivors|ends PID COMMAND, ended EXIT, failed REASON, place ID.

nacre_base=${XDG_STATE_HOME:-${HOME:-/tmp}/.local/state}
[[ $nacre_base == /* && $nacre_base != *[\'\"\\]* ]] || nacre_base=/tmp/nacre-$UID
nacre_base+=/nacre/far
# All tasks of an array get the same script.
[[ -z ${nacre_array-} || -z ${SLURM_ARRAY_TASK_ID-} ]] || nacre_id=${nacre_array}t$SLURM_ARRAY_TASK_ID
nacre_dir=$nacre_base/$nacre_id
nacre_follow=${nacre_follow-}

nacre_report() { # prints a report line
  printf 'nacre %s\n' "$*" >&2
}

nacre_fail() { # $1: the reason
  nacre_report failed "$@"
  exit 1
}

nacre_pause() { # waits $1 seconds without a process
  IFS= read -r -t "$1" -u 7
}

nacre_check_place() { # exits unless this is the requested place: a retry must reach the same directory, even if the host name moved
  local mark
  # The umask stays that of the user, because the command inherits it; the directory is private instead.
  [[ -d $nacre_base ]] || mkdir -p -m 700 -- "$nacre_base" || nacre_fail store
  if ! IFS= read -r mark 2>/dev/null <"$nacre_base/place"; then
    mark=$(cat /proc/sys/kernel/random/uuid 2>/dev/null) || mark=$EPOCHSECONDS-$RANDOM-$RANDOM-$RANDOM-$BASHPID
    printf '%s\n' "$mark" >"$nacre_base/place.$BASHPID"
    # link(2) publishes the whole file, and only for the first of several processes.
    ln -- "$nacre_base/place.$BASHPID" "$nacre_base/place" 2>/dev/null || mv -n -- "$nacre_base/place.$BASHPID" "$nacre_base/place"
    rm -f -- "$nacre_base/place.$BASHPID"
    IFS= read -r mark <"$nacre_base/place" || nacre_fail store
  fi
  [[ $mark == "$nacre_at" ]] || { nacre_report place "$mark"; exit 3; }
}

nacre_prevent_start() { # creates a directory that makes a later start of this run fail
  mkdir -m 700 -- "$nacre_dir" 2>/dev/null && printf 'void\n' >"$nacre_dir/failed"
}

nacre_is_other_process() { # whether process $1 did not start at time $2; pids are reused, for example after a container restart
  local line
  IFS= read -r line <"/proc/$1/stat" || return
  set -- "$2" ${line##*) }
  [[ $1 != [1-9]* || $1 != "${21}" ]]
} 2>/dev/null

nacre_is_alive() { # whether process $1 with start time $2 is alive; a zombie is not
  local line
  if IFS= read -r line <"/proc/$1/stat"; then
    line=${line##*) }
    [[ $line != [ZX]* ]] && { [[ ${2:-0} == 0 ]] || ! nacre_is_other_process "$1" "$2"; }
  else
    [[ ! -e /proc/self/stat ]] && kill -0 "$1"
  fi
} 2>/dev/null

nacre_read_processes() { # reads the file who into nacre_supervisor_pid, nacre_command_pid and nacre_boot; fails until it is complete
  local word first time
  nacre_supervisor_pid= nacre_command_pid= nacre_boot=
  [[ -e who ]] || return
  while read -r word first time _; do
    case $word in
      supervisor) nacre_supervisor_pid=$first nacre_supervisor_time=${time:-0} ;;
      command) nacre_command_pid=$first nacre_command_time=${time:-0} ;;
      boot) nacre_boot=${first:-none} ;;
    esac
  done <who
  [[ -n $nacre_boot ]]
}

nacre_start() { # starts the command; a second start finds the directory and only attaches
  local tries=0
  case $nacre_where in '~' | '~/'*) nacre_where=$HOME${nacre_where:1} ;; esac
  [[ -d $nacre_where && -x $nacre_where ]] || nacre_fail cwd
  if ! mkdir -m 700 -- "$nacre_dir" 2>/dev/null; then
    [[ -d $nacre_dir ]] || nacre_fail store
    return
  fi
  nacre_clear_abandoned
  cd -- "$nacre_dir" || nacre_fail store
  mkfifo control || nacre_fail store
  printf '%s' "$nacre_supervisor" >supervisor
  printf '%s' "$nacre_later_text" >later
  printf '%s\n' "${nacre_spec//@NACRE_DIRECTORY@/$nacre_dir}" "nacre_boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)" "nacre_id=$nacre_id" >spec
  [[ -z ${nacre_preamble-} ]] || printf '%s' "${nacre_preamble//@NACRE_DIRECTORY@/$nacre_dir}" >preamble
  [[ -z ${nacre_long-} ]] || printf '%s' "$nacre_long" >command
  [[ -z ${nacre_stdin+set} ]] || printf '%s' "$nacre_stdin" >stdin
  printf '%-250s.\n' running >ending
  # With job control, because other background processes ignore INT and QUIT, and their children inherit that.
  set -m
  (
    unset nacre_supervisor nacre_later_text nacre_spec nacre_preamble nacre_long nacre_stdin
    eval "$nacre_exports"
    unset nacre_exports
    exec 3<>control 4<supervisor 5<later 7<&- </dev/null >/dev/null 2>&1
    # With these variables bash reads ~/.bashrc instead of BASH_ENV.
    unset SSH_CLIENT SSH2_CLIENT
    nacre_leader=
    if command -v setsid >/dev/null; then nacre_leader=setsid; else trap '' HUP; fi
    exec $nacre_leader bash --noprofile --norc -c 'exec -a nacre bash --noprofile --norc /dev/fd/4'
  ) &
  set +m
  [[ ${nacre_feeds-} != open ]] || { : >input; nacre_write_input 6>&- </dev/null >/dev/null & }
  until nacre_read_processes || [[ -s failed ]]; do ((++tries < 30000)) && [[ -e ending ]] || nacre_fail lost; nacre_pause 0.002; done
  ! [[ -s failed ]] || { nacre_pause 0.05; nacre_fail "$(<failed)"; }
}

nacre_read_state() { # sets nacre_state_line to the exit record; empty while the command runs
  nacre_state_line=
  IFS= read -r nacre_state_line <"$nacre_dir/ending" || nacre_state_line=
  [[ $nacre_state_line == *. ]] || nacre_state_line=running
  nacre_state_line=${nacre_state_line%.}
  nacre_state_line=${nacre_state_line%"${nacre_state_line##*[! ]}"}
  [[ $nacre_state_line != running ]] || nacre_state_line=
}

nacre_is_over() { # whether the command has ended; with nacre_follow: whether its leftover processes have ended
  [[ -e $nacre_dir/ending ]] || return 0
  nacre_read_state
  [[ -n $nacre_state_line ]] || { nacre_is_lost; return; }
  [[ -z $nacre_follow ]] || ! nacre_is_alive "$nacre_supervisor_pid" "$nacre_supervisor_time"
}

nacre_is_lost() { # whether the supervisor is gone; sets nacre_state_line to its exit record, if it wrote one
  ! nacre_is_alive "$nacre_supervisor_pid" "$nacre_supervisor_time" || return
  nacre_pause 0.3
  nacre_read_state
  return 0
}

nacre_attach() { # sends the output of the run until it is over, then its exit status
  local tries size nacre_input_pid=
  # A cluster reports a job as running before its script has created the directory.
  case ${SLURM_JOB_ID:-over} in over) ;; *) for ((tries = 0; tries < 3000; tries++)); do [[ ! -d $nacre_dir ]] || break; nacre_pause 0.01; done ;; esac
  cd -- "$nacre_dir" 2>/dev/null || nacre_fail lost
  # On a busy machine the supervisor may take long to start.
  for ((tries = 0; tries < 3000; tries++)); do ! nacre_read_processes && [[ ! -s failed ]] || break; nacre_pause 0.01; done
  [[ ! -e failed ]] || nacre_fail "$(<failed)"
  nacre_read_processes || nacre_fail lost
  nacre_report started "$nacre_command_pid"
  nacre_check_boot
  [[ -z ${nacre_feeds-} || -n ${nacre_unfed-} ]] || nacre_receive_input
  exec </dev/null
  # Most commands are short: their output is sent at once when they are over.
  for ((tries = 0; tries < 40; tries++)); do nacre_is_over && break; nacre_pause 0.003; done
  nacre_send_output
  nacre_read_state
  [[ -n $nacre_state_line ]] || nacre_fail lost
  nacre_report total "$nacre_from"
  nacre_await_leftovers
  [[ ! -e pipestatus ]] || nacre_report pipe $(<pipestatus)
  [[ ! -e shell.after || $nacre_stream != out || -n $nacre_follow ]] || nacre_report_shell
  # A cluster stops leftover processes with the job.
  if [[ -z ${SLURM_JOB_ID-} ]]; then nacre_report_processes behind; else nacre_report_processes behind ends; fi
  nacre_report_processes survivors
  nacre_report ended "$nacre_state_line"
  [[ -z $nacre_input_pid ]] || kill "$nacre_input_pid" 2>/dev/null
}

nacre_report_shell() { # reports the shell dumps in base64
  local name line
  for name in before after; do
    nacre_report shell "$name"
    while IFS= read -r line; do nacre_report shell "$name" "$line"; done < <(head -c 8388608 "shell.$name" | base64 -w 3000)
  done
}

nacre_await_leftovers() { # waits until the supervisor has listed leftover processes or has exited
  local tries
  for ((tries = 0; tries < 400; tries++)); do
    [[ ! -s behind ]] || return
    nacre_is_alive "$nacre_supervisor_pid" "$nacre_supervisor_time" || return 0
    nacre_pause 0.003
  done
}

nacre_report_processes() { # reports the command lines of the processes in file $1, as lines of type $2 (default $1)
  local pid words
  [[ -s $1 && ${SLURM_JOB_ID-} != over ]] || return
  while read -r pid; do
    [[ $pid != *[!0-9]* ]] || continue
    words=$(tr '\0\n' '  ' <"/proc/$pid/cmdline" 2>/dev/null) || continue
    # A process that has just exited has no command line.
    [[ -z ${words// } ]] || nacre_report "${2:-$1}" "$pid" "${words:0:200}"
  done <"$1"
}

nacre_check_boot() { # fails if the machine was restarted during the run, or the supervisor is gone
  local now
  now=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
  nacre_read_state
  [[ -z $nacre_state_line ]] || return
  [[ $nacre_boot == "${now:-none}" ]] || nacre_fail restarted
  nacre_is_alive "$nacre_supervisor_pid" "$nacre_supervisor_time" || { nacre_pause 0.3; nacre_read_state; [[ -n $nacre_state_line ]] || nacre_fail lost; }
}

nacre_find_segment() { # sets nacre_segment and nacre_segment_start to the file with byte $nacre_from, nacre_next_segment to the next offset
  local name offset best=
  nacre_segment=$nacre_stream nacre_segment_start=0
  for name in "$nacre_stream".[0-9]*; do
    offset=${name##*.}
    [[ $offset != *[!0-9]* ]] || continue
    if ((offset <= nacre_from && offset >= nacre_segment_start)); then nacre_segment=$name nacre_segment_start=$offset; fi
    if ((offset > nacre_from)) && [[ -z $best || $offset -lt $best ]]; then best=$offset; fi
  done
  nacre_next_segment=$best
}

nacre_send_output() { # sends the output from byte $nacre_from until the run is over
  local size watcher
  while :; do
    nacre_find_segment
    if [[ -z $nacre_next_segment ]] && ! nacre_is_over; then
      # tail follows the file until this process exits.
      nacre_await_end &
      watcher=$!
      if [[ -e $nacre_segment ]]; then
        size=$(tail -c "+$((nacre_from - nacre_segment_start + 1))" -s 0.02 -f --pid="$watcher" -- "$nacre_segment" | nacre_forward_output) || exit
        ((nacre_from += size))
      else
        wait "$watcher"
      fi
      continue
    fi
    if [[ -e $nacre_segment ]]; then
      size=$(tail -c "+$((nacre_from - nacre_segment_start + 1))" -- "$nacre_segment" | nacre_forward_output) || exit
      ((nacre_from += size))
    fi
    [[ -n $nacre_next_segment ]] || return 0
    if ((nacre_next_segment > nacre_from)); then
      nacre_report gap "$((nacre_next_segment - nacre_from))"
      nacre_from=$nacre_next_segment
    fi
  done
}

nacre_forward_output() { # copies stdin to descriptor 6 and prints the number of bytes
  local line
  line=$(LC_ALL=C dd bs=65536 2>&1 >&6) || return
  line=${line##*$'\n'}
  printf '%s' "${line%% *}"
}

nacre_await_end() { # returns when the run is over or the next segment exists
  local tries=0
  exec 6>&-
  while ! nacre_is_over; do
    # The interval delays only the end of the run, not its output.
    if ((++tries < 200)); then nacre_pause 0.02; else nacre_pause 0.1; fi
    nacre_find_segment
    [[ -z $nacre_next_segment ]] || return
  done
}

nacre_say() { # sends $nacre_words as a line to the supervisor
  cd -- "$nacre_dir" 2>/dev/null || { [[ $nacre_words == stop* ]] && nacre_prevent_start; return; }
  nacre_read_state
  [[ -n $nacre_state_line ]] || printf '%s\n' "$nacre_words" 1<>control
}

nacre_signal() { # sends signal $nacre_words to the process group of the command
  cd -- "$nacre_dir" 2>/dev/null || return
  nacre_read_processes || return
  nacre_read_state
  [[ -n $nacre_state_line ]] || nacre_is_other_process "$nacre_command_pid" "$nacre_command_time" || kill -s "$nacre_words" -- "-$nacre_command_pid"
}

nacre_kill() { # sends signal $nacre_words to all processes of the run, including leftover ones
  local file found= line pid
  cd -- "$nacre_dir" 2>/dev/null || { nacre_prevent_start; return; }
  nacre_read_processes || return
  nacre_is_other_process "$nacre_supervisor_pid" "$nacre_supervisor_time" || for file in /proc/[0-9]*/stat; do
    IFS= read -r line <"$file" || continue
    pid=${line%% *} line=${line##*) }
    set -- $line
    if (($4 == nacre_supervisor_pid && $3 != nacre_supervisor_pid)); then found+=" $pid"; fi
  done
  for file in $(grep -lzx -- "NACRE_RUN_ID=$nacre_id" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    found+=" ${pid%/environ}"
  done
  [[ -z $found ]] || kill -s "$nacre_words" -- $found
} 2>/dev/null

nacre_clear_abandoned() { # removes runs older than two days
  local id now
  printf -v now '%(%s)T' -1
  for id in "$nacre_base"/*; do
    id=${id##*/}
    [[ ${#id} -gt 13 && $id != *[!0-9a-z]* ]] || continue
    ((now - 36#${id:0:8} / 1000 < 172800)) || nacre_words=$id nacre_clear
  done
}

nacre_clear() { # removes the finished runs in $nacre_words, file by file
  local id file
  for id in $nacre_words; do
    [[ $id != *[!0-9a-z]* && -d $nacre_base/$id ]] || continue
    cd -- "$nacre_base/$id" || continue
    nacre_read_processes
    # Leftover processes still write output.
    ! nacre_is_alive "$nacre_supervisor_pid" "$nacre_supervisor_time" || continue
    for file in *; do [[ -d $file ]] || rm -- "$file"; done
    cd / && rmdir -- "$nacre_base/$id"
  done
} 2>/dev/null

# Descriptors: 6 output of the run, 7 an empty pipe (reading it with a timeout is a sleep).
exec 6>&1 7<<<''
[[ -p /proc/self/fd/7 ]] || exec 7< <(echo)
exec 7<>/proc/self/fd/7
IFS= read -r -u 7
[[ $nacre_task == clear ]] || nacre_check_place
case $nacre_task in
  start) nacre_start && nacre_attach ;;
  *) "nacre_$nacre_task" ;;
esac
exit
