### to a file and back
echo one > f; echo two >> f; cat < f
### stderr
echo out; echo err >&2; ls /nonexistent-place 2>/dev/null; echo $?
### both
{ echo out; echo err >&2; } &> f; cat f; { echo o; echo e >&2; } >> f 2>&1; cat f
### order of redirections
{ echo out; echo err >&2; } 2>&1 > f; echo --; cat f
### dev stderr and dev stdout
echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr; echo d >> /dev/stdout
### dev fd
echo x > /dev/fd/1; echo y > /dev/fd/2; cat /dev/fd/3 3<<<"three"
### stdin is empty
cat; echo "status $?"; read x; echo "read $? [$x]"; wc -c
### stdin is what it is
[[ -t 0 ]] && echo tty || echo no tty; [[ -t 1 ]] && echo tty || echo no tty; readlink /proc/self/fd/0
### open descriptors
ls /proc/self/fd | tr '\n' ' '
### exec with descriptors
exec 3> f 4<&0; echo three >&3; exec 3>&-; cat f; exec 3< f; read -u 3 x; echo $x; exec 3<&-
### descriptor variable
exec {fd}> f; echo "$((fd >= 10))"; echo via >&$fd; exec {fd}>&-; cat f
### moving descriptors
exec 5> f; exec 6>&5-; echo six >&6; { echo five >&5; } 2>/dev/null || echo closed; cat f
### closing stdout
(exec >&-; echo x); echo "status $?"
### closing stdin
cat <&-; echo "status $?"
### here-string
cat <<< "a $((1+1)) $(echo b)"; cat <<< 'q"$x'
### read-write
echo abcdef > f; exec 3<> f; read -n 3 -u 3 x; echo -n X >&3; exec 3>&-; cat f; echo $x
### noclobber
set -C; echo a > f; echo b > f; echo "status $?"; echo c >| f; cat f
### redirect of a group, a loop, a function
{ echo g; } > f; for i in 1 2; do echo $i; done >> f; fn() { echo fn; } >> f; fn; cat f
### redirect error
echo x > /nonexistent-dir/f; echo "status $?"; cat < nofile; echo "status $?"; : < nofile; echo after
### ambiguous redirect
touch a1 a2; echo x > a*; echo "status $?"; unset v; echo x > $v; echo "status $?"
### redirect with expansion
n=out; echo x > "$n.txt"; cat out.txt; > empty; ls -s empty | cut -d' ' -f2
### reading lines
printf 'a\n b \nc' | { while IFS= read -r l; do echo "[$l]"; done; echo "rest [$l]"; }
### while read from a file
printf '1 2\n3 4\n' > f; while read -r a b; do echo "$b $a"; done < f
### while read from process substitution
n=0; while read -r l; do n=$((n + l)); done < <(printf '1\n2\n3\n'); echo $n
### mapfile
mapfile -t a < <(printf '1\n2\n'); echo ${#a[@]} "${a[1]}"
### pipe into while
printf '1\n2\n' | while read l; do x=$l; done; echo "[${x-}]"
### tee to several
echo x | tee a b > c; cat a b c
### pipes of both
{ echo o; echo e >&2; } |& sed 's/^/>/'
### pipeline status
false | true; echo $?; true | false; echo $?; set -o pipefail; false | true; echo $?
### PIPESTATUS
(exit 3) | (exit 4) | true; echo "${PIPESTATUS[@]}"
### broken pipe
yes | head -n 2; echo "${PIPESTATUS[@]}"
### seq into head
seq 1 100000 | head -n 1; echo $?
### stderr of a pipeline stage
ls /nonexistent-place 2>&1 >/dev/null | wc -l
### fd left to children
exec 7> f; bash -c 'echo child >&7'; cat f
### redirection before the command
< /dev/null cat > f; 2>&1 ls /nonexistent-place; echo $?
### swap stdout and stderr
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 3>&-
### null device
cat /dev/null; echo x > /dev/null; echo $?
### large data through a pipe
head -c 300000 /dev/zero | tr '\0' x | wc -c
### binary output
printf '\000\001\377\n'
### no newline at the end
printf 'no newline'
### carriage returns and escapes
printf 'a\rb\033[31mred\033[0m\n'
### long line
printf '%070000d' 1 | wc -c
