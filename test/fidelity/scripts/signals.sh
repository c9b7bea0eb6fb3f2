### exit trap
trap 'echo bye' EXIT; echo hi
### exit trap with status
trap 'echo "bye $?"' EXIT; exit 3
### exit trap that changes the status
trap 'exit 5' EXIT; exit 3
### exit trap in a subshell
(trap 'echo sub' EXIT; true); echo main
### exit trap is not inherited
trap 'echo main' EXIT; (echo sub); echo end
### exit trap in a function
f() { trap 'echo "fn $1"' EXIT; }; f x; echo end
### trap removed
trap 'echo no' EXIT; trap - EXIT; echo end
### trap on 0
trap 'echo zero' 0; echo end
### listing traps
trap 'echo x' EXIT USR1; trap 'y' INT; trap -p; trap; trap -p INT
### listing when there are none
trap; trap -p; echo end
### listing in a substitution
trap 'echo x' USR1; x=$(trap -p USR1); echo "$x"
### err trap
trap 'echo "err $? $LINENO"' ERR; true; false; echo end
### err trap in a function
set -E; trap 'echo err' ERR; f() { false; true; }; f; echo end
### debug trap
trap 'echo "debug: $BASH_COMMAND"' DEBUG; x=1; echo $x; trap - DEBUG; echo end
### return trap
f() { trap 'echo return' RETURN; echo body; }; f; echo end
### signal trap
trap 'echo got usr1' USR1; kill -USR1 $$; echo end
### several signals
trap 'echo "sig"' USR1 USR2; kill -USR2 $$; kill -USR1 $$; echo end
### ignored signal
trap '' TERM; kill -TERM $$; echo survived; bash -c 'kill -TERM $$; echo child survived'
### default again
trap 'echo no' TERM; trap - TERM; kill -TERM $$; echo never
### trap on term
trap 'echo term; exit 4' TERM; kill -TERM $$; echo never
### killed
kill -9 $$; echo never
### terminated
kill $$; echo never
### hangup
kill -HUP $$; echo never
### quit
kill -QUIT $$; echo never
### child killed
sleep 5 & kill -9 $!; wait $!; echo $?
### child killed in the foreground
bash -c 'kill -9 $$'; echo $?
### child terminated in the foreground
bash -c 'kill -TERM $$'; echo $?
### child segfault
bash -c 'kill -SEGV $$'; echo $?
### last command dies by a signal
true; bash -c 'kill -9 $$'
### only command dies by a signal
bash -c 'kill -TERM $$'
### last command of a list dies by a signal [differs: last-by-signal]
x=1; bash -c 'kill -9 $$'
### abort signal in a pipeline
bash -c 'kill -ABRT $$' | cat; echo "${PIPESTATUS[@]}"
### interrupt
kill -INT $$; echo never
### kill -l
kill -l 9 15; kill -l TERM; kill -0 $$ && echo alive
### kill what is not there
kill 999999999; echo $?; kill -NOSUCH $$; echo $?
### wait for a signalled job
(sleep 5) & p=$!; kill -TERM $p; wait $p; echo $?
### trap runs between commands
trap 'echo tick' USR1; (kill -USR1 $$); sleep 0.05; echo end
### pipefail and sigpipe
set -o pipefail; yes | head -n 1 > /dev/null; echo $?
### exit code 128 and above
(exit 130); echo $?; (exit 255); echo $?; exit 137
### jobs
sleep 0.2 & jobs | sed 's/[0-9][0-9]*/n/'; wait; jobs; echo end
### job control is off
set -o | grep monitor; fg; echo $?
### monitor
set -m; sleep 0.01 & wait; set +m; echo end
### disown
sleep 0.01 & disown; jobs; echo end
### bang is the pid
: & [[ $! -gt 1 ]] && echo ok; wait
### dollar dollar in a subshell
[[ $$ == $(echo $$) && $BASHPID != $(echo $BASHPID) ]] && echo ok
### process group
[[ $(ps -o pgid= -p $$ | tr -d ' ') == $$ ]] && echo leader
### parent of a child
bash -c '[[ $PPID == '$$' ]] && echo mine'; true
### signals are at their defaults
grep -E 'Sig(Ign|Blk)' /proc/self/status
### signals in a background child
(grep SigIgn /proc/self/status) & wait
### time limit command
timeout 0.1 sleep 5; echo $?
### trap with a quote
trap "echo \"it's\"" EXIT; true
### nested traps
trap 'trap "echo inner" EXIT; echo outer' EXIT; true
### exit in an exit trap after set -e
set -e; trap 'echo "trap $?"' EXIT; false; echo never
### kill all of a group of children
(trap 'echo child; exit' TERM; sleep 5 & wait) & sleep 0.1; kill -TERM $!; wait $!; echo $?
### suspend is refused or not
suspend 2>/dev/null; echo "status $?"
### nohup
nohup echo x 2> /dev/null; cat nohup.out 2> /dev/null; echo end
### setsid
setsid echo x; echo $?
### traps listed by a text that cannot be read [differs: hidden-trap]
list=trap; x=1; eval "$list"
### an exit code that looks like a death [differs: four-codes]
exit 143
### a child's death as one's own code [differs: four-codes]
(kill -TERM $BASHPID); exit $?
### a signal to itself, in the middle of a builtin [differs: own-signal]
x=1; kill -USR1 $$ no-number
