# The parent of one sandbox, outside of it. It lives as long as its caller or any run in there does, and the sandbox dies
# with it. Started in the sandbox's own directory; descriptors: 3 the caller (lines), 4 this script, 5 the filter,
# 6 the way to the network if it goes through the caller. bwrap waits for a byte of `gate` before it runs anything.
exec 4<&-
. ./spec
# Words for a caller that has gone must not end who clears away after it; a handler, for what is ignored is inherited.
trap : PIPE

nacre_slot() { # $1: number; its pipes, and word of it to the inside
  mkdir -m 700 "slots/$1" && mkfifo -m 600 "slots/$1"/{answer,request,pipestatus,in,out,err} || return
  printf '%s\n' "$1" >&7
  printf 'slot %s\n' "$1" >&3
}

nacre_lives() { # $1: a process, $2: its start time
  local line
  IFS= read -r line <"/proc/$1/stat" || return
  line=${line##*) }
  set -- "$2" $line
  [[ $2 != [ZX] && ${21} == "$1" ]]
} 2>/dev/null

nacre_listen() {
  local line word runs=() run busy
  while IFS= read -r -u 3 line; do
    read -r word line <<<"$line"
    case $word in
      slot) nacre_slot "$line" ;;
      run) runs+=("$line") ;;
      close) break ;;
    esac
  done
  # A run that was started in the last moment is on its way to us, or never will be.
  while :; do
    busy=
    for run in "${runs[@]}"; do ! nacre_lives $run || busy=1; done
    [[ -n $busy ]] || break
    sleep 0.5
  done
  nacre_kill "$1"
}

# The group: bwrap's child dies with it only from the moment that it runs something, and until then it waits at the gate.
nacre_kill() { kill -KILL -- "-$1" 2>/dev/null; }

mkdir -m 700 slots && mkfifo -m 600 slots/control gate || exit
exec 7<>slots/control 8<>gate
set -m
(
  # Whatever our caller was given and passed on without knowing: a directory among it would be a way out.
  for nacre_file in /proc/self/fd/*; do
    nacre_file=${nacre_file##*/}
    case $nacre_file in [0-3] | [5-8] | 255) ;; *) eval "exec $nacre_file>&-" ;; esac
  done
  for nacre_file in "${nacre_groups[@]}"; do echo "$BASHPID" >"$nacre_file" || exit 125; done
  exec "${nacre_bwrap[@]}" </dev/null >/dev/null 2>error 3>&- 7>&-
) 2>error &
nacre_sandbox=$!
set +m
exec 5<&- 6>&- 8>&-
printf 'sandbox %s\n' "$nacre_sandbox" >&3
(trap - TERM INT HUP; trap : PIPE; nacre_listen "$nacre_sandbox") &
nacre_listener=$!
trap 'nacre_kill $nacre_sandbox' TERM INT HUP
while kill -0 "$nacre_sandbox" 2>/dev/null; do wait "$nacre_sandbox"; nacre_status=$?; done
printf 'gone %s\n' "$nacre_status" >&3
kill "$nacre_listener" 2>/dev/null
exec 3>&-
# Who was in it is gone with it, but the kernel may need a moment to see that.
for nacre_file in "${nacre_groups[@]}"; do
  for nacre_try in 1 2 3 4 5 6 7 8 9 10; do
    rmdir "${nacre_file%/*}" && break
    sleep 0.1
  done
done 2>/dev/null
# By their names, one by one: whatever else is here is not ours.
for nacre_file in slots/[0-9]*; do
  (cd "$nacre_file" && rm answer request pipestatus in out err preamble command)
  rmdir "$nacre_file"
done 2>/dev/null
{ rm slots/control spec error filter gate && rmdir slots; } 2>/dev/null
nacre_here=$PWD
cd / && rmdir -- "$nacre_here" 2>/dev/null
