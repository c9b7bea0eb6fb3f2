# Part of remote-agent.sh for commands with input from the caller. nacre_feeds is open (input is stored in the file input,
# and a lost connection loses nothing) or once (stdin of the caller is forwarded directly).

nacre_receive_input() { # receives input from this connection in the background
  # `<&0`, because background processes otherwise read /dev/null.
  case ${nacre_feeds-} in
    open)
      # By offset: a connection that is already replaced may still write the same bytes to the same position.
      nacre_file_size input
      nacre_report fed "$nacre_bytes"
      dd bs=65536 oflag=seek_bytes seek="$nacre_bytes" conv=notrunc of=input <&0 >/dev/null 2>&1 6>&- 7<&- &
      nacre_input_pid=$!
      ;;
    once)
      nacre_report fed 0
      nacre_forward_input <&0 6>&- >/dev/null &
      nacre_input_pid=$!
      ;;
  esac
}

nacre_forward_input() { # forwards stdin and its end to the command
  nacre_find_listener && [[ -p /proc/$nacre_listener/fd/4 ]] || { nacre_report cut; return; }
  cat >"/proc/$nacre_listener/fd/4" 7<&- && nacre_end_input && nacre_report taken
}

nacre_file_size() { # sets nacre_bytes to the size of file $1
  nacre_bytes=$(($(wc -c <"$1")))
}

nacre_find_listener() { # sets nacre_listener and nacre_listener_time: the process that holds the command's input
  local tries
  for ((tries = 0; tries < 400; tries++)); do [[ ! -s listener ]] || break; nacre_pause 0.005; done
  read -r nacre_listener nacre_listener_time <listener && ! nacre_is_other_process "$nacre_listener" "$nacre_listener_time"
}

nacre_end_input() { # closes the command's input, unless the pid of the listener was reused
  ! nacre_is_other_process "$nacre_listener" "$nacre_listener_time" && kill -USR2 "$nacre_listener"
}

nacre_write_input() { # copies the file input to the command; outlives the connections
  local guard
  nacre_find_listener || return
  nacre_await_input &
  guard=$!
  tail -c +1 -s 0.02 -f --pid="$guard" -- input >"/proc/$nacre_listener/fd/4" && nacre_end_input
  kill "$guard"
} 2>/dev/null

nacre_await_input() { # returns when the input is complete or the run is over
  local tries=0
  until [[ -s input.end ]] && nacre_file_size input && ((nacre_bytes >= $(<input.end))); do
    ! nacre_is_over || return
    if ((++tries < 100)); then nacre_pause 0.02; else nacre_pause 0.1; fi
  done
}

nacre_finish() { # task: records the total size of the input, which is $nacre_words
  cd -- "$nacre_dir" 2>/dev/null || return
  printf '%s\n' "$nacre_words" >input.new && mv -f input.new input.end
}
