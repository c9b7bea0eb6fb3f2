# The second part of the supervisor. It is loaded only when no caller reads the output, or when the supervisor
# stops the run.

# --- draining the output when no caller reads it ---

nacre_start_drains() { # starts the drains once, in the listener or in the supervisor
  local tries
  [[ -z $nacre_drains ]] || return
  set -C
  if ! { : >draining; }; then
    set +C
    for ((tries = 0; tries < 50; tries++)); do
      [[ ! -s drains ]] || break
      nacre_pause 0.02
    done
    nacre_find_drains
    return
  fi
  set +C
  # A drain that reaches a limit signals the supervisor, which may start drains before it has recorded its start
  # time.
  [[ -n ${nacre_mine-} ]] || { nacre_start_time "$nacre_self"; nacre_mine=$nacre_time; }
  (exec 3>&- 4<&- 5<&- 7>&- 8<&- 9>&- 11>&-; nacre_drain out 6) &
  nacre_drains=$!
  if [[ $nacre_streams == apart ]]; then
    (exec 3>&- 4<&- 5<&- 6<&- 7>&- 9>&- 11>&-; nacre_drain err 8) &
    nacre_drains+=" $!"
  fi
  printf '%s\n' "$nacre_drains" >drains
} 2>/dev/null

nacre_drain() { # writes stream $1 from descriptor $2 to disk until its last writer closes it
  local limit=$nacre_head piece room block count report checked=-1 size=65536 most=256
  trap - TERM INT HUP PIPE USR2
  nacre_find_piece "$1"
  ((nacre_start == 0)) || limit=$nacre_piece
  # Nothing was written yet: the caller checked the free space at the start.
  ((nacre_start + nacre_size > 0)) || checked=0
  while :; do
    nacre_total=$((nacre_start + nacre_size))
    if ((nacre_total >> 26 != checked)); then
      checked=$((nacre_total >> 26))
      nacre_watch_disk && ((limit > nacre_size + nacre_piece)) && limit=$((nacre_size + nacre_piece))
    fi
    room=$((limit - nacre_size))
    if ((room <= 0)); then
      nacre_next_piece "$1" "$2" || return
      limit=$nacre_piece
      continue
    fi
    block=$((room < size ? room : size))
    count=$((room / block < most ? room / block : most))
    piece=$1
    ((nacre_start == 0)) || piece=$1.$nacre_start
    # dd instead of cat: it writes each read at once, and stops at the end of a piece.
    report=$(LC_ALL=C exec dd bs="$block" count="$count" <&"$2" 2>&1 >>"$piece")
    if (($? == 0)); then
      nacre_read_report "$report" "$count"
      nacre_size=$((nacre_size + nacre_bytes))
    else
      # A full disk must not block the command: output is dropped, and the name of the next piece tells how
      # much.
      nacre_read_report "$report" "$count"
      : >write-failed
      nacre_start=$((nacre_total + nacre_bytes)) nacre_size=0 limit=$nacre_piece
      nacre_drop "$2"
      nacre_prune "$1"
    fi
    ((nacre_more)) || return
    # dd counts reads, however short. A slow writer gets more and smaller reads; otherwise a thousand of them
    # would need forty new dd processes per second.
    if ((nacre_bytes / nacre_reads < 2048)); then size=4096 most=16384; else size=65536 most=256; fi
  done
} 2>/dev/null

nacre_next_piece() { # begins a new piece of stream $1 (descriptor $2); fails when nothing more is kept or read
  nacre_start=$nacre_total nacre_size=0
  nacre_prune "$1"
  if [[ $nacre_full == stop ]]; then
    : >full
    nacre_signal_process TERM "$nacre_self" "$nacre_mine"
  elif ((nacre_piece > 0)); then
    return 0
  fi
  while nacre_drop "$2" && ((nacre_more)); do :; done
  return 1
}

nacre_watch_disk() { # succeeds when the disk is nearly full: from then on only a short tail is kept
  local free
  ((nacre_floor_kib > 0)) || return 1
  { read -r; read -r _ _ _ free _; } < <(exec df -Pk .)
  ((${free:-0} < nacre_floor_kib)) || return 1
  : >low-disk
  nacre_piece=$((nacre_piece < 1048576 ? nacre_piece : 1048576))
}

nacre_drop() { # reads from descriptor $1 and forgets, so that the command does not block
  nacre_read_report "$(LC_ALL=C exec dd bs=65536 count=256 <&"$1" 2>&1 >/dev/null)" 256
  nacre_start=$((nacre_start + nacre_bytes))
}

nacre_read_report() { # parses the report $1 of dd with $2 reads; sets nacre_bytes, nacre_reads and nacre_more
  local line
  nacre_bytes=0 nacre_reads=0
  while IFS= read -r line; do
    case $line in
      *' records in') line=${line% records in} nacre_reads=$((${line%+*} + ${line#*+})) ;;
      *' copied'*) nacre_bytes=${line%% *} ;;
    esac
  done <<<"$1"
  nacre_more=$((nacre_reads < $2 ? 0 : 1))
}

nacre_pieces() { # the offsets of the later pieces of stream $1, in nacre_offsets
  local piece
  nacre_offsets=
  for piece in "$1".[0-9]*; do
    piece=${piece##*.}
    [[ $piece == *[!0-9]* ]] || nacre_offsets+=" $piece"
  done
}

nacre_prune() { # removes the later pieces of stream $1 except the last, before a new one begins
  local offset last=0
  nacre_pieces "$1"
  for offset in $nacre_offsets; do ((offset <= last)) || last=$offset; done
  for offset in $nacre_offsets; do ((offset == last)) || rm -f "$1.$offset"; done
}

nacre_find_piece() { # finds where an earlier writer of stream $1 stopped; sets nacre_start and nacre_size
  local offset piece=$1
  nacre_start=0 nacre_size=0
  nacre_pieces "$1"
  for offset in $nacre_offsets; do ((offset <= nacre_start)) || nacre_start=$offset; done
  ((nacre_start == 0)) || piece=$1.$nacre_start
  [[ ! -s $piece ]] || nacre_size=$(($(wc -c <"$piece")))
}

nacre_draining() { # succeeds while a drain is alive
  nacre_any_lives $nacre_drains
}

nacre_any_lives() { # succeeds when one of these pids is alive and no zombie
  local pid line
  for pid; do
    kill -0 "$pid" || continue
    # A zombie may wait for a parent that never reaps, such as the first process of a container.
    IFS= read -r line <"/proc/$pid/stat" || return 0
    line=${line##*) }
    [[ ${line%% *} == [ZX] ]] || return 0
  done 2>/dev/null
  return 1
}

nacre_catch_up() { # waits until the output written before the end is on disk; other processes may still write
  local quiet=0 round
  for ((round = 0; round < 24 && quiet < 2; round++)); do
    nacre_draining || return
    if read -r -t 0 -u 6 || { [[ $nacre_streams == apart ]] && read -r -t 0 -u 8; }; then quiet=0; else ((++quiet)); fi
    nacre_wait_longer "$round" 10
  done
}

nacre_wait_longer() { # pauses in round $1, $2 ms in the first; pauses grow and vary, so that a thousand supervisors do not use up the processor
  local ms=$(($2 << ($1 < 4 ? $1 : 4)))
  printf -v ms '0.%03d' "$((ms / 2 + RANDOM % (ms / 2 + 1)))"
  nacre_pause "$ms"
}

nacre_pause() { # waits for $1 seconds without a process
  [[ -n $nacre_silent ]] || nacre_open_silence
  IFS= read -r -t "$1" -u 16
}

nacre_open_silence() { # opens a pipe without a writer: a read from it is a pause
  nacre_silent=1
  exec 16<<<''
  [[ -p /proc/self/fd/16 ]] || exec 16< <(echo)
  exec 16<>/proc/self/fd/16
  IFS= read -r -u 16
} 2>/dev/null

# --- running without a caller ---

nacre_hold_limit() { # in the listener: the caller is gone, and the time limit is still enforced
  local line
  # Without an exit record file the run directory was removed: there is nothing to enforce.
  read -r line _ <ending || exit
  [[ ${line:-running} == running ]] || exit
  exec 3>&-
  nacre_open_silence
  while nacre_hear 16; do :; done
}

nacre_remaining() { # whole seconds until the deadline, in nacre_left
  nacre_clock
  nacre_left=$((nacre_deadline > nacre_ticks ? (nacre_deadline - nacre_ticks + 99) / 100 : 0))
}

nacre_leave() { # the command has ended: waits for leftover processes until their limit, then exits
  local pause=0.02 behind
  nacre_catch_up
  nacre_complete_log
  if [[ -e behind ]]; then behind=$(<behind)
  else nacre_members; behind=$nacre_found; [[ -z $behind ]] || printf '%s\n' $behind >behind
  fi
  nacre_deadline=$nacre_job_deadline
  kill "$nacre_listener" 2>/dev/null
  while nacre_draining || nacre_any_lives $behind; do
    nacre_remaining
    ((nacre_left)) || { nacre_kill_all; break; }
    nacre_pause "$pause"
    pause=0.5
  done 2>/dev/null
  rm -f behind spec call waiter message drains draining
  nacre_enlist
  exit
}

nacre_copy_ends() { # prints the output; of a long one head and tail, because a copy must not double the size of a run
  local offset last=0 before=0 most=8388608
  nacre_pieces out
  for offset in $nacre_offsets; do
    if ((offset > last)); then before=$last last=$offset
    elif ((offset > before)); then before=$offset
    fi
  done
  # No bare return here: inside a trap it returns the status from before the trap.
  if ((last == 0 && $(wc -c <out) <= 2 * most)); then
    cat out
  else
    head -c "$most" out
    printf '\n\n[the middle is not in this file: artifact://%s has all that was kept]\n\n' "$nacre_id"
    if ((before > 0 && $(wc -c <"out.$last") < most)); then tail -c "$most" "out.$before"; fi
    if ((last > 0)); then tail -c "$most" "out.$last"; else tail -c "$most" out; fi
  fi
}

nacre_forget() { # removes the directory of an unused warm shell and exits
  cd -- "$nacre_ready" && rm -f -- spec call waiter ending who message failed run.json && cd / && rmdir -- "$nacre_ready"
  kill "$nacre_listener"
  exit
} 2>/dev/null

nacre_complete_log() { # appends the last line to the log of a background run, once
  [[ -e background.log && -z $nacre_logged ]] || return
  nacre_logged=1
  local last name number=${nacre_how#* }
  case $nacre_how in
    'exited 0') last='[background process completed]' ;;
    exited*) last="[background process failed: exit status: $number]" ;;
    signaled*) name=$(kill -l "$number") last="[background process failed: signal: $number (SIG$name)]" ;;
    *) last="[background process error: $nacre_how]" ;;
  esac
  # Until now the log was a link to the raw output; the last line goes to a copy, so that the raw output is
  # unchanged.
  { nacre_copy_ends && printf '\n\n%s\n' "$last"; } >background.tmp && mv -f background.tmp background.log && return
  rm -f background.tmp
  printf '\n\n%s\n' "$last" >>background.log
} 2>/dev/null

# --- stopping the run ---

nacre_members() { # the pids of all processes of this run except ours, in nacre_found
  local line pid nacre_time command=$nacre_pid
  nacre_found=
  nacre_look_around
  # The command is over and another process has its pid: group and session are not ours.
  nacre_start_time "$nacre_pid"
  [[ $nacre_time == 0 || $nacre_time == "$nacre_born" ]] || command=-1
  while IFS= read -r line; do
    case $line in
      /proc/*)
        pid=${line#/proc/} pid=${pid%%/*}
        case "$nacre_found " in *" $pid "*) ;; *) nacre_found+=" $pid" ;; esac
        ;;
      [0-9]*)
        pid=${line%% *}
        line=${line##*) }
        set -- $line
        # Our own group holds the supervisor and its drains; all other processes of the session belong to the
        # command. Group 0 belongs to the kernel. A warm shell leads a session of its own.
        if (($3 > 1 && ($3 == command || $4 == command || ($4 == nacre_self && $3 != nacre_self)))); then nacre_found+=" $pid"; fi
        ;;
    esac
  done <<<"$nacre_rows"
} 2>/dev/null

# A scan of all processes takes a tenth of a second when there are thousands, and a thousand jobs may end at
# once. So supervisors share scans in the file ../../walk, whose first line has its start time and its process.
# While a scan is made, the file has another name that only one process can create. A supervisor that cannot use
# the file scans alone.

nacre_look_around() { # the lines about this run in a scan that began after now, in nacre_rows
  local now seen boot tries
  local rows="\\) [^ZX] [0-9]+ ($nacre_pid [0-9]+|[0-9]+ $nacre_pid|[0-9]+ $nacre_self|$nacre_self [0-9]+) |/environ:NACRE_RUN_ID=$nacre_id\$"
  nacre_rows=
  read -r now _ </proc/uptime || return
  # In hundredths of a second, rounded up, because the moment within the current one is unknown.
  now=$((10#${now/./} + 1))
  for ((tries = 0; tries < 100; tries++)); do
    if read -r seen boot _ <../../walk && [[ $boot == "$nacre_boot" ]] && ((seen >= now)); then
      nacre_rows=$(exec grep -aE "$rows" ../../walk)
      # A scan that shows this supervisor is of our pid namespace; pids of another namespace mean other
      # processes.
      [[ $'\n'$nacre_rows != *$'\n'"$nacre_self ("*" $nacre_mine "* ]] || return 0
      rm -f ../../walk
      break
    fi
    if [[ ! -e ../../walk.new ]]; then
      nacre_walk
      case $? in
        0) now=$nacre_begun ;;
        2) break ;;
      esac
    else
      ((tries % 4 < 3)) || nacre_clear_walk
      nacre_wait_longer "$tries" 50
    fi
  done
  nacre_rows=$(nacre_list_processes | grep -aE "$rows")
} 2>/dev/null

nacre_walk() { # makes a shared scan; fails with 1 when another process makes one, with 2 when it cannot be written
  local made
  [[ -w ../.. ]] || return 2
  read -r nacre_begun _ </proc/uptime
  nacre_begun=$((10#${nacre_begun/./}))
  nacre_start_time "$BASHPID"
  set -C
  printf '%s %s %s %s\n' "$nacre_begun" "$nacre_boot" "$BASHPID" "$nacre_time" >../../walk.new
  made=$?
  set +C
  ((made == 0)) || return 1
  nacre_list_processes >>../../walk.new && mv -f ../../walk.new ../../walk && return
  rm -f ../../walk.new
  return 2
} 2>/dev/null

nacre_clear_walk() { # removes the unfinished scan of a process that was killed
  local pid time
  if read -r _ _ pid time <../../walk.new; then
    nacre_start_time "$pid"
    [[ $nacre_time != "$time" ]] || return
  fi
  rm -f ../../walk.new
} 2>/dev/null

nacre_list_processes() { # prints the stat line of each process, and a line for each process with a run id
  { cat /proc/[0-9]*/stat; grep -zH ^NACRE_RUN_ID= /proc/[0-9]*/environ; } | tr '\0' '\n'
} 2>/dev/null

nacre_kill_all() { # SIGTERM, grace period, SIGKILL, with repeated scans until no process is left
  local round
  nacre_members
  [[ -n $nacre_found ]] || return
  kill -TERM $nacre_found
  kill -CONT $nacre_found
  for ((round = 0; round < nacre_grace * 20; round++)); do
    nacre_members
    [[ -n $nacre_found ]] || return
    nacre_pause 0.05
  done
  nacre_forced=1
  for ((round = 0; round < 20; round++)); do
    kill -KILL $nacre_found
    nacre_pause 0.05
    nacre_members
    [[ -n $nacre_found ]] || return
  done
  printf '%s\n' $nacre_found >survivors
} 2>/dev/null

nacre_end() { # stops the run and exits; $1 is the reason, unless a file has another
  trap '' TERM INT HUP
  nacre_listener=${nacre_listener:-$!}
  nacre_why=$1
  [[ ! -e reason ]] || IFS= read -r nacre_why <reason
  [[ ! -e full ]] || nacre_why=output_limit
  nacre_start_drains
  nacre_kill_all
  # The job table no longer lists the command, but wait still returns its status; the reason is known here.
  wait "$nacre_pid"
  : "${nacre_how:=$(nacre_guess $?)}"
  [[ -z $nacre_ready || -s run.json ]] || nacre_forget
  nacre_settle
  nacre_leave
} 2>/dev/null
