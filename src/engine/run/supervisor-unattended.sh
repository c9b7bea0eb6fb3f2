# The second half of the supervisor, loaded when nobody reads the output any more, or when the run must be ended from
# here: most runs end without it.

# --- keeping the output when nobody reads it -----------------------------------------------------------------------

nacre_start_drains() { # once, whoever of the two asks first
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
  # A drain that reaches a limit signals the supervisor, which may start drains before it has written who it is.
  [[ -n ${nacre_mine-} ]] || { nacre_start_time "$nacre_self"; nacre_mine=$nacre_time; }
  (exec 3>&- 4<&- 5<&- 7>&- 8<&- 9>&- 11>&-; nacre_drain out 6) &
  nacre_drains=$!
  if [[ $nacre_streams == apart ]]; then
    (exec 3>&- 4<&- 5<&- 6<&- 7>&- 9>&- 11>&-; nacre_drain err 8) &
    nacre_drains+=" $!"
  fi
  printf '%s\n' "$nacre_drains" >drains
} 2>/dev/null

nacre_drain() { # $1: stream, $2: its descriptor; ends when the last writer lets go
  local limit=$nacre_head piece room block count report checked=-1 size=65536 most=256
  trap - TERM INT HUP PIPE USR2
  nacre_find_piece "$1"
  ((nacre_start == 0)) || limit=$nacre_piece
  # Nothing was written yet: the caller looked at the disk when it started this.
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
    # dd and not cat: it writes what it has read at once, and stops by itself at the edge of a piece.
    report=$(LC_ALL=C exec dd bs="$block" count="$count" <&"$2" 2>&1 >>"$piece")
    if (($? == 0)); then
      nacre_read_report "$report" "$count"
      nacre_size=$((nacre_size + nacre_bytes))
    else
      # A full disk must not block the command: what comes meanwhile is dropped, and the next piece's name says how much.
      nacre_read_report "$report" "$count"
      : >write-failed
      nacre_start=$((nacre_total + nacre_bytes)) nacre_size=0 limit=$nacre_piece
      nacre_drop "$2"
      nacre_prune "$1"
    fi
    ((nacre_more)) || return
    # Each read counts, however little it brings: who prints a line now and then is given more and smaller ones, or a
    # thousand such would need forty new dd a second.
    if ((nacre_bytes / nacre_reads < 2048)); then size=4096 most=16384; else size=65536 most=256; fi
  done
} 2>/dev/null

nacre_next_piece() { # $1: stream, $2: its descriptor; fails when there is nothing left to keep or to read
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

nacre_read_report() { # $1: what dd said, $2: how many reads it was given; sets nacre_bytes, nacre_reads and nacre_more
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

nacre_prune() { # before another piece of stream $1 begins: of the later ones only the last stays
  local offset last=0
  nacre_pieces "$1"
  for offset in $nacre_offsets; do ((offset <= last)) || last=$offset; done
  for offset in $nacre_offsets; do ((offset == last)) || rm -f "$1.$offset"; done
}

nacre_find_piece() { # where an earlier writer of stream $1 stopped: nacre_start, nacre_size
  local offset piece=$1
  nacre_start=0 nacre_size=0
  nacre_pieces "$1"
  for offset in $nacre_offsets; do ((offset <= nacre_start)) || nacre_start=$offset; done
  ((nacre_start == 0)) || piece=$1.$nacre_start
  [[ ! -s $piece ]] || nacre_size=$(($(wc -c <"$piece")))
}

nacre_draining() { # is a drainer still at it?
  nacre_any_lives $nacre_drains
}

nacre_any_lives() { # does one of these processes live? One that only waits for its parent to look does not
  local pid line
  for pid; do
    kill -0 "$pid" || continue
    # Who started it may be reading, or be one that never looks, as the first process of a container.
    IFS= read -r line <"/proc/$pid/stat" || return 0
    line=${line##*) }
    [[ ${line%% *} == [ZX] ]] || return 0
  done 2>/dev/null
  return 1
}

nacre_catch_up() { # all the command wrote before its end is on disk, though others may hold the pipe and write on
  local quiet=0 round
  for ((round = 0; round < 24 && quiet < 2; round++)); do
    nacre_draining || return
    if read -r -t 0 -u 6 || { [[ $nacre_streams == apart ]] && read -r -t 0 -u 8; }; then quiet=0; else ((++quiet)); fi
    nacre_wait_longer "$round" 10
  done
}

nacre_wait_longer() { # $1: which time, $2: milliseconds the first time; a thousand who look every moment leave no time to whom they wait for
  local ms=$(($2 << ($1 < 4 ? $1 : 4)))
  printf -v ms '0.%03d' "$((ms / 2 + RANDOM % (ms / 2 + 1)))"
  nacre_pause "$ms"
}

nacre_pause() { # $1: seconds; no process for it
  [[ -n $nacre_silent ]] || nacre_open_silence
  IFS= read -r -t "$1" -u 16
}

nacre_open_silence() { # a pipe that nobody writes to: reading it is waiting
  nacre_silent=1
  exec 16<<<''
  [[ -p /proc/self/fd/16 ]] || exec 16< <(echo)
  exec 16<>/proc/self/fd/16
  IFS= read -r -u 16
} 2>/dev/null

# --- nobody reads --------------------------------------------------------------------------------------------------

nacre_hold_limit() { # in the listener: nobody is left to listen to, but the limit must be held
  local line
  # Where the run was cleared away there is nothing to hold.
  read -r line _ <ending || exit
  [[ ${line:-running} == running ]] || exit
  exec 3>&-
  nacre_open_silence
  while nacre_hear 16; do :; done
}

nacre_remaining() { # whole seconds until the deadline, in nacre_left
  printf -v nacre_left '%(%s)T' -1
  nacre_left=$((nacre_deadline > nacre_left ? nacre_deadline - nacre_left : 0))
}

nacre_leave() { # the command is over; what it left behind goes on, and is read, until its limit
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

nacre_copy_ends() { # the output; of a long one both ends, for a copy must not double what a run takes
  local offset last=0 before=0 most=8388608
  nacre_pieces out
  for offset in $nacre_offsets; do
    if ((offset > last)); then before=$last last=$offset
    elif ((offset > before)); then before=$offset
    fi
  done
  # No bare return here: inside a trap it gives the status of before the trap.
  if ((last == 0 && $(wc -c <out) <= 2 * most)); then
    cat out
  else
    head -c "$most" out
    printf '\n\n[the middle is not in this file: artifact://%s has all that was kept]\n\n' "$nacre_id"
    if ((before > 0 && $(wc -c <"out.$last") < most)); then tail -c "$most" "out.$before"; fi
    if ((last > 0)); then tail -c "$most" "out.$last"; else tail -c "$most" out; fi
  fi
}

nacre_forget() { # a shell that was kept ready and never used: it leaves nothing
  cd -- "$nacre_ready" && rm -f -- spec call waiter ending who message failed run.json && cd / && rmdir -- "$nacre_ready"
  kill "$nacre_listener"
  exit
} 2>/dev/null

nacre_complete_log() { # the last line of the file that a background start named, once
  [[ -e background.log && -z $nacre_logged ]] || return
  nacre_logged=1
  local last name number=${nacre_how#* }
  case $nacre_how in
    'exited 0') last='[background process completed]' ;;
    exited*) last="[background process failed: exit status: $number]" ;;
    signaled*) name=$(kill -l "$number") last="[background process failed: signal: $number (SIG$name)]" ;;
    *) last="[background process error: $nacre_how]" ;;
  esac
  # Until now it was the raw output by another name; the last line goes to a copy, the raw output stays as it came.
  { nacre_copy_ends && printf '\n\n%s\n' "$last"; } >background.tmp && mv -f background.tmp background.log && return
  rm -f background.tmp
  printf '\n\n%s\n' "$last" >>background.log
} 2>/dev/null

# --- ending the run from here ----------------------------------------------------------------------------------------

nacre_members() { # everybody of this run but ourselves, in nacre_found
  local line pid nacre_time command=$nacre_pid
  nacre_found=
  nacre_look_around
  # The command is over, and another process has its number: neither its group nor its session is ours.
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
        # Our own group is the supervisor and its drainers; everybody else of the session is the command's. Group 0 is the
        # kernel's, and never anybody's of ours. A shell that was kept ready leads a session of its own.
        if (($3 > 1 && ($3 == command || $4 == command || ($4 == nacre_self && $3 != nacre_self)))); then nacre_found+=" $pid"; fi
        ;;
    esac
  done <<<"$nacre_rows"
} 2>/dev/null

# A walk over all processes takes a tenth of a second when there are thousands, and a thousand jobs may end at once. So one
# walk serves all who need one at that time: the file ../../walk, whose first line says when it began, and by whom. While it
# is made it has another name, which one alone can make. Who cannot use it walks alone: nothing depends on it but time.

nacre_look_around() { # what a walk that began after now says of this run, in nacre_rows
  local now seen boot tries
  local rows="\\) [^ZX] [0-9]+ ($nacre_pid [0-9]+|[0-9]+ $nacre_pid|[0-9]+ $nacre_self|$nacre_self [0-9]+) |/environ:NACRE_RUN_ID=$nacre_id\$"
  nacre_rows=
  read -r now _ </proc/uptime || return
  # In hundredths of a second, and the next of them: when in this one is not known.
  now=$((10#${now/./} + 1))
  for ((tries = 0; tries < 100; tries++)); do
    if read -r seen boot _ <../../walk && [[ $boot == "$nacre_boot" ]] && ((seen >= now)); then
      nacre_rows=$(exec grep -aE "$rows" ../../walk)
      # Whoever sees us sees who is ours: the numbers of another namespace are others.
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

nacre_walk() { # fails with 1 when somebody else is at it, with 2 when it cannot be written down
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

nacre_clear_walk() { # whoever was making it may have been killed, before or after it wrote who it is
  local pid time
  if read -r _ _ pid time <../../walk.new; then
    nacre_start_time "$pid"
    [[ $nacre_time != "$time" ]] || return
  fi
  rm -f ../../walk.new
} 2>/dev/null

nacre_list_processes() { # a line for each, and one for each that carries the mark of a run
  { cat /proc/[0-9]*/stat; grep -zH ^NACRE_RUN_ID= /proc/[0-9]*/environ; } | tr '\0' '\n'
} 2>/dev/null

nacre_kill_all() { # TERM, grace, KILL, and again until nobody is left
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

nacre_end() { # $1: why, unless a file says otherwise; ends everything, and then us
  trap '' TERM INT HUP
  nacre_listener=${nacre_listener:-$!}
  nacre_why=$1
  [[ ! -e reason ]] || IFS= read -r nacre_why <reason
  [[ ! -e full ]] || nacre_why=output_limit
  nacre_start_drains
  nacre_kill_all
  # The job table has forgotten it by now, but not its status; why it ended is known here anyway.
  wait "$nacre_pid"
  : "${nacre_how:=$(nacre_guess $?)}"
  [[ -z $nacre_ready || -s run.json ]] || nacre_forget
  nacre_settle
  nacre_leave
} 2>/dev/null
