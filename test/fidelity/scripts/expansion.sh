### positional parameters of -c
echo "$0 $# [$*] [$@]"
### special parameters
echo "$- $? $#"; false; echo $?; true; echo "$?"
### default values
unset x; y=; echo "${x-d} ${x:-d} ${y-d}| ${y:-d} ${x+s} ${y+s} ${y:+s}|"
### assigning defaults
unset x; echo "${x:=made} $x"; : "${y=2}"; echo $y
### error if unset
unset x; echo before; echo "${x?nothing there}"; echo after
### error if empty, with message
x=; (echo "${x:?is empty}"); echo "status $?"
### length and substring
s=abcdefgh; echo ${#s} ${s:2} ${s:2:3} ${s: -3} ${s: -3:2} ${s:1:-2}
### negative length out of range
s=abc; echo ${s:1:-5}; echo "status $?"
### prefix and suffix
f=/a/b/c.tar.gz; echo ${f#*/} ${f##*/} ${f%.*} ${f%%.*}
### replacement
s=banana; echo ${s/a/o} ${s//a/o} ${s/#b/B} ${s/%a/A} ${s//[an]/} ${s/x/y}
### replacement with ampersand
s=abc; shopt -s patsub_replacement 2>/dev/null; echo "${s/b/<&>}"
### case modification
s=hello; t=WORLD; echo ${s^} ${s^^} ${t,} ${t,,} ${s^^[lo]} ${s~~}
### indirect
x=y; y=z; echo ${!x}; abc1=1 abc2=2; echo ${!abc*} ${!abc@}
### transformations
s=$'a b\nc'; echo "${s@Q}"; declare -r r=1; echo "${r@a} ${s@U} ${s@A}"; p='\u'; echo "${p@E}"
### command substitution
echo "$(echo a; echo b)" `echo c`; x=$(printf 'x\n\n\n'); echo "[$x]"
### nested command substitution
echo $(echo $(echo $(echo deep))) `echo \`echo back\``
### quoting inside substitution
echo "$(echo "a  b")" '$(no)' "\$x" "\`" \'
### word splitting
x='a  b	c'; set -- $x; echo $#; IFS=:; y=1:2::3; set -- $y; echo "$# [$3]"
### IFS unset and empty
x='a b'; IFS=; set -- $x; echo $#; unset IFS; set -- $x; echo $#
### star and at with IFS
set -- a b c; IFS=-; echo "$*" "$@" $*
### empty arguments
f() { echo $#; }; x=; f $x; f "$x"; f ''; f "" $x ''; set --; f "$@"; f "x$@"
### brace expansion
echo a{b,c}d {1..5} {a..e..2} {5..1} {01..03} x{,y}z {a,b}{1,2} {a} {} {1..}
### brace expansion is not in quotes
echo "{a,b}" \{a,b} {a,b\,c}
### tilde
HOME=/h; echo ~ ~/x "~" x~ ~root | sed 's/root$/R/'; x=~/y; echo $x; PATH=~/bin:~/s:$PATH; echo ${PATH%%:/[^h]*}
### globs
touch a.c b.c c.h; echo *.c *.x [ab].* ?.h; echo "*.c"; shopt -s nullglob; echo *.zip; shopt -u nullglob; shopt -s failglob; echo *.zip; echo "status $?"
### dotglob and globstar
mkdir -p d/e; touch .hidden d/f d/e/g; echo *; shopt -s dotglob globstar; echo *; echo **/*
### extglob
shopt -s extglob
touch foo.a foo.b bar.a; echo !(foo*) @(foo|bar).a +([a-z]).b ?(foo).b
### glob order and classes
touch B a C b; echo [[:upper:]] [!a-z]* [a-b]
### GLOBIGNORE
touch x.o x.c; GLOBIGNORE='*.o'; echo *
### nocaseglob
touch FILE; shopt -s nocaseglob; echo f*
### set -f
touch a b; set -f; echo *; set +f; echo *
### arithmetic expansion
echo $((1+2*3)) $((7/2)) $((-7/2)) $((7%3)) $((2**10)) $((1<<4)) $((0x1f)) $((010)) $((2#101)) $((1?2:3))
### ansi-c quoting
echo $'a\tb\n\x41\u00e9\'\101\e[0m\\' | od -c | head -5
### locale quoting
echo $"hello $((1+1))"
### backslash newline
echo a\
b "c\
d" 'e\
f'
### here string in substitution
echo $(cat <<<"x y") $(<<<z cat)
### file read substitution
echo content > f; echo "$(<f)"; x=$(<missing); echo "status $? [$x]"
### process substitution
diff <(printf '1\n2\n') <(printf '1\n3\n'); echo $?; cat <(echo a) <(echo b)
### process substitution for writing
echo x > >(cat; echo end); wait; sleep 0.05
### unset positional
set -- a b; echo ${3-none} ${@:1:1} ${@: -1} ${*:2} $#
### ten and more positional
set -- {1..12}; echo $10 ${10} ${11} "${@:10:2}"
### bad substitution
echo before; echo ${x!y}; echo after
### empty command name from expansion
x=; $x echo hi; $x; echo "status $?"
### word that expands to a command
c='echo hi'; $c there; "$c" 2>&1; echo "status $?"
### quoted null in pattern
s=abc; echo ${s#""} ${s%"c"} ${s#'a'}
### dollar at end
echo a$ "b$" $ 'c$'
### nested parameter expansion
a=1; b=; echo ${b:-${c:-${a}}} ${b:-"$(echo sub)"} ${#a}
### slices of at
set -- a b c d; echo "${@:2:2}" "${@:0:1}" "${#@}" "${#}"
### underscore
echo a b; echo $_; : x y; echo "$_"
### LINENO
echo $LINENO
echo $LINENO; f() { echo $LINENO; }
f
### random and seconds are set
[[ $RANDOM != "$RANDOM$RANDOM" ]] && echo random; echo "$SECONDS"
### bash variables
echo "$BASH_SUBSHELL ${BASH_VERSINFO[0]:+v} ${#BASHPID}" | sed 's/[0-9]*$/n/'; (echo $BASH_SUBSHELL)
### BASH_EXECUTION_STRING
echo "$BASH_EXECUTION_STRING"
### FUNCNAME and BASH_SOURCE
f() { echo "${FUNCNAME[*]} [${BASH_SOURCE[*]}] ${BASH_LINENO[*]}"; }; f; echo "[${FUNCNAME[*]}] [${BASH_SOURCE[*]}]"
### SHLVL
echo $SHLVL; bash -c 'echo $SHLVL'
