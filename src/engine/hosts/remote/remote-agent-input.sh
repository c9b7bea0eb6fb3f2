# The part of remote-agent.sh for a command whose input comes from the caller. nacre_feeds: open, an input that is sent to while the
# command runs, and loses nothing when a link is cut; or once, what the caller itself has as input, as it comes.

nacre_feed() { # passes our own input on to the command's
  # The input is said explicitly: what runs in the background reads nothing by itself.
  case ${nacre_feeds-} in
    open)
      # By position: another connection that does not know yet that it is dead may write the same bytes to the same place.
      nacre_size input
      nacre_tell fed "$nacre_bytes"
      dd bs=65536 oflag=seek_bytes seek="$nacre_bytes" conv=notrunc of=input <&0 >/dev/null 2>&1 6>&- 7<&- &
      nacre_feeder=$!
      ;;
    once)
      nacre_tell fed 0
      nacre_pass <&0 6>&- >/dev/null &
      nacre_feeder=$!
      ;;
  esac
}

nacre_pass() { # our input to the command, and its end
  nacre_find_listener && [[ -p /proc/$nacre_listener/fd/4 ]] || { nacre_tell cut; return; }
  cat >"/proc/$nacre_listener/fd/4" 7<&- && nacre_end_input && nacre_tell taken
}

nacre_size() { # of file $1, in nacre_bytes
  nacre_bytes=$(($(wc -c <"$1")))
}

nacre_find_listener() { # who holds the command's input, in nacre_listener, and when it began, in nacre_listener_time
  local tries
  for ((tries = 0; tries < 400; tries++)); do [[ ! -s listener ]] || break; nacre_pause 0.005; done
  read -r nacre_listener nacre_listener_time <listener && ! nacre_is_other "$nacre_listener" "$nacre_listener_time"
}

nacre_end_input() { # another process may have the listener's number by now
  ! nacre_is_other "$nacre_listener" "$nacre_listener_time" && kill -USR2 "$nacre_listener"
}

nacre_pump() { # gives the command what has arrived of its input; it outlives the connections that bring it
  local guard
  nacre_find_listener || return
  nacre_await_input &
  guard=$!
  tail -c +1 -s 0.02 -f --pid="$guard" -- input >"/proc/$nacre_listener/fd/4" && nacre_end_input
  kill "$guard"
} 2>/dev/null

nacre_await_input() { # until all of the input is here, or the run is over
  local looks=0
  until [[ -s input.end ]] && nacre_size input && ((nacre_bytes >= $(<input.end))); do
    ! nacre_is_over || return
    if ((++looks < 100)); then nacre_pause 0.02; else nacre_pause 0.1; fi
  done
}

nacre_finish() { # how long the whole input is
  cd -- "$nacre_dir" 2>/dev/null || return
  printf '%s\n' "$nacre_words" >input.new && mv -f input.new input.end
}
