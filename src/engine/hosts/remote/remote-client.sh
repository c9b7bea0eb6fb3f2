# Stands in for a command on another machine: a fork of the run's supervisor here. It starts the command over there exactly
# once, brings its output, after a cut link from where it stopped, passes on what is to be ended, and ends as it did.
#
# $nacre_client: the words that open a connection to a bash over there; $nacre_far_script: what is sent to it; the file
# "far": what only a start needs. The working directory is the run's. What comes from there is data: nothing is evaluated.

nacre_far_text() { # $1: task, $2: stream, $3: received so far, $4: words
  local LC_ALL=C body
  body="nacre_task=$1 nacre_id=${nacre_far_id:-$nacre_id} nacre_stream=$2 nacre_from=$3 nacre_words=${4@Q} nacre_feeds=$nacre_far_feeds nacre_follow=$nacre_far_following nacre_at=$nacre_far_at"$'\n'
  if [[ $1 == start ]]; then
    body+="nacre_array=${nacre_array-}"$'\n'
    # Its input is brought by who comes later.
    ! nacre_far_queues start || body+=$'nacre_unfed=1\n'
    body+=$(<far)$'\n'"nacre_exports=${NACRE_FAR_EXPORTS@Q}"$'\n'
    body+="nacre_supervisor=${nacre_far_supervisor@Q}"$'\n'"nacre_later_text=${nacre_far_later@Q}"$'\n'
  fi
  [[ -z $nacre_far_feeds && $1 != finish ]] || body+=$nacre_far_input$'\n'
  body+=$nacre_far_body
  printf '%s %s nacre_text && eval "$nacre_text"\n%s' "$nacre_far_first" "${#body}" "$body"
}

nacre_far_queues() { # is task $1 only to be put into a queue?
  [[ $1 == start && -n ${nacre_queues-} && ( $nacre_watch == nobody || -z $nacre_far_at ) ]]
}

nacre_far_connect() { # the same arguments; the output goes to descriptor 8, every line about it to our own
  local feeds= line status
  [[ $2 != out ]] || nacre_far_queues "$1" || feeds=$nacre_far_feeds
  [[ -z $feeds ]] || : >far.feeder >far.fed
  exec 9>&1
  exec 13< <(
    exec 8>&- 9>&- 10<&- 2>/dev/null
    [[ -z $feeds ]] || { nacre_start_time "$BASHPID"; printf '%s %s\n' "$BASHPID" "$nacre_time" >far.feeder; }
    nacre_far_text "$@"
    [[ -z $feeds ]] || nacre_far_feed
  )
  nacre_far_open "$1" <&13 2>&9 8>&- 9>&- 13<&- | nacre_far_count "$feeds" 13<&-
  status=${PIPESTATUS[0]}
  # What nobody has read nobody can have run.
  if [[ $1 == start ]] && IFS= read -r -t 1 -u 13 line && [[ $line == "$nacre_far_first "* ]]; then status=untouched; fi
  printf 'left %s\n' "$status" >&9
  exec 13<&-
}

nacre_far_is_wanted() { [[ -e ending ]]; } # a run that was cleared away has nobody who waits for it

nacre_far_feed() { # our input, once the far end asks for it: one that stays open from where it has it, another as it comes
  until [[ -s far.fed ]]; do nacre_far_is_wanted || exit; sleep 0.02; done
  [[ $nacre_far_feeds == open ]] || exec cat <&7
  exec tail -c "+$(($(<far.fed) + 1))" -s 0.02 -f --pid="$nacre_far_spooler" -- far.in 7<&-
}

nacre_far_spool() { # an input that stays open, as it comes; its end is told by itself, for a cut link looks the same
  cat <&7 >far.in
  until nacre_far_recall; nacre_far_feeds= nacre_far_text finish out 0 "$(($(wc -c <far.in)))" | nacre_far_quietly finish; do
    nacre_far_is_wanted && kill -0 "$nacre_far_self" || return
    sleep 1
  done
}

nacre_far_count() { # what came, exactly: from there the next connection goes on; $1: whether somebody feeds this one
  local report
  report=$(LC_ALL=C dd bs=65536 2>&1 >&8 7<&- 9>&-)
  # Nobody listens any more: who waits for input would not notice.
  if [[ -n $1 ]]; then
    until [[ -s far.feeder ]]; do nacre_far_is_wanted || exit; sleep 0.01; done
    # Its input may have ended long ago.
    nacre_signal_process KILL $(<far.feeder)
  fi
  report=${report##*$'\n'}
  printf 'received %s\n' "${report%% *}" >&9
}

nacre_far_number() { # is $1 a plain number?
  [[ -n $1 && $1 != *[!0-9]* && ${#1} -lt 16 ]]
}

nacre_far_lose() { # $1: word for the supervisor, $2: what to say of it
  printf '%s\n' "$2" >far.why
  [[ -e far.state ]] || { printf 'failed %s\n' "$1" >far.new && mv far.new far.state; }
  printf '%s\n' "$1" >failed
  exit 126
}

nacre_far_hear() { # one line from there
  local line=$1 value=${1##* }
  case $line in
    'nacre started '*)
      nacre_far_number "$value" || return
      nacre_far_task=attach nacre_far_tries=0
      [[ -e far.state ]] || { printf 'started %s\n' "$value" >far.new && mv far.new far.state; }
      ;;
    'nacre total '*) ! nacre_far_number "$value" || nacre_far_total=$value ;;
    'nacre gap '*) ! nacre_far_number "$value" || { ((nacre_far_from += value)); printf '%s\n' "$value" >>far.gaps; } ;;
    'nacre pipe '*) line=${line#nacre pipe } && [[ $line == *[!0-9\ ]* ]] || printf '%s' "$line" >pipestatus ;;
    'nacre shell before' | 'nacre shell after') : >"far.$value" ;;
    'nacre shell before '* | 'nacre shell after '*) nacre_far_keep "$line" ;;
    'nacre fed '*) ! nacre_far_number "$value" || printf '%s\n' "$value" >far.fed ;;
    'nacre taken') nacre_far_feeds= ;;
    'nacre cut') : >far.cut ;;
    'nacre behind '* | 'nacre survivors '* | 'nacre ends '*) printf '%s\n' "${line#nacre }" >>far.names ;;
    'nacre ended '*) nacre_far_ending=${line#nacre ended } ;;
    'nacre failed '*) nacre_far_failed=${line#nacre failed } ;;
    'nacre place '*) [[ $value == *[!0-9a-f-]* ]] || nacre_far_other=$value ;;
    'nacre refused') nacre_far_left=untouched ;;
    'left '*) [[ $nacre_far_left == untouched ]] || nacre_far_left=$value ;;
    'received '*) ! nacre_far_number "$value" || ((nacre_far_from += value)) ;;
    nacre*) ;;
    *) nacre_far_last=$line nacre_far_line=$line ;;
  esac
}

nacre_far_keep() { # a line with a part of what the shell was before or after the command
  local letters=${1#nacre shell * } name=${1#nacre shell }
  [[ $letters != *[!A-Za-z0-9+/=]* ]] && ((++nacre_far_shown < 9000)) || return
  printf '%s\n' "$letters" >>"far.${name%% *}"
}

nacre_far_follow() { # $1: stream, $2: where its output goes, $3: the first task; until everything is here
  local line
  nacre_far_task=$3 nacre_far_from=0 nacre_far_tries=0 nacre_far_last= nacre_far_failed= nacre_far_moves=0
  [[ -z $nacre_far_following ]] || nacre_far_from=$nacre_far_total
  while :; do
    nacre_far_total= nacre_far_ending= nacre_far_other= nacre_far_left= nacre_far_line=
    exec 10< <(exec 8>&"$2" 10<&- 11>&- 12>&-; nacre_far_connect "$nacre_far_task" "$1" "$nacre_far_from" '')
    while IFS= read -r -n 4000 -u 10 line; do nacre_far_hear "$line"; done
    exec 10<&-
    [[ -z $nacre_far_failed ]] || nacre_far_explain
    [[ -z $nacre_far_ending || $nacre_far_total != "$nacre_far_from" ]] || return 0
    if [[ -n $nacre_far_other ]] && nacre_far_move; then continue; fi
    nacre_far_retry
  done
}

nacre_far_doubt() { # it may have begun, as far as anybody here knows: nobody may run it somewhere else
  [[ -e far.state ]] || { printf 'failed unsure\n' >far.new && mv far.new far.state; }
}

nacre_far_explain() {
  case $nacre_far_failed in
    cwd) nacre_far_lose cwd 'the working directory could not be entered' ;;
    exec) nacre_far_lose exec 'the shell could not be started over there' ;;
    store) nacre_far_lose place 'no directory for the run could be made over there' ;;
    restarted) nacre_far_doubt; nacre_far_lose place 'the machine was restarted' ;;
    *) nacre_far_doubt; nacre_far_lose place 'it is not there any more' ;;
  esac
}

nacre_far_retry() { # the connection ended before the run did
  ((++nacre_far_tries))
  # Nobody is there any more whom it could be told to: the run was cleared away, or who stands in for it was killed.
  [[ -e ending ]] || exit 126
  [[ -n $nacre_far_following ]] || kill -0 "$nacre_far_self" 2>/dev/null || exit 126
  # What was on its way is lost, and nobody can say how much of it: the command has seen the end of its input.
  [[ $nacre_far_feeds != once || ! -s far.fed ]] || { nacre_far_feeds=; : >far.cut; }
  [[ $nacre_far_task != start ]] || nacre_far_weigh
  sleep "$((nacre_far_tries < 10 ? nacre_far_tries / 5 : 5)).2"
}

nacre_far_move() { # who answered is not whom we meant, and ran nothing: it is meant from now on, if nobody else may have begun
  [[ $nacre_far_task == start && -z $nacre_far_unsure$nacre_far_stopping ]] && ((++nacre_far_moves < 5)) || {
    nacre_far_last='another machine, or another container, answers by this name'
    [[ $nacre_far_task == start ]] || ((nacre_far_tries < 5)) || nacre_far_lose place "$nacre_far_last"
    nacre_far_left=untouched
    return 1
  }
  nacre_far_at=$nacre_far_other
  [[ -d ${nacre_far_place%/*} ]] || mkdir -p -m 700 -- "${nacre_far_place%/*}"
  printf '%s\n' "$nacre_far_at" >"$nacre_far_place.$BASHPID" && mv -f -- "$nacre_far_place.$BASHPID" "$nacre_far_place"
  return 0
}

nacre_far_weigh() { # a start has failed: did it begin, and is there a point in going on?
  local most=4
  # A shell that is not there has run nothing, though its input may have been sent.
  case $nacre_far_left in untouched | 126 | 127) ;; *) nacre_far_unsure=1 && : >far.unsure ;; esac
  if [[ -n $nacre_far_unsure ]]; then
    # The place is asked until it answers: there a second start finds the first.
    most=${nacre_far_patience:-12}
  else
    # What will not change is said at once.
    case $nacre_far_left-$nacre_far_line in
      12[67]-* | *denied* | *'not resolve'* | *'Cannot connect'* | *refused* | *'verification failed'* | *'No such'* | *'not found'* | *'not running'* | *'Name or service'* | *[Ii]nvalid* | *fatal:*) most=0 ;;
      # Each of these took a quarter of a minute.
      *'timed out'*) most=2 ;;
    esac
  fi
  ! ((nacre_far_tries < most)) || [[ -n $nacre_far_stopping ]] || return
  [[ -z $nacre_far_unsure ]] || nacre_far_doubt
  nacre_far_lose unreachable "${nacre_far_last:-the connection ended without a word}"
}

nacre_far_send() { # $1: task, $2: words; again until it arrives
  local tries nacre_far_words=$2
  (
    trap '' TERM INT HUP USR2 QUIT
    for tries in 0.1 0.2 0.5 1 2 5 5 5 5 5; do
      [[ -n $nacre_far_at ]] || nacre_far_recall
      nacre_far_feeds= nacre_far_text "$1" out 0 "$2" | nacre_far_quietly "$1" && break
      sleep "$tries"
    done
  ) </dev/null &
}

nacre_far_recall() { # where runs of this host are, as far as anybody was there
  nacre_far_at=
  [[ ! -s $nacre_far_place ]] || IFS= read -r nacre_far_at <"$nacre_far_place"
  [[ $nacre_far_at != *[!0-9a-f-]* ]] || nacre_far_at=
}

nacre_far_stop() { # $1, $2: what is said over there; what has not begun does not begin any more
  nacre_far_stopping=1
  nacre_far_send "$1" "$2"
}

nacre_far_open() { "${nacre_client[@]}"; } # $1: task, for who needs to know it

nacre_far_quietly() { nacre_far_open "$1" >/dev/null 2>&1 7<&- 8>&- 10<&- 11>&- 12>&-; }

nacre_far_pass() { # exactly the signal that the file names, or word that nobody waits any more
  local word
  IFS= read -r word <far.signal || return
  if [[ $word == release ]]; then nacre_far_send say release; else nacre_far_send signal "$word"; fi
}

nacre_far_end() { # as it ended over there
  local how number why rest
  read -r how number why rest <<<"$nacre_far_ending"
  # It was ended by who watches over it there: our own supervisor puts it into the ending.
  case $why in timeout | output_limit) [[ -e reason ]] || printf '%s\n' "$why" >reason ;; esac
  [[ $how != failed ]] || { nacre_far_failed=$number; nacre_far_explain; }
  nacre_far_number "$number" || nacre_far_lose place 'its end could not be understood'
  [[ -z $nacre_far_spooler ]] || nacre_signal_process KILL "$nacre_far_spooler" "$nacre_far_spooler_time"
  [[ ! -e far.names ]] || nacre_far_stay
  ulimit -c 0
  if [[ $how == signaled ]]; then
    trap - "$number"
    kill -"$number" "$BASHPID"
  fi
  [[ $how == exited ]] || nacre_far_lose place 'its end was not seen'
  exit "$number"
}

nacre_far_stay() { # what it left behind goes on: somebody here reads what it prints, and can be told to end it
  grep -q '^behind ' far.names || return
  (
    trap 'nacre_far_send kill TERM' TERM INT HUP
    trap 'nacre_far_send kill KILL' QUIT
    nacre_far_following=1 nacre_far_feeds=
    nacre_far_follow out 11 attach
  ) &
}

trap 'nacre_far_stop say "stop kill"' TERM INT HUP
trap 'nacre_far_stop kill KILL' QUIT
trap nacre_far_pass USR2
trap '' USR1 PIPE TSTP TTIN TTOU
nacre_far_body=$(<"$nacre_far_script") nacre_far_input=$(<"${nacre_far_script%.sh}-input.sh")
nacre_far_supervisor=$(<"$nacre_far_scripts/supervisor.sh") nacre_far_later=$(<"$nacre_far_scripts/supervisor-unattended.sh")
nacre_far_feeds= nacre_far_following= nacre_far_shown=0 nacre_far_spooler= nacre_far_unsure= nacre_far_stopping= nacre_far_self=$BASHPID
nacre_far_first='LC_ALL=C IFS= read -r -N'
nacre_far_recall
[[ -z ${nacre_opens-} ]] || . "$nacre_opens"
# Their own numbers: in what feeds a loop, 1 is the loop. Nothing of ours may go to the run's output.
exec 7<&0 11>&1 12>&2 </dev/null >/dev/null 2>&1
if [[ -n ${nacre_feeds-} && $nacre_input == - ]]; then
  nacre_far_feeds=once
elif [[ -n ${nacre_feeds-} ]]; then
  : >far.in
  nacre_far_feeds=open
  nacre_far_spool 11>&- 12>&- &
  nacre_far_spooler=$!
  nacre_start_time "$nacre_far_spooler"
  nacre_far_spooler_time=$nacre_time
  exec 7<&-
fi
nacre_far_err=
if [[ $nacre_streams == apart ]]; then
  (
    while [[ ! -e far.state && -e ending ]]; do sleep 0.02; done
    read -r nacre_far_word _ <far.state
    # Where it was begun may have become known meanwhile.
    nacre_far_recall
    [[ $nacre_far_word != started ]] || nacre_far_feeds= nacre_far_follow err 12 attach
  ) &
  nacre_far_err=$!
fi
nacre_far_follow out 11 start
[[ -z $nacre_far_err ]] || wait "$nacre_far_err"
nacre_far_end
