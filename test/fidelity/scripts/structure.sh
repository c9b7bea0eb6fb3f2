### array basics
a=(x "y z" w); echo ${a[0]} "${a[1]}" ${#a[@]} "${a[@]}" "${!a[@]}"
### array append and holes
a=(1); a+=(2 3); a[10]=x; unset 'a[1]'; echo "${!a[@]}" "${a[@]}" ${#a[@]}
### array slices and patterns
a=(one two three); echo "${a[@]:1:1}" "${a[@]/o/0}" "${a[@]#t}" "${a[-1]}"
### associative arrays
declare -A m=([a]=1 ["b c"]=2); m[d]=3; echo ${m[a]} "${m[b c]}" ${#m[@]}; for k in a 'b c' d; do echo "$k=${m[$k]}"; done
### declare -p
declare -a a=(1 2); declare -A m=([k]=v); declare -i n=3; declare -r c=4; declare -x e=5; declare -p a m n c e
### array in a function
f() { local -a l=("$@"); echo ${#l[@]} "${l[1]}"; }; f a 'b c'; echo "${l-none}"
### read into an array
read -ra a <<< "1 2 3"; echo ${#a[@]} ${a[2]}; IFS=, read -ra b <<< "x,y,,z"; echo ${#b[@]} "[${b[2]}]"
### array arithmetic
a=(1 2 3); ((a[0]++, a[1]*=5)); echo ${a[@]} $((a[0]+a[1]))
### assign to whole array from command
a=($(echo 1 2 3)); echo ${#a[@]}; a=(*); echo "${a[@]}"
### unset array
a=(1 2); unset a; echo ${#a[@]} "[${a[@]}]"
### copy an array
a=(1 '2 3'); b=("${a[@]}"); echo "${#b[@]} ${b[1]}"
### nameref
declare -n r=foo; foo=5; echo $r; r=6; echo $foo; f() { local -n x=$1; x=changed; }; f foo; echo $foo
### functions
f() { echo "$1 $#"; return 3; }; f a b; echo $?
### function keyword and local
function g { local x=inner; echo $x; h; }; h() { echo "$x"; }; x=outer; g; echo $x
### recursion
fact() { (( $1 <= 1 )) && echo 1 || echo $(( $1 * $(fact $(( $1 - 1 ))) )); }; fact 10
### function redefinition and unset
f() { echo 1; }; f; f() { echo 2; }; f; unset -f f; f; echo $?
### function with a subshell body
f() ( x=in; echo $x; ); x=out; f; echo $x
### exported function
f() { echo "child $1"; }; export -f f; bash -c 'f x'
### function that hides a builtin
echo() { builtin echo "mine: $*"; }; echo hi; unset -f echo; echo hi
### return outside
return 2>/dev/null; echo "after $?"; return; echo end
### declare -f
f() { for i in 1 2; do echo $i; done | cat; }; declare -f f; type f | head -n 1
### function names
a-b() { echo dash; }; a-b; a.b() { echo dot; }; a.b; _x() { echo under; }; _x
### type and command
type echo; type -t ls if echo; command -v echo; command -v nothing-like-this; echo $?; type nothing-like-this
### if elif else
for n in 1 5 9; do if ((n < 3)); then echo low; elif ((n < 7)); then echo mid; else echo high; fi; done
### while until break continue
i=0; while :; do ((++i == 2)) && continue; ((i > 4)) && break; echo $i; done; until ((i == 0)); do ((i--)); done; echo $i
### nested break
for i in 1 2; do for j in 1 2; do [[ $j == 2 ]] && continue 2; echo $i$j; done; done
### c-style for
for ((i = 0, j = 10; i < j; i += 3, j--)); do echo $i $j; done
### for over positional
set -- a 'b c'; for x; do echo "$x"; done; for x in; do echo never; done; echo $x
### case
for x in apple 5 '*' '' abc; do case $x in a*e) echo 1 ;; [0-9]) echo 2 ;; '*') echo 3 ;; '') echo 4 ;; *) echo 5 ;; esac; done
### case fallthrough
case a in a) echo 1 ;& b) echo 2 ;;& a*) echo 3 ;; *) echo 4 ;; esac
### select
PS3='? '; printf '2\n' | { select x in a b; do echo "got $x"; break; done; }
### test
[ -n "" ]; echo $?; [ a = a -a b != c ]; echo $?; [ 3 -gt 2 ] && echo gt; test -e . && echo e; [ ]; echo $?
### double brackets
[[ abc == a* && ! x == y ]] && echo glob; [[ abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}; [[ a < b ]] && echo lt; [[ -z '' || -f / ]] && echo or
### test errors
[ a -eq 1 ]; echo $?; [ 1 2 3 ]; echo $?; [[ 08 -eq 8 ]]; echo $?
### arithmetic command
((0)); echo $?; ((1)); echo $?; ((x = 5, y = x++)); echo $x $y; let z=3+4; echo $z
### arithmetic errors
echo $((1/0)); echo "after"
### arithmetic syntax error
echo $((1 +)); echo "after $?"
### arithmetic with strings
x='1+2'; echo $((x*2)) $((abc)) $((y=7)) $y
### lists
true && echo a || echo b; false && echo a || echo b; ! true; echo $?; true; false; echo $?
### groups and subshells
{ x=1; }; echo $x; (x=2; exit 5); echo $x $?; { echo a; echo b; } | tac
### background and wait
sleep 0.05 & p=$!; wait $p; echo $?; (exit 7) & wait $!; echo $?; [[ $p =~ ^[0-9]+$ ]] && echo pid
### wait for several
for i in 3 1 2; do (exit $i) & done; wait; echo $?
### coproc
coproc C { read x; echo "got $x"; }; echo hi >&${C[1]}; read y <&${C[0]}; echo $y; wait
### eval
x='echo "$y"'; y='a  b'; eval $x; eval "$x"; eval 'a=1; b=2'; echo $a$b; eval; echo $?
### source
printf 'echo "in $1"; v=set\nreturn 4\n' > lib; . ./lib arg; echo "$? $v"; . nofile; echo $?
### exec replaces
exec echo replaced; echo never
### exec of what is not there
exec nothing-like-this; echo never
### exec in a subshell
(exec echo sub); echo after; exec 2>&1; echo same
### exit codes
(exit 256); echo $?; (exit -1); echo $?; (exit abc) 2>&1; echo $?
### exit in function
f() { exit 9; }; f; echo never
### exit of the last command
true; false
### exit without a code
(exit 6); exit
### not found and not executable
nothing-like-this; echo $?; touch f; ./f; echo $?; /nonexistent-place/x; echo $?; . ; echo $?
### directory as a command
mkdir d; ./d; echo $?; d; echo $?
### script without a hash-bang
printf 'echo "plain $1"\n' > s; chmod +x s; ./s x
### time
TIMEFORMAT=%0lR; time true; { time sleep 0; } 2>&1 | grep -c 0m0
### aliases are not expanded
alias ll='echo alias'; ll; echo $?
### expand_aliases
shopt -s expand_aliases
alias hi='echo hello '
hi there
unalias hi; hi
### comments
echo a # comment
echo 'b # c' "d#e" f#g # end
### empty lines and semicolons

echo a;

echo b
### shebang as a comment
#!/bin/sh
echo "${BASH_VERSION:+bash}"
### long pipeline of builtins
echo 1 | { read a; echo $((a + 1)); } | { read a; echo $((a + 1)); } | cat
### negated pipeline and status
! false | true; echo $?; ! true | false; echo $?
### printf
printf '%s-%5d|%-5s|%05.1f|%x|%c|%%|%b|%q\n' a 42 b 3.14159 255 xyz 'a\tb' "it's"; printf '%s\n' a b c; printf '%(%Y)T\n' 0
### printf without arguments
printf '%s|%d|\n'; printf '%d\n' abc; echo $?; printf 'x'; printf '%z' 2>/dev/null; echo $?
### echo flags
echo -n a; echo -e 'b\tc'; echo -E 'd\te'; echo -- x; echo -ne 'f\n'
### getopts
set -- -a -b val -x rest; while getopts ab: o; do echo "$o ${OPTARG-}"; done; shift $((OPTIND - 1)); echo "$@"
### shift
set -- 1 2 3; shift; echo $*; shift 5; echo "$? $*"
### local outside a function
local x=1; echo $?
### readonly
readonly x=1; x=2; echo never
### readonly in a function, local
readonly x=1; (x=2) 2>&1; echo "$? $x"; f() { local x=3; }; f 2>&1; echo $?
### integer attribute
declare -i n; n=3+4; echo $n; n=abc; echo $n; n=1/0; echo never
### case attributes
declare -u u=abc; declare -l l=ABC; echo $u $l
### unset of readonly
readonly r=1; unset r; echo "$? $r"
### export and env
export V=1; env | grep ^V=; V=2 env | grep ^V=; echo $V; export -n V; env | grep -c ^V=; W=3; bash -c 'echo "[$W]"'
### declare -g
f() { declare -g G=1; declare L=2; }; f; echo "$G ${L-none}"
### variables before a function call
f() { echo $v; }; v=1; v=2 f; echo $v
### pushd and popd
mkdir -p a/b; pushd a > /dev/null; pushd b > /dev/null; dirs -l | sed "s|$OLDPWD|X|g" | wc -w; popd > /dev/null; popd > /dev/null; popd; echo $?
### cd and pwd
mkdir -p a/b; ln -s a l; cd l/b; echo ${PWD##*/l}; cd -P .; echo ${PWD##*/}; cd -; cd nowhere; echo $?; cd ''; echo $?
### leading cd
cd / && pwd && cd - > /dev/null && echo back
### umask
umask; umask 077; touch f; stat -c %a f; umask -S
### hash
hash -r; hash; ls / > /dev/null; hash | tail -n 1 | grep -o 'ls$'
### history expansion is off
echo "a!b" !x 'c!d'
### compgen and complete
compgen -W 'aa ab b' a; complete -p 2>&1 | head -n 1
### caller
f() { caller 0; }; f; caller; echo $?
### enable
enable -n echo; type -t echo; enable echo; type -t echo
### builtin keyword
builtin echo x; builtin nothing 2>&1; echo $?
### let and quoting
let 'x = 1 + 2' y=x*2; echo $x $y; let 0; echo $?
### string comparison in arithmetic context
[[ 10 -gt 9 ]] && echo num; [[ 10 > 9 ]] || echo str
### deep nesting
f() { (( $1 )) && f $(( $1 - 1 )) || echo bottom; }; f 50
### mapfile options
printf 'a:b:c:' | { mapfile -d : -t x; echo "${#x[@]} ${x[2]}"; }
### a restricted shell
x=1; set -r; cd /; x=2; echo $x > f; echo "$? $x"
### a restricted shell that ends in a pipeline
set -r; false | true
### the arguments of the shell itself [differs: pipestatus]
x=1; declare -a | grep ARGC
