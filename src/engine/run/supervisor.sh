# The parent of one command. docs/decisions/0001-supervisor.md describes its protocol and guarantees.
#
# It is started in the run directory as leader of its own session. Descriptors:
#   3        the caller (duplex, lines)
#   4        this script; in the listener the command's input, if it stays open
#   5        supervisor-unattended.sh, held open because the package may be removed while the command runs
#   6 and 7  the ends of the output pipe
#   8 and 9  the ends of the stderr pipe, when stderr is separate
# The supervisor makes the pipes, so that they outlive the caller. All names begin with nacre_: the rest of the
# environment belongs to the command.
exec 4<&-
shopt -s execfail

nacre_open_pipe() { # $1, $2: descriptors for reading and writing, $3: name of the stream
  if [[ -n ${nacre_named-} ]]; then
    # Both ends first: opening one end alone blocks until the other is opened.
    eval "exec $1<>\"\$nacre_named/\$3\" $2>\"\$nacre_named/\$3\" $1<\"\$nacre_named/\$3\""
    nacre_pipes+="pipe $3 /proc/$nacre_self/fd/$1"$'\n'
  elif [[ -d /proc/self/fd ]]; then
    # A here-string is a pipe since bash 5.1, a process substitution always; the other end is opened through /proc.
    eval "exec $1<<<''"
    [[ -p /proc/self/fd/$1 ]] || eval "exec $1< <(echo)"
    eval "exec $2>/proc/self/fd/$1"
    IFS= read -r -u "$1"
    nacre_pipes+="pipe $3 /proc/$nacre_self/fd/$1"$'\n'
  else
    mkfifo -m 600 "$PWD/$3.fifo"
    eval "exec $1<>\"\$PWD/\$3.fifo\" $2>\"\$PWD/\$3.fifo\""
    nacre_pipes+="pipe $3 $PWD/$3.fifo"$'\n'
  fi
}

nacre_start_time() { # reads the start time of process $1 into nacre_time; 0 when it is gone
  local line
  nacre_time=0
  IFS= read -r line <"/proc/$1/stat" || return
  line=${line##*) }
  set -- $line
  nacre_time=${20}
} 2>/dev/null

nacre_wall_clock() { # hundredths of a second since 1970, in nacre_ticks
  nacre_ticks=${EPOCHREALTIME-}
  nacre_ticks=${nacre_ticks/[.,]/}
  if [[ -n $nacre_ticks ]]; then nacre_ticks=${nacre_ticks%????}; else printf -v nacre_ticks '%(%s)T00' -1; fi
}

nacre_clock() { # hundredths of a second since boot, in nacre_ticks; the wall clock, which may jump, only without /proc
  nacre_ticks=
  read -r nacre_ticks _ </proc/uptime
  if [[ -n $nacre_ticks ]]; then nacre_ticks=$((10#${nacre_ticks/./})); else nacre_wall_clock; fi
} 2>/dev/null

nacre_set_deadlines() { # converts the deadlines of a spec, in seconds of the wall clock, to nacre_clock
  local offset
  nacre_wall_clock
  offset=-$nacre_ticks
  nacre_clock
  offset=$((offset + nacre_ticks))
  [[ -z $nacre_deadline ]] || nacre_deadline=$((nacre_deadline * 100 + offset))
  nacre_job_deadline=$((nacre_job_deadline * 100 + offset))
}

nacre_signal_process() { # sends signal $1 to process $2 with start time $3; fails when it is gone or another process has its pid
  local nacre_time
  nacre_start_time "$2"
  [[ $nacre_time == "$3" ]] && kill -s "$1" "$2"
} 2>/dev/null

nacre_become_command() {
  local dir=$PWD
  # The command is elsewhere: the proxy process exits as the command does.
  [[ -z ${nacre_stand_in-} ]] || { . "$nacre_stand_in"; exit 126; }
  cd -- "$nacre_cwd" 2>/dev/null || { printf 'cwd\n' >"$dir/failed"; exit 126; }
  if [[ -n ${nacre_oldpwd+set} ]]; then OLDPWD=$nacre_oldpwd; else unset OLDPWD; fi
  if [[ -n ${nacre_shlvl+set} ]]; then SHLVL=$nacre_shlvl; else unset SHLVL; fi
  export NACRE_RUN_ID=$nacre_id
  [[ -z ${nacre_bash_env+set} ]] || export BASH_ENV=$nacre_bash_env
  if ((${#nacre_env[@]})); then
    exec env -- "${nacre_env[@]}" "$nacre_program" "${nacre_words[@]}"
  else
    exec -a bash "$nacre_program" "${nacre_words[@]}"
  fi
  printf 'exec\n' >"$dir/failed"
  exit 126
}

nacre_later() { # runs a function of supervisor-unattended.sh, which is loaded on first use
  [[ -n $nacre_loaded ]] || { nacre_loaded=1; . /dev/fd/5; [[ -z $nacre_ready ]] || nacre_take_call; }
  "$@"
}

nacre_look() { # after a wait with status $1: sets nacre_how when the command has ended
  local line=
  # Higher values mean a death by signal or a signal to this script; bash reports -1 when it lost the status of
  # a child.
  [[ -n ${nacre_terminal-} ]] || (($1 > 128 || $1 < 0)) || { nacre_how="exited $1"; return; }
  kill -0 "$nacre_pid" 2>/dev/null && return
  # wait also reports a stopped child, which has continued and ended by now: the next wait reports its status.
  if (($1 > 146 && $1 < 151)); then
    wait "$nacre_pid"
    line=$?
    [[ $line == 127 ]] || set -- "$line"
    line=
  fi
  if [[ -n ${nacre_terminal-} ]]; then
    # The parent on the terminal recorded the exact status.
    if [[ -s terminal.end ]]; then IFS= read -r nacre_how <terminal.end; return; fi
    if (($1 < 129)) && [[ ! -s terminal ]]; then nacre_how='failed terminal'; return; fi
  fi
  (($1 >= 0)) || { nacre_how='failed status'; return; }
  # Exit code 137 and a death by KILL give the same status. Bash prints a line about a death, except for the
  # four signals that this script traps. (A trap that reads the job table would know these too, but bash 5.2
  # crashes in it.)
  while read -r line; do
    case $line in *" $nacre_pid "*) break ;; esac
    line=
  done <message
  if (($1 > 128)) && [[ -n $line || $1 == 129 || $1 == 130 || $1 == 141 || $1 == 143 ]]; then
    nacre_how="signaled $(($1 - 128))"
  else
    nacre_how="exited $1"
  fi
} 2>/dev/null

nacre_guess() { # prints the exit record fields of status $1 alone
  if (($1 < 0)); then printf 'failed status'; elif (($1 > 128)); then printf 'signaled %s' "$(($1 - 128))"; else printf 'exited %s' "$1"; fi
}

nacre_find_drains() { # reads the pids of drains that the listener or the supervisor started
  [[ -n $nacre_drains || ! -e drains ]] || IFS= read -r nacre_drains <drains
}

nacre_settle() { # the command has ended: writes the exit record and reports it to the caller
  local line
  [[ -z $nacre_settled ]] || return
  nacre_settled=1
  nacre_find_drains
  [[ -z $nacre_drains ]] || nacre_later nacre_catch_up
  [[ ! -e gone || -e released || $nacre_watch == nobody ]] || nacre_note=caller_gone
  [[ ! -e reason || -n $nacre_why ]] || IFS= read -r nacre_why <reason
  [[ ! -e failed ]] || { IFS= read -r line <failed; nacre_how="failed $line"; }
  [[ -z $nacre_drains ]] || nacre_later nacre_complete_log
  line=${EPOCHREALTIME:-}
  [[ -n $line ]] || printf -v line '%(%s)T' -1
  line="$nacre_how ${nacre_why:--} ${nacre_forced:-0} ${line/,/.} ${nacre_note:--}"
  nacre_line=$line
  # The file has its full size since before the start, so this write needs no new block and works on a full
  # disk.
  printf '%-250s.\n' "$line" 1<>ending
  printf 'ended %s %s\n' "$line" "$nacre_listener" >&"$nacre_tell"
} 2>/dev/null

nacre_enlist() { # appends the row of this run to the index in one write, when the run is over
  local line restarts=0 log=0 gone=0
  [[ -n ${nacre_listed-} && -e ../../runs-2.index ]] || return
  IFS= read -r line <ending || return
  [[ ! -e restarts ]] || read -r restarts <restarts
  [[ ! -e background.log ]] || log=1
  [[ ! -e gone ]] || gone=1
  # A warm shell is older than its run, so the run id does not contain the start time.
  printf '["%s",%s,"%s",%s,%s,%s,%s%s],\n' "$nacre_id" "$nacre_listed" "${line%%  *}" "$nacre_pid" \
    "$restarts" "$log" "$gone" "${nacre_began:+,$nacre_began}" >>../../runs-2.index
} 2>/dev/null

nacre_listen() { # reads the caller's lines in a process of its own, because nothing may interrupt the supervisor's wait
  local line
  trap - TERM INT HUP
  trap 'exec 4<&-' USR2
  # Written after the trap is set: a reader of the pid may send the signal at once.
  [[ $nacre_input != /proc/self/fd/4 ]] || { nacre_start_time "$BASHPID"; printf '%s %s\n' "$BASHPID" "$nacre_time" >listener; }
  while nacre_hear 3; do
    case ${line%% *} in
      bye)
        # The supervisor of a warm shell has not read its call spec, and the file may be gone by now.
        if [[ -n $nacre_ready && ! -e released ]]; then
          line=${line#bye }
          nacre_began=${line%% *} nacre_listed=${line#* }
          nacre_enlist
        fi
        exit
        ;;
      release)
        nacre_watch=nobody
        [[ -z $nacre_deadline ]] || nacre_deadline=$nacre_job_deadline
        : >released
        nacre_later nacre_start_drains
        ;;
      left) : >released ;;
      stop) nacre_ring "${line#stop }" ;;
      call) nacre_take_call ;;
    esac
  done
  # An unused warm shell just exits; a used one may not have read its limits yet.
  [[ -z $nacre_ready ]] || { [[ -s run.json ]] || exit; nacre_take_call; nacre_go_home; }
  nacre_later nacre_start_drains
  : >gone
  nacre_watch=nobody
  nacre_hold_limit
}

nacre_take_call() { # reads the call spec of a warm shell, once
  [[ -z ${nacre_began-} && -s /dev/fd/9 ]] || return 0
  . /dev/fd/9
  nacre_set_deadlines
}

nacre_go_home() { # moves the directory of a used warm shell to the runs, when the caller was killed before it could
  [[ -n $nacre_ready && -e $nacre_ready ]] || return 0
  mkdir -p -m 700 "${nacre_ready%/*/*}/runs"
  mv "$nacre_ready" "${nacre_ready%/*/*}/runs/"
} 2>/dev/null

nacre_hear() { # reads one line from descriptor $1 into the variable line; fails at the end of the stream
  local limit=
  if [[ -n $nacre_deadline ]]; then
    nacre_clock
    limit=$((nacre_deadline - nacre_ticks))
    # A connected caller enforces the limit itself; this deadline is for a caller that does not act.
    [[ $nacre_watch == nobody ]] || ((limit += nacre_slack * 100))
    # Not 0, with which read only polls.
    ((limit > 10)) || limit=10
    printf -v limit -- '-t %d.%02d' "$((limit / 100))" "$((limit % 100))"
  fi
  IFS= read -r $limit -u "$1" line && return
  (($? > 128)) || return
  nacre_deadline= line=
  nacre_ring timeout
}

nacre_ring() { # stops the run for reason $1, unless it has ended
  local line
  read -r line _ <ending
  [[ ${line:-running} == running ]] || return 0
  printf '%s\n' "$1" >reason
  nacre_signal_process TERM "$nacre_self" "$nacre_mine" || { nacre_later nacre_kill_all; exit; }
}

nacre_start_command() { # starts the command in its own group, in our session
  set -m
  if [[ $nacre_input == - ]]; then
    (exec >&7 2>&9 3>&- 5<&- 6<&- 7>&- 8<&- 9>&-; nacre_become_command) &
  else
    (exec <"$nacre_input" >&7 2>&9 3>&- 4<&- 5<&- 6<&- 7>&- 8<&- 9>&-; nacre_become_command) &
  fi
  nacre_pid=$!
  set +m
}

nacre_open_output() {
  nacre_open_pipe 6 7 out
  if [[ $nacre_streams == apart ]]; then nacre_open_pipe 8 9 err; else exec 9>&7; fi
}

nacre_write_who() { # records supervisor and command; sets nacre_mine, nacre_born and nacre_time
  nacre_start_time "$nacre_self"
  nacre_mine=$nacre_time
  nacre_start_time "$nacre_pid"
  nacre_born=$nacre_time
  printf 'supervisor %s %s\ncommand %s %s\nboot %s\n' "$nacre_self" "$nacre_mine" "$nacre_pid" "$nacre_time" "$nacre_boot" >who
}

nacre_watch_over() { # waits until the command has ended and the caller has read the output
  while [[ -z $nacre_how ]]; do
    wait "$nacre_pid"
    nacre_look $?
  done
  [[ -z $nacre_ready || -s run.json ]] || nacre_later nacre_forget
  nacre_settle
  # The caller says bye when it has read the rest of the output; the pipe must stay open until then.
  while [[ -z ${nacre_far-} && ! -e gone && -e ending ]] && kill -0 "$nacre_listener"; do wait "$nacre_listener"; done 2>/dev/null
  nacre_find_drains
  if [[ $nacre_watch == reader && -e gone && ! -e released ]]; then
    # The caller died while it read the rest: at most one buffer is missing, and the exit record says so.
    printf '%-250s.\n' "${nacre_line% *} caller_gone" 1<>ending
  fi
  [[ -z $nacre_drains && ! -e gone ]] || nacre_later nacre_leave
  kill "$nacre_listener" 2>/dev/null
  nacre_enlist
}

nacre_how= nacre_settled= nacre_why= nacre_forced= nacre_note= nacre_drains= nacre_loaded= nacre_pipes= nacre_pid=-1 nacre_listener= nacre_logged= nacre_silent= nacre_ready= nacre_self=$$ nacre_tell=3
# The rest runs one command; fork-server.sh has its own main part.
[[ -z $nacre_only_functions ]] || return 0

. ./spec
nacre_set_deadlines
nacre_open_output
[[ $nacre_watch == reader ]] || nacre_later nacre_start_drains

trap : PIPE
trap 'nacre_later nacre_end shutdown' TERM INT HUP
if [[ $nacre_input == open ]]; then
  # Both ends in one descriptor: the command sees no end of its input while the listener holds it.
  nacre_open_pipe 4 10 in
  exec 10>&- 4<>/proc/self/fd/4
  nacre_input=/proc/self/fd/4
fi
exec 2>message
nacre_start_command
exec 7>&- 9>&- 0</dev/null
[[ ! -d /usr/bin ]] || PATH=/usr/bin:/bin:$PATH

nacre_write_who
printf '%sstarted %s %s %s %s\n' "$nacre_pipes" "$nacre_pid" "$nacre_time" "$nacre_mine" "$nacre_self" >&3
nacre_listen &
# A trap may run between the two commands; it records the listener first.
nacre_listener=${nacre_listener:-$!}
[[ $nacre_input != /proc/self/fd/4 ]] || exec 4<&-
nacre_watch_over
