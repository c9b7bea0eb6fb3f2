# What a connection to another machine runs over there, sent to a bash that knows nothing of us. Its output is the run's
# output and nothing else; what there is to say goes to descriptor 2, a line each, beginning with "nacre".
#
# nacre_task: start, attach, say, signal, kill, finish or clear; nacre_id: the run; nacre_from: how much of its output was received;
# nacre_stream: out or err; nacre_at: the mark of the place where the run belongs. docs/decisions/0010-hosts.md says the rest.

nacre_base=${XDG_STATE_HOME:-${HOME:-/tmp}/.local/state}
[[ $nacre_base == /* && $nacre_base != *[\'\"\\]* ]] || nacre_base=/tmp/nacre-$UID
nacre_base+=/nacre/far
# The tasks of an array are sent the same text.
[[ -z ${nacre_array-} || -z ${SLURM_ARRAY_TASK_ID-} ]] || nacre_id=${nacre_array}t$SLURM_ARRAY_TASK_ID
nacre_dir=$nacre_base/$nacre_id
nacre_follow=${nacre_follow-}

nacre_tell() { printf 'nacre %s\n' "$*" >&2; }

nacre_fail() { nacre_tell failed "$@"; exit 1; }

nacre_pause() { # $1: seconds; no process is made for it
  IFS= read -r -t "$1" -u 7
}

nacre_check_place() { # a second start may come only to where the first did: to the same directory, whatever the name leads to by now
  local mark
  # Files take the umask of the user, for it is the command's too: what is private lies in a private directory.
  [[ -d $nacre_base ]] || mkdir -p -m 700 -- "$nacre_base" || nacre_fail store
  if ! IFS= read -r mark 2>/dev/null <"$nacre_base/place"; then
    mark=$(cat /proc/sys/kernel/random/uuid 2>/dev/null) || mark=$EPOCHSECONDS-$RANDOM-$RANDOM-$RANDOM-$BASHPID
    printf '%s\n' "$mark" >"$nacre_base/place.$BASHPID"
    # Whole, and by one alone: others may be at it.
    ln -- "$nacre_base/place.$BASHPID" "$nacre_base/place" 2>/dev/null || mv -n -- "$nacre_base/place.$BASHPID" "$nacre_base/place"
    rm -f -- "$nacre_base/place.$BASHPID"
    IFS= read -r mark <"$nacre_base/place" || nacre_fail store
  fi
  [[ $mark == "$nacre_at" ]] || { nacre_tell place "$mark"; exit 3; }
}

nacre_void() { # it is to end before it began: whoever comes to start it finds this
  mkdir -m 700 -- "$nacre_dir" 2>/dev/null && printf 'void\n' >"$nacre_dir/failed"
}

nacre_is_other() { # is process $1 one that began at another time than $2? A container that was restarted counts from the beginning
  local line
  IFS= read -r line <"/proc/$1/stat" || return
  set -- "$2" ${line##*) }
  [[ $1 != [1-9]* || $1 != "${21}" ]]
} 2>/dev/null

nacre_lives() { # process $1, which began at $2; one that only waits for its parent to look does not
  local line
  if IFS= read -r line <"/proc/$1/stat"; then
    line=${line##*) }
    [[ $line != [ZX]* ]] && { [[ ${2:-0} == 0 ]] || ! nacre_is_other "$1" "$2"; }
  else
    [[ ! -e /proc/self/stat ]] && kill -0 "$1"
  fi
} 2>/dev/null

nacre_who() { # who runs it: nacre_watcher, nacre_command, nacre_boot; fails until all of it is written
  local word first time
  nacre_watcher= nacre_command= nacre_boot=
  [[ -e who ]] || return
  while read -r word first time _; do
    case $word in
      supervisor) nacre_watcher=$first nacre_watcher_time=${time:-0} ;;
      command) nacre_command=$first nacre_command_time=${time:-0} ;;
      boot) nacre_boot=${first:-none} ;;
    esac
  done <who
  [[ -n $nacre_boot ]]
}

nacre_start() { # exactly once: who comes second finds the directory, and only looks on
  local looks=0
  case $nacre_where in '~' | '~/'*) nacre_where=$HOME${nacre_where:1} ;; esac
  [[ -d $nacre_where && -x $nacre_where ]] || nacre_fail cwd
  if ! mkdir -m 700 -- "$nacre_dir" 2>/dev/null; then
    [[ -d $nacre_dir ]] || nacre_fail store
    return
  fi
  nacre_clear_old
  cd -- "$nacre_dir" || nacre_fail store
  mkfifo control || nacre_fail store
  printf '%s' "$nacre_supervisor" >supervisor
  printf '%s' "$nacre_later_text" >later
  printf '%s\n' "${nacre_spec//@NACRE_DIRECTORY@/$nacre_dir}" "nacre_boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)" "nacre_id=$nacre_id" >spec
  [[ -z ${nacre_preamble-} ]] || printf '%s' "${nacre_preamble//@NACRE_DIRECTORY@/$nacre_dir}" >preamble
  [[ -z ${nacre_long-} ]] || printf '%s' "$nacre_long" >command
  [[ -z ${nacre_stdin+set} ]] || printf '%s' "$nacre_stdin" >stdin
  printf '%-250s.\n' running >ending
  # As a job of its own: what else runs in the background is deaf to INT and QUIT, and so is all that it starts.
  set -m
  (
    unset nacre_supervisor nacre_later_text nacre_spec nacre_preamble nacre_long nacre_stdin
    eval "$nacre_exports"
    unset nacre_exports
    exec 3<>control 4<supervisor 5<later 7<&- </dev/null >/dev/null 2>&1
    # With these a bash takes itself for one that a login started: it would read the user's file, and not BASH_ENV.
    unset SSH_CLIENT SSH2_CLIENT
    nacre_leader=
    if command -v setsid >/dev/null; then nacre_leader=setsid; else trap '' HUP; fi
    exec $nacre_leader bash --noprofile --norc -c 'exec -a nacre bash --noprofile --norc /dev/fd/4'
  ) &
  set +m
  [[ ${nacre_feeds-} != open ]] || { : >input; nacre_pump 6>&- </dev/null >/dev/null & }
  until nacre_who || [[ -s failed ]]; do ((++looks < 30000)) && [[ -e ending ]] || nacre_fail lost; nacre_pause 0.002; done
  ! [[ -s failed ]] || { nacre_pause 0.05; nacre_fail "$(<failed)"; }
}

nacre_state() { # how it ended, in nacre_line, or nothing while it runs
  nacre_line=
  IFS= read -r nacre_line <"$nacre_dir/ending" || nacre_line=
  [[ $nacre_line == *. ]] || nacre_line=running
  nacre_line=${nacre_line%.}
  nacre_line=${nacre_line%"${nacre_line##*[! ]}"}
  [[ $nacre_line != running ]] || nacre_line=
}

nacre_is_over() { # the command has ended and what it wrote is on disk; of what it left behind: the last has gone
  # One that was cleared away is over, too.
  [[ -e $nacre_dir/ending ]] || return 0
  nacre_state
  [[ -n $nacre_line ]] || { nacre_is_lost; return; }
  [[ -z $nacre_follow ]] || ! nacre_lives "$nacre_watcher" "$nacre_watcher_time"
}

nacre_is_lost() { # its supervisor has gone; whether with a last word, nacre_line says
  ! nacre_lives "$nacre_watcher" "$nacre_watcher_time" || return
  nacre_pause 0.3
  nacre_state
  return 0
}

nacre_attach() {
  local looks size nacre_feeder=
  # A job of a cluster runs before its script does.
  case ${SLURM_JOB_ID:-over} in over) ;; *) for ((looks = 0; looks < 3000; looks++)); do [[ ! -d $nacre_dir ]] || break; nacre_pause 0.01; done ;; esac
  cd -- "$nacre_dir" 2>/dev/null || nacre_fail lost
  # On a machine that is very busy it may take long until somebody watches over it.
  for ((looks = 0; looks < 3000; looks++)); do ! nacre_who && [[ ! -s failed ]] || break; nacre_pause 0.01; done
  [[ ! -e failed ]] || nacre_fail "$(<failed)"
  nacre_who || nacre_fail lost
  nacre_tell started "$nacre_command"
  nacre_check_boot
  [[ -z ${nacre_feeds-} || -n ${nacre_unfed-} ]] || nacre_feed
  exec </dev/null
  # Most commands are short: their output is sent once, when they are over.
  for ((looks = 0; looks < 40; looks++)); do nacre_is_over && break; nacre_pause 0.003; done
  nacre_send
  nacre_state
  [[ -n $nacre_line ]] || nacre_fail lost
  nacre_tell total "$nacre_from"
  nacre_await_behind
  [[ ! -e pipestatus ]] || nacre_tell pipe $(<pipestatus)
  [[ ! -e shell.after || $nacre_stream != out || -n $nacre_follow ]] || nacre_tell_shell
  # A cluster ends what is left of a job with it.
  if [[ -z ${SLURM_JOB_ID-} ]]; then nacre_name behind; else nacre_name behind ends; fi
  nacre_name survivors
  nacre_tell ended "$nacre_line"
  [[ -z $nacre_feeder ]] || kill "$nacre_feeder" 2>/dev/null
}

nacre_tell_shell() { # what the shell wrote down of itself, in lines of plain letters
  local name line
  for name in before after; do
    nacre_tell shell "$name"
    while IFS= read -r line; do nacre_tell shell "$name" "$line"; done < <(head -c 8388608 "shell.$name" | base64 -w 3000)
  done
}

nacre_await_behind() { # its supervisor is gone, or has said whom the command left behind
  local looks
  for ((looks = 0; looks < 400; looks++)); do
    [[ ! -s behind ]] || return
    nacre_lives "$nacre_watcher" "$nacre_watcher_time" || return 0
    nacre_pause 0.003
  done
}

nacre_name() { # the processes that file $1 lists, as people know them; $2: as what, if not as that
  local pid words
  [[ -s $1 && ${SLURM_JOB_ID-} != over ]] || return
  while read -r pid; do
    [[ $pid != *[!0-9]* ]] || continue
    words=$(tr '\0\n' '  ' <"/proc/$pid/cmdline" 2>/dev/null) || continue
    # One that has just ended has none.
    [[ -z ${words// } ]] || nacre_tell "${2:-$1}" "$pid" "${words:0:200}"
  done <"$1"
}

nacre_check_boot() { # a machine that was restarted has lost the run
  local now
  now=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
  nacre_state
  [[ -z $nacre_line ]] || return
  [[ $nacre_boot == "${now:-none}" ]] || nacre_fail restarted
  nacre_lives "$nacre_watcher" "$nacre_watcher_time" || { nacre_pause 0.3; nacre_state; [[ -n $nacre_line ]] || nacre_fail lost; }
}

nacre_next() { # the piece that holds byte $nacre_from, or the first after it: nacre_piece, nacre_begin
  local name offset best=
  nacre_piece=$nacre_stream nacre_begin=0
  for name in "$nacre_stream".[0-9]*; do
    offset=${name##*.}
    [[ $offset != *[!0-9]* ]] || continue
    if ((offset <= nacre_from && offset >= nacre_begin)); then nacre_piece=$name nacre_begin=$offset; fi
    if ((offset > nacre_from)) && [[ -z $best || $offset -lt $best ]]; then best=$offset; fi
  done
  nacre_following=$best
}

nacre_send() { # everything from $nacre_from on, until the run is over
  local size watcher
  while :; do
    nacre_next
    if [[ -z $nacre_following ]] && ! nacre_is_over; then
      # As it comes; whoever watches ends when there is nothing more to wait for.
      nacre_watch &
      watcher=$!
      if [[ -e $nacre_piece ]]; then
        size=$(tail -c "+$((nacre_from - nacre_begin + 1))" -s 0.02 -f --pid="$watcher" -- "$nacre_piece" | nacre_count) || exit
        ((nacre_from += size))
      else
        wait "$watcher"
      fi
      continue
    fi
    if [[ -e $nacre_piece ]]; then
      size=$(tail -c "+$((nacre_from - nacre_begin + 1))" -- "$nacre_piece" | nacre_count) || exit
      ((nacre_from += size))
    fi
    [[ -n $nacre_following ]] || return 0
    if ((nacre_following > nacre_from)); then
      nacre_tell gap "$((nacre_following - nacre_from))"
      nacre_from=$nacre_following
    fi
  done
}

nacre_count() { # passes its input on to descriptor 6, and prints how much it was
  local line
  line=$(LC_ALL=C dd bs=65536 2>&1 >&6) || return
  line=${line##*$'\n'}
  printf '%s' "${line%% *}"
}

nacre_watch() { # ends when the run does, or when the next piece has begun
  local looks=0
  exec 6>&-
  while ! nacre_is_over; do
    # What is printed does not wait for this, only the end does.
    if ((++looks < 200)); then nacre_pause 0.02; else nacre_pause 0.1; fi
    nacre_next
    [[ -z $nacre_following ]] || return
  done
}

nacre_say() { # a line to its supervisor
  cd -- "$nacre_dir" 2>/dev/null || { [[ $nacre_words == stop* ]] && nacre_void; return; }
  nacre_state
  [[ -n $nacre_line ]] || printf '%s\n' "$nacre_words" 1<>control
}

nacre_signal() { # exactly this signal to the command's group
  cd -- "$nacre_dir" 2>/dev/null || return
  nacre_who || return
  nacre_state
  [[ -n $nacre_line ]] || nacre_is_other "$nacre_command" "$nacre_command_time" || kill -s "$nacre_words" -- "-$nacre_command"
}

nacre_kill() { # this signal to everybody of the run, whom it left behind too
  local file found= line pid
  cd -- "$nacre_dir" 2>/dev/null || { nacre_void; return; }
  nacre_who || return
  nacre_is_other "$nacre_watcher" "$nacre_watcher_time" || for file in /proc/[0-9]*/stat; do
    IFS= read -r line <"$file" || continue
    pid=${line%% *} line=${line##*) }
    set -- $line
    if (($4 == nacre_watcher && $3 != nacre_watcher)); then found+=" $pid"; fi
  done
  for file in $(grep -lzx -- "NACRE_RUN_ID=$nacre_id" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    found+=" ${pid%/environ}"
  done
  [[ -z $found ]] || kill -s "$nacre_words" -- $found
} 2>/dev/null

nacre_clear_old() { # runs of days ago that nobody came back for
  local id now
  printf -v now '%(%s)T' -1
  for id in "$nacre_base"/*; do
    id=${id##*/}
    [[ ${#id} -gt 13 && $id != *[!0-9a-z]* ]] || continue
    ((now - 36#${id:0:8} / 1000 < 172800)) || nacre_words=$id nacre_clear
  done
}

nacre_clear() { # runs whose output has arrived; by name, one by one
  local id file
  for id in $nacre_words; do
    [[ $id != *[!0-9a-z]* && -d $nacre_base/$id ]] || continue
    cd -- "$nacre_base/$id" || continue
    nacre_who
    # Somebody it left behind still writes.
    ! nacre_lives "$nacre_watcher" "$nacre_watcher_time" || continue
    for file in *; do [[ -d $file ]] || rm -- "$file"; done
    cd / && rmdir -- "$nacre_base/$id"
  done
} 2>/dev/null

# Descriptor 6 is the way out for what the command printed, 7 a pipe that nobody writes to: reading it is waiting.
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
