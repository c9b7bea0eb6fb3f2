### here-document
x=1; cat <<E
a $x $(echo b) \$x "q" 'r' `echo c` $((1+1)) \\
E
### quoted here-document
cat <<'E'
$x $(no) \n `no`
E
### tabs
cat <<-E
	one
		two
	E
### two on one line
cat <<A; cat <<B
first
A
second
B
### two for one command
cat <<A <<B
first
A
second
B
### in a function
f() { cat <<E
fn $1
E
}; f x
### in a loop
for i in 1 2; do cat <<E
line $i
E
done
### piped
cat <<E | tr a-z A-Z
abc
E
### in a substitution
x=$(cat <<E
inner
E
); echo "[$x]"
### with a delimiter in the text
cat <<END
ENDING
 END
END
### empty
cat <<E
E
echo "status $?"
### to a descriptor
cat <&3 3<<E
three
E
### read from one
read -r a b <<E
one two three
E
echo "$b|$a"
### without an end
cat <<E
never closed
### with an expansion that fails
cat <<E
${nothing?here}
E
echo after
### large
cat <<E | wc -lc
$(seq 1 20000)
E
### backslash newline in one
cat <<E
a\
b
E
### in a subshell with status
(cat <<E
x
E
exit 3); echo $?
### delimiter with a quote in it
cat <<"E F"
spaced
E F
### after a pipe
echo first |
cat - <(echo second)
### here-string with newline
cat <<< $'a\nb'; cat <<< ''; wc -c <<< x
### set -e stops
set -e; echo a; false; echo never
### set -e and conditions
set -e; if false; then :; fi; false || echo or; ! true; while false; do :; done; echo end
### set -e in a function
set -e; f() { false; echo "in f"; }; f || echo or; f; echo never
### set -e and pipelines
set -e; false | true; echo a; true | false; echo never
### set -e and substitutions
set -e; x=$(false; echo in); echo "$x"; y=$(false); echo never
### set -e and subshells
set -e; (false; echo sub); echo never
### set -e and arithmetic
set -e; ((1)); echo a; ((0)); echo never
### set -u
set -u; echo "${x-d}"; echo $x; echo never
### set -u with positional
set -u; echo "$@" $#; echo $1; echo never
### set -u with arrays
set -u; a=(); echo "${a[@]}" ${#a[@]}; echo "${a[0]}"; echo never
### set -x
set -x; x=1; echo "a b" $x; [[ $x == 1 ]]; for i in 1; do :; done; set +x; echo end
### set -x with PS4
PS4='+$LINENO> '; set -x; echo a; (echo b); f() { echo c; }; f
### set -x to the end
set -x; x=$(echo in); cd .; true
### set -v
set -v
echo a
x=1; echo $x
### set -v and -x
set -vx
echo a
### set -n
set -n; echo never
### set -o listing
set -o | sort | head -40
### set +o listing
set +o
### shopt listing
shopt; shopt -p | head -5
### dollar dash
echo $-; set -euf; echo $-; set +euf; echo $-
### set -a
set -a; A=1; set +a; env | grep ^A=
### set -k
set -k; env X=1 printenv X; echo Y=2
### set positional
set -- a b; echo $#; set -; echo $#; set --; echo $#
### set -o nonsense
set -o nonsense; echo $?; set -Z; echo $?
### posix mode
set -o posix; echo $-; x=1 :; echo "${x-}"; type -t source
### errexit from the command line of a child
bash -e -c 'false; echo never'; echo $?
### pipefail with errexit
set -eo pipefail; false | true; echo never
### inherit_errexit
set -e; shopt -s inherit_errexit; x=$(false; echo in); echo never
### lastpipe
shopt -s lastpipe; echo a | read x; echo $x
### nullglob in a loop
shopt -s nullglob; for f in *.none; do echo $f; done; echo end
### noexec of a syntax error in a branch
if false; then echo ); fi
### syntax error
echo a; if; echo b
### syntax error on the second line
echo one
echo two (
echo three
### unmatched quote
echo "abc
### unmatched parenthesis
echo $(echo a
### unexpected end
if true; then echo a
### unexpected token
echo a | | b
### done without do
done
### bad function name
1f() { :; }; echo $?
### bad for
for 1x in a; do :; done
### error text of a builtin
cd /nonexistent-place; export 1x=2; unset 1x; declare -Z; echo $?
### error text on a later line
true
true
nothing-like-this
### error text in a function
f() {
  nothing-like-this
}
f
### error text in a sourced file
printf '\nnothing-like-this\n' > lib; . ./lib
### error text in a substitution
echo "$(nothing-like-this)"
### error text in eval
eval 'nothing-like-this'; eval 'if'; echo $?
### division by zero kills a list
echo a; echo $((1/0)); echo "not in this list"
### only a comment
# nothing
### only blank lines and a colon

:

### only an assignment
x=1
### only a false
false
### a single not
!
### many statements
for i in {1..200}; do :; done; echo $i
### unicode
echo 'größe ✓ 日本'; x='äöü'; echo ${#x} ${x:1:1} ${x^^}
### invalid utf-8
x=$'\xff\xfe'; echo "${#x}"; printf '%s' "$x" | od -An -tx1
### C locale
LC_ALL=C; x='äö'; echo ${#x}; printf '%s\n' b A a B | sort | tr -d '\n'; echo
### locale of a command
LC_ALL=C.UTF-8 bash -c 'x=äö; echo ${#x}'; locale 2>/dev/null | grep -c = || true
### printf with a locale
LC_ALL=C printf '%.1f\n' 1.5; printf "%'d\n" 1234567
### sort order
printf '%s\n' b A a B | LC_ALL=C sort | tr '\n' ' '
### pattern ranges
LC_ALL=C; [[ b == [a-c] ]] && echo in; [[ B == [a-c] ]] || echo out
### ulimit
ulimit -n 64; ulimit -n; bash -c 'ulimit -n'
### ulimit of the file size
ulimit -f 1; head -c 3000 /dev/zero > big; echo $?; wc -c < big
### ulimit of the cpu
ulimit -t 1; ulimit -t
### ulimit lists
ulimit -a | wc -l; ulimit -S -n 100; ulimit -H -n | grep -c .
### stack of a recursion limit
FUNCNEST=5; f() { f; }; f; echo $?
### environment
env | grep -v '^_=' | sort
### exported variables
export -p | sort
### all variables by name [differs: pipestatus]
compgen -v | sort | tr '\n' ' '
### functions that are there
declare -F; declare -f; compgen -A function; echo end
### aliases that are there
alias; compgen -a; echo end
### variables printed by set [differs: pipestatus]
set | grep -v -E '^(BASH|_=|EUID|PPID|UID|RANDOM|SECONDS|EPOCH|SRANDOM|LINENO)' | sort
### working directory is what it is
[[ $PWD == "$(pwd -P)" ]] && echo same; echo "${OLDPWD-unset}"
### a long command line
x=$(printf '%0100000d' 0); echo ${#x}; /bin/true "$x"; echo $?
### argument list too long
x=$(printf '%0200000d' 0); /bin/true "$x"; echo $?
### locale messages
LC_ALL=C ls /nonexistent-place; echo $?
### read with a timeout
read -t 0.05 x < <(sleep 1); echo $((${PIPESTATUS[0]} > 128)); read -t 0; echo $?
### read options
printf 'abc\ndef\n' | { read -n 2 a; read -N 2 b; read -d e c; echo "$a|$b|$c"; }
### times and date
date -d @0 -u +%Y; times | wc -l
### wc of own text
wc -c <<< "$BASH_EXECUTION_STRING"
### IFS whitespace in read
IFS=': ' read a b c <<< 'x : y:z  w'; echo "$a|$b|$c"
### dev tcp is refused
(exec 3<>/dev/tcp/127.0.0.1/1) 2> /dev/null; echo $?
### bash -c in bash -c
bash -c 'bash -c "echo \$0 \$1" a b' c d; sh -c 'echo $0'
### script by stdin
echo 'echo "from stdin $#"' | bash; echo 'echo $1' | bash -s x
### xargs and find
touch a b; find . -name '[ab]' | sort | xargs -n 1 echo; find . -maxdepth 1 -type f -exec echo {} + | wc -w
### awk and sed
echo 'a b' | awk '{print $2, $1}'; echo abc | sed -n 's/b/[&]/p'
### jq like text
printf '{"a":null}\n' | python3 -c 'import json,sys; print(json.load(sys.stdin)["a"])'
### python here-document
python3 - <<'E'
import sys
print("py", sys.argv)
E
### tr and cut
echo a:b:c | cut -d: -f2 | tr b B
### command with every quote
echo 'a'"b"\c$'d'"$(echo e)"`echo f`
### comment at the very end
echo a # the end
