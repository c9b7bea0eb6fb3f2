# Parent process of one sandbox. It exits when the caller has closed the sandbox or has exited, and no run is left; the
# sandbox is then killed. The working directory is the directory of the sandbox. bwrap waits for a byte from the pipe
# `gate` before it runs the first program.
#
# Descriptors: 3 the caller (lines), 4 this script, 5 the seccomp filter, 6 the network bridge, 7 slots/control, 8 gate,
# 9 errors of bwrap.
# Lines from the caller: "slot NUMBER" (create a slot), "run PID START" (a supervisor to wait for), "close".
# Lines to the caller: "sandbox PID" (of bwrap), "slot NUMBER" (created), "gone STATUS".
exec 4<&-
. ./spec
# A write to a caller that has exited must not stop the cleanup. A handler, because children inherit an ignored signal.
trap : PIPE

nacre_create_slot() { # creates the named pipes of slot $1 and announces it inside
  mkdir -m 700 "slots/$1" && mkfifo -m 600 "slots/$1"/{answer,request,pipestatus,in,out,err} || return
  printf '%s\n' "$1" >&7
  printf 'slot %s\n' "$1" >&3
}

nacre_is_alive() { # whether process $1 with start time $2 is alive
  local line
  IFS= read -r line <"/proc/$1/stat" || return
  line=${line##*) }
  set -- "$2" $line
  [[ $2 != [ZX] && ${21} == "$1" ]]
} 2>/dev/null

nacre_serve() { # serves the caller, waits for all runs and kills the sandbox with pid $1
  local line word runs=() run busy
  while IFS= read -r -u 3 line; do
    read -r word line <<<"$line"
    case $word in
      slot) nacre_create_slot "$line" ;;
      run) runs+=("$line") ;;
      close) break ;;
    esac
  done
  while :; do
    busy=
    for run in "${runs[@]}"; do ! nacre_is_alive $run || busy=1; done
    [[ -n $busy ]] || break
    sleep 0.5
  done
  nacre_kill_sandbox "$1"
}

nacre_kill_sandbox() { # kills the process group: --die-with-parent has no effect before the gate opens
  kill -KILL -- "-$1" 2>/dev/null
}

mkdir -m 700 slots && mkfifo -m 600 slots/control gate errors || exit
# Programs inside can open the stderr of bwrap in /proc/1/fd. A pipe limits what they can write to its capacity.
exec 7<>slots/control 8<>gate 9<>errors
set -m
(
  # Closes inherited descriptors: a directory among them would be a way out of the sandbox.
  for nacre_file in /proc/self/fd/*; do
    nacre_file=${nacre_file##*/}
    case $nacre_file in [0-3] | [5-8] | 255) ;; *) eval "exec $nacre_file>&-" ;; esac
  done
  for nacre_file in "${nacre_groups[@]}"; do echo "$BASHPID" >"$nacre_file" || exit 125; done
  exec "${nacre_bwrap[@]}" </dev/null >/dev/null 3>&- 7>&-
) 2>&9 &
nacre_sandbox=$!
set +m
exec 5<&- 6>&- 8>&-
printf 'sandbox %s\n' "$nacre_sandbox" >&3
(trap - TERM INT HUP; trap : PIPE; nacre_serve "$nacre_sandbox") &
nacre_listener=$!
trap 'nacre_kill_sandbox $nacre_sandbox' TERM INT HUP
while kill -0 "$nacre_sandbox" 2>/dev/null; do wait "$nacre_sandbox"; nacre_status=$?; done
while read -r -t 0 -u 9 && IFS= read -r -t 0.1 -n 1000 -u 9 nacre_file; do nacre_error=$nacre_file; done
printf '%s\n' "${nacre_error-}" >error
printf 'gone %s\n' "$nacre_status" >&3
kill "$nacre_listener" 2>/dev/null
exec 3>&-
# The kernel may need a moment to empty the cgroups.
for nacre_file in "${nacre_groups[@]}"; do
  for nacre_try in 1 2 3 4 5 6 7 8 9 10; do
    rmdir "${nacre_file%/*}" && break
    sleep 0.1
  done
done 2>/dev/null
# File by file: anything else in this directory is left alone.
for nacre_file in slots/[0-9]*; do
  (cd "$nacre_file" && rm answer request pipestatus in out err preamble command)
  rmdir "$nacre_file"
done 2>/dev/null
{ rm slots/control spec error errors filter gate && rmdir slots; } 2>/dev/null
nacre_directory=$PWD
cd / && rmdir -- "$nacre_directory" 2>/dev/null
