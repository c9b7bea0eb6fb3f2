/**
 * Every attack: shell text that prints ESCAPED when it worked. It may use $VICTIM (a directory outside), $HOME_VICTIM (one
 * in the home), $STATE, $PID (a process outside), $ADDRESS (of something in it), $TCP and $UDP (ports), $SOCKET (a unix
 * socket in the workspace), $FAR_SOCKET (one outside), $DATAGRAM (a datagram socket in the workspace), $ABSTRACT and $PROBE (the compiled program).
 *
 * `control` says who can do it without a sandbox: `any`, `root`, or `none` with the reason why that is not tried.
 */
const call = (name, control, more = '') => ({ name, control, text: `$PROBE ${name} $PID $ADDRESS ${more}` });
const python = (code) => `python3 - <<'END_OF_PROBE'\nimport os, socket\n${code}\nEND_OF_PROBE`;

/** Ways to make a file `owned` that runs with the rights of its owner or group. */
const OWNED_FILES = [
  ['chmod', 'any', 'make(0o755)\nos.chmod("owned", mode)'],
  ['fchmod', 'any', 'make(0o755)\nos.fchmod(os.open("owned", os.O_RDONLY), mode)'],
  ['fchmodat2', 'none', 'make(0o755)\ncall(452, -100, b"owned", mode, 0)'],
  ['open', 'any', 'make(mode)'],
  [
    'openat2',
    'none',
    'call(437, -100, b"owned", (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, mode, 0), 24)',
  ],
  ['mknod', 'any', 'os.mknod("owned", mode | 0o100000)'],
  [
    'O_TMPFILE',
    'none',
    'f = os.open(".", os.O_TMPFILE | os.O_WRONLY, mode)\nos.link(f"/proc/self/fd/{f}", "owned", src_dir_fd=f)',
  ],
].map(([name, control, code]) => ({
  name: `a file that runs as its owner, by ${name}`,
  control,
  why: 'a kernel or a file system may not support it',
  // For an ordinary user the set-group-ID bit stays allowed: directories use it.
  text: python(
    [
      'import ctypes',
      'call = ctypes.CDLL(None, use_errno=True).syscall',
      'make = lambda mode: os.close(os.open("owned", os.O_CREAT | os.O_WRONLY, mode))',
      'for mode in [0o4755] + ([0o2755] if os.getuid() == 0 else []):',
      '  try:',
      ...code.split('\n').map((line) => `    ${line}`),
      '    if os.stat("owned").st_mode & 0o6000: print("ESCAPED", oct(mode))',
      '  except OSError as error: print(error)',
      '  if os.path.exists("owned"): os.unlink("owned")',
    ].join('\n'),
  ),
}));

export const PROBES = [
  { name: 'write outside', control: 'any', text: 'echo x >"$VICTIM/written" && echo ESCAPED' },
  { name: 'change a file outside', control: 'any', text: 'echo x >>"$VICTIM/secret" && echo ESCAPED' },
  {
    name: 'write through a symbolic link',
    control: 'any',
    text: 'ln -s "$VICTIM" link; echo x >link/linked && [[ -e $VICTIM/linked ]] && echo ESCAPED; unlink link',
  },
  {
    name: 'write by ..',
    control: 'any',
    text: 'echo x >"../../../../../../../..$VICTIM/dots" && echo ESCAPED',
  },
  {
    name: 'hard link to a file outside',
    control: 'any',
    text: 'ln "$VICTIM/secret" hard && echo ESCAPED; unlink hard',
  },
  {
    name: 'swap a directory for a link while writing',
    control: 'any',
    text: `mkdir -p d; (for i in {1..60}; do mv d d$i; ln -s "$VICTIM" d; sleep 0.005; unlink d; mkdir d; sleep 0.005; done) & swapper=$!
while kill -0 $swapper; do echo x >d/raced; done 2>/dev/null; wait; [[ -e $VICTIM/raced ]] && echo ESCAPED`,
  },
  {
    name: 'write into the system',
    control: 'root',
    text: 'echo x >"$SYSTEM_VICTIM/written" && echo ESCAPED',
  },
  { name: 'read outside', control: 'any', text: 'grep -q hush "$VICTIM/secret" && echo ESCAPED' },
  { name: 'read the home', control: 'any', text: 'grep -q hush "$HOME_VICTIM/secret" && echo ESCAPED' },
  { name: 'list what keys there are', control: 'any', text: 'ls -d "$HOME_VICTIM" && echo ESCAPED' },
  { name: 'read our state', control: 'any', text: 'ls "$STATE/runs" && echo ESCAPED' },
  { name: 'read the passwords', control: 'root', text: 'grep -q root /etc/shadow && echo ESCAPED' },
  {
    name: 'write the core pattern',
    control: 'root',
    text: 'f=/proc/sys/kernel/core_pattern; v=$(cat $f); printf %s "$v" >$f && echo ESCAPED',
  },
  {
    name: 'write another setting of the kernel',
    control: 'root',
    text: 'f=/proc/sys/vm/overcommit_memory; v=$(cat $f); printf %s "$v" >$f && echo ESCAPED',
  },
  {
    name: 'open the trigger of the kernel',
    control: 'none',
    why: 'a kernel may be built without it',
    text: '(exec 3>/proc/sysrq-trigger) && echo ESCAPED',
  },
  {
    name: 'leave the cgroup',
    control: 'root',
    text: 'for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/pids/cgroup.procs; do [[ -e $f ]] && bash -c "echo \\$\\$ >$f" && echo ESCAPED; done',
  },
  {
    name: 'read an environment outside',
    control: 'any',
    text: 'grep -qaz HUSH_TOKEN "/proc/$PID/environ" && echo ESCAPED',
  },
  {
    name: 'read any environment outside',
    control: 'any',
    text: 'grep -lqaz "^HUSH_TOKEN=" /proc/[0-9]*/environ && echo ESCAPED',
  },
  {
    name: 'read memory outside',
    control: 'any',
    text: 'dd if="/proc/$PID/mem" bs=1 count=1 skip=$((0x$ADDRESS)) >/dev/null && echo ESCAPED',
  },
  {
    name: 'see a process outside',
    control: 'any',
    text: 'kill -0 "$PID" && [[ $(ps -o args= -p "$PID") == *86399* ]] && echo ESCAPED',
  },
  {
    name: 'signal a process outside',
    control: 'any',
    text: '[[ $(ps -o args= -p "$PID") == *86399* ]] && kill -URG "$PID" && echo ESCAPED',
  },
  {
    name: 'become somebody else',
    control: 'root',
    text: 'setpriv --reuid 1 --regid 1 --clear-groups true && echo ESCAPED',
  },
  {
    name: 'more descriptors than were given',
    control: 'none',
    why: 'root may be without that right, as in many a virtual machine',
    text: 'ulimit -Hn $(($(ulimit -Hn) + 1)) && echo ESCAPED',
  },
  {
    name: 'see the open files of a process outside',
    control: 'any',
    text: '[[ $(ps -o args= -p "$PID") == *86399* ]] && ls "/proc/$PID/fd" && echo ESCAPED',
  },
  {
    name: 'the way out by the first process',
    control: 'none',
    why: 'it is meant for a sandbox',
    text: 'for p in /proc/1/root /proc/1/cwd /proc/[0-9]*/root; do grep -q hush "$p$VICTIM/secret" && echo ESCAPED; done; for f in /proc/1/fd/* /proc/self/fd/*; do [[ -d $f/. && -e $f$VICTIM ]] && echo ESCAPED; done',
  },
  {
    name: 'a descriptor that was left open',
    control: 'none',
    why: 'it is meant for a sandbox',
    text: 'names=(/proc/$$/fd/*); for f in "${names[@]}"; do case ${f##*/} in 0|1|2|255) ;; *) [[ -e $f ]] && echo ESCAPED "$(readlink "$f")" ;; esac; done',
  },
  {
    name: 'write to an open file of another process',
    control: 'none',
    why: 'it is meant for a sandbox',
    text: 'for f in /proc/[0-9]*/fd/*; do [[ -f $f ]] && (exec 3>>"$f") && echo ESCAPED "$(readlink "$f")"; done',
  },
  {
    name: 'fill the disk by the error output of the first process',
    control: 'none',
    why: 'it is meant for a sandbox',
    text: 'timeout 1 head -c 8000000 /dev/zero >>/proc/1/fd/2 && echo ESCAPED',
  },
  call('ptrace', 'any'),
  call('vm', 'any'),
  call('self-ptrace', 'any'),
  { name: 'tcp to this machine', control: 'any', text: '(exec 3<>/dev/tcp/127.0.0.1/$TCP) && echo ESCAPED' },
  {
    name: 'udp to this machine',
    control: 'any',
    text: 'echo hello >/dev/udp/127.0.0.1/$UDP; sleep 0.2; [[ $(cat "$UDP_FILE") == *hello* ]] && echo ESCAPED',
  },
  {
    name: 'a unix socket in the workspace',
    control: 'any',
    text: python('s = socket.socket(socket.AF_UNIX)\ns.connect(os.environ["SOCKET"])\nprint("ESCAPED")'),
  },
  {
    name: 'a unix socket outside',
    control: 'any',
    text: python('s = socket.socket(socket.AF_UNIX)\ns.connect(os.environ["FAR_SOCKET"])\nprint("ESCAPED")'),
  },
  {
    name: 'an abstract socket',
    control: 'any',
    text: python(
      's = socket.socket(socket.AF_UNIX)\ns.connect("\\0" + os.environ["ABSTRACT"])\nprint("ESCAPED")',
    ),
  },
  // SOCK_RAW of unix(7) is SOCK_DGRAM by another name.
  ...['SOCK_DGRAM', 'SOCK_RAW'].map((type) => ({
    name: `a unix datagram by a pair of ${type}`,
    control: 'any',
    text: python(
      `a, b = socket.socketpair(socket.AF_UNIX, socket.${type})\na.sendto(b"x", socket.MSG_DONTWAIT, os.environ["DATAGRAM"])\nprint("ESCAPED")`,
    ),
  })),
  {
    name: 'a pair of datagram sockets connected anew',
    control: 'any',
    text: python(
      'a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.connect(os.environ["DATAGRAM"])\nprint("ESCAPED")',
    ),
  },
  { ...call('alg', 'none'), why: 'a kernel may be built without it' },
  ...['vsock', 'uevent', 'unix', 'io_uring', 'keys', 'newuser', 'clone-newuser', 'clone3-newuser'].map(
    (name) => call(name, 'any'),
  ),
  ...[
    'packet',
    'raw',
    'bpf',
    'perf',
    'open_tree',
    'fsopen',
    'handle',
    'setns',
    'pidfd_getfd',
    'fanotify',
  ].map((name) => call(name, 'root')),
  call('memfd', 'any'),
  { ...call('syslog', 'none'), why: 'who may read it depends on the machine' },
  { ...call('i386', 'none'), why: 'a kernel may be built without it' },
  ...['kexec', 'module', 'acct', 'quotactl', 'pivot'].map((name) => ({
    ...call(name, 'none'),
    why: 'a kernel may be built without it',
  })),
  {
    name: 'the signal descriptor of a process outside',
    control: 'any',
    text: '[[ $(ps -o args= -p "$PID") == *86399* ]] && $PROBE pidfd $PID',
  },
  {
    name: 'memory that processes outside share',
    control: 'any',
    text: 'grep -qE "^ *-?[0-9]+ +$SHARED " /proc/sysvipc/shm && echo ESCAPED',
  },
  { name: 'write our state', control: 'any', text: 'echo x >"$STATE/runs/planted" && echo ESCAPED' },
  {
    name: 'write our state through a link of the workspace',
    control: 'any',
    text: 'ln -s "$STATE/runs" artifacts; echo x >artifacts/planted && echo ESCAPED; unlink artifacts',
  },
  {
    name: 'another directory in place of the workspace',
    control: 'none',
    why: 'it would move it',
    text: 'p=$PWD; mv "$p" "$p.moved" && { echo ESCAPED; mv "$p.moved" "$p"; }',
  },
  {
    name: 'write a setting of a device',
    control: 'root',
    text: 'f=/sys/kernel/mm/transparent_hugepage/enabled; v=$(sed "s/.*\\[\\(.*\\)\\].*/\\1/" $f); [[ -n $v ]] && printf %s "$v" >$f && echo ESCAPED',
  },
  {
    name: 'look into the kernel',
    control: 'none',
    why: 'a kernel may forbid it to all',
    text: 'for f in /proc/kcore /dev/mem /dev/port; do head -c 1 $f && echo ESCAPED $f; done; for d in /sys/kernel/debug /sys/kernel/tracing /sys/fs/bpf; do [[ -n $(ls $d) ]] && echo ESCAPED $d; done',
  },
  {
    name: 'set the clock',
    control: 'none',
    why: 'it would set it',
    text: 'date -s "@$(date +%s)" && echo ESCAPED',
  },
  {
    name: 'a program with the rights of its owner',
    control: 'root',
    text: 'cp /bin/true owned && chmod 4755 owned && chown 1 owned && ./owned && echo ESCAPED; unlink owned',
  },
  ...OWNED_FILES,
  {
    name: 'the terminal of whoever called',
    control: 'none',
    why: 'who runs this may have none',
    text: '(exec 3<>/dev/tty) && echo ESCAPED; for f in /dev/pts/[0-9]* /dev/console /dev/tty[0-9]*; do [[ -e $f ]] && (exec 3<>$f) && echo ESCAPED $f; done',
  },
  {
    name: 'the network of a process outside',
    control: 'root',
    text: '[[ $(ps -o args= -p "$PID") == *86399* ]] && nsenter --net="/proc/$PID/ns/net" true && echo ESCAPED; for n in /run/netns/* /proc/1/ns/net; do nsenter --net="$n" bash -c "(exec 3<>/dev/tcp/127.0.0.1/$TCP) && echo ESCAPED"; done',
  },
  { ...call('userfaultfd', 'none'), why: 'a machine may switch it off' },
  { ...call('tiocsti', 'none'), why: 'a kernel may switch it off' },
  { ...call('x32', 'none'), why: 'a kernel may be built without it' },
  { name: 'unshare', control: 'any', text: 'unshare -Ur true && echo ESCAPED' },
  {
    name: 'mount',
    control: 'none',
    why: 'it would mount',
    text: 'mkdir -p m; mount -t tmpfs none m && echo ESCAPED',
  },
  {
    name: 'make the system writable',
    control: 'none',
    why: 'it would change mounts',
    text: 'mount -o remount,rw / && echo ESCAPED',
  },
  { name: 'bind over', control: 'none', why: 'it would mount', text: 'mount --bind . /etc && echo ESCAPED' },
  {
    name: 'uncover what is hidden',
    control: 'none',
    why: 'it would unmount',
    text: 'for p in /tmp "$HOME" /proc/sys /run/nacre /dev/shm; do umount -l "$p" && echo ESCAPED; done',
  },
  { name: 'chroot', control: 'root', text: 'chroot / true && echo ESCAPED' },
  { name: 'make a device', control: 'root', text: 'mknod null c 1 3 && echo ESCAPED; unlink null' },
  {
    name: 'devices of the machine',
    control: 'none',
    why: 'which there are depends on it',
    text: 'for d in /dev/mem /dev/kmsg /dev/vda /dev/sda /dev/nvme0n1 /dev/kvm /dev/vsock /dev/fuse /dev/loop-control; do [[ -e $d ]] && echo ESCAPED $d; done',
  },
  {
    name: 'rights',
    control: 'root',
    text: 'grep -qE "^Cap(Eff|Prm|Bnd):.*[1-9a-f]" /proc/self/status && echo ESCAPED',
  },
  {
    name: 'new rights by a program',
    control: 'any',
    text: 'grep -q "^NoNewPrivs:.*0" /proc/self/status && echo ESCAPED',
  },
  {
    name: 'without the filter',
    control: 'any',
    text: 'grep -q "^Seccomp:.*0" /proc/self/status /proc/1/status && echo ESCAPED',
  },
  {
    name: 'other interfaces',
    control: 'any',
    text: '[[ $(grep -c : /proc/net/dev) -gt 1 ]] && echo ESCAPED',
  },
  {
    name: 'change the pipes we are reached by',
    control: 'none',
    why: 'there are none outside',
    text: 'for s in /run/nacre/[0-9]*; do ln -s "$VICTIM/secret" $s/planted && echo ESCAPED; mv $s/out $s/old && echo ESCAPED; unlink $s/answer && echo ESCAPED; done; echo x >/run/nacre-inside && echo ESCAPED',
  },
  {
    name: 'a hook that others run',
    control: 'any',
    text: 'echo x >.git/hooks/post-checkout && echo ESCAPED',
  },
  { name: 'settings of git that others run', control: 'any', text: 'echo "#" >>.git/config && echo ESCAPED' },
  {
    name: 'another repository in its place',
    control: 'any',
    text: 'mv .git .git2 && { echo ESCAPED; mv .git2 .git; }',
  },
  {
    name: 'more memory than allowed, in scratch directories',
    control: 'none',
    why: 'there is no limit outside',
    isLimited: true,
    text: 'n=0; for d in /tmp /var/tmp /run "$HOME" /dev/shm /run/nacre-shell; do head -c 30M /dev/zero >"$d/big"; s=$(stat -c %s "$d/big") && ((n += s)); done; ((n > MEMORY)) && echo ESCAPED $n',
  },
  {
    name: 'host name',
    control: 'none',
    why: 'it would change it',
    text: 'hostname nacre-attack && echo ESCAPED',
  },
  {
    name: 'a higher limit',
    control: 'none',
    why: 'limits differ',
    text: 'nice -n -5 true 2>&1 | grep -q cannot || echo ESCAPED',
  },
];
