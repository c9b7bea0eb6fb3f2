/* One system call at a time: says whether the kernel, or somebody before it, lets us. Harmless where it is let. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void let(const char *what) { printf("ESCAPED %s\n", what); }

/* The call is made with arguments that no kernel takes: EPERM and ENOSYS mean that it was never looked at. */
static void reach(const char *what, long number) {
  long result = syscall(number, -1L, -1L, -1L, -1L, -1L);
  if (result >= 0 || (errno != EPERM && errno != ENOSYS)) let(what);
}

static void open_socket(const char *what, int domain, int type, int protocol) {
  int fd = socket(domain, type, protocol);
  if (fd >= 0) { let(what); close(fd); }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  pid_t victim = count > 2 ? atoi(words[2]) : 0;
  if (!strcmp(what, "ptrace")) {
    if (ptrace(PTRACE_SEIZE, victim, 0, 0) == 0) { let(what); ptrace(PTRACE_DETACH, victim, 0, 0); }
  } else if (!strcmp(what, "vm")) {
    char here[8];
    struct iovec local = {here, sizeof here}, remote = {(void *)strtoul(words[3], 0, 16), sizeof here};
    if (process_vm_readv(victim, &local, 1, &remote, 1, 0) > 0) let(what);
  } else if (!strcmp(what, "self-ptrace")) {
    pid_t child = fork();
    if (child == 0) { pause(); _exit(0); }
    if (ptrace(PTRACE_SEIZE, child, 0, 0) == 0) let(what);
    kill(child, 9);
    waitpid(child, 0, 0);
  } else if (!strcmp(what, "vsock")) open_socket(what, 40, SOCK_STREAM, 0);
  else if (!strcmp(what, "packet")) open_socket(what, 17, SOCK_RAW, 0);
  else if (!strcmp(what, "alg")) open_socket(what, 38, SOCK_SEQPACKET, 0);
  else if (!strcmp(what, "uevent")) open_socket(what, 16, SOCK_RAW, 15);
  else if (!strcmp(what, "raw")) open_socket(what, 2, SOCK_RAW, 1);
  else if (!strcmp(what, "unix")) open_socket(what, 1, SOCK_STREAM, 0);
  else if (!strcmp(what, "io_uring")) reach(what, 425);
  else if (!strcmp(what, "bpf")) reach(what, SYS_bpf);
  else if (!strcmp(what, "perf")) reach(what, SYS_perf_event_open);
  else if (!strcmp(what, "open_tree")) reach(what, 428);
  else if (!strcmp(what, "fsopen")) reach(what, 430);
  else if (!strcmp(what, "pidfd_getfd")) reach(what, 438);
  else if (!strcmp(what, "setns")) reach(what, SYS_setns);
  else if (!strcmp(what, "handle")) reach(what, SYS_open_by_handle_at);
  else if (!strcmp(what, "fanotify")) reach(what, SYS_fanotify_init);
  else if (!strcmp(what, "userfaultfd")) {
    int fd = syscall(SYS_userfaultfd, 1);
    if (fd >= 0) { let(what); close(fd); }
  } else if (!strcmp(what, "keys")) {
    if (syscall(SYS_keyctl, 0, -3, 0) >= 0) let(what);
  } else if (!strcmp(what, "newuser")) {
    if (unshare(CLONE_NEWUSER) == 0) let(what);
  } else if (!strcmp(what, "clone-newuser")) {
    pid_t child = syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) { let(what); waitpid(child, 0, 0); }
  } else if (!strcmp(what, "clone3-newuser")) {
    unsigned long long args[11] = {CLONE_NEWUSER, 0, 0, 0, 17};
    pid_t child = syscall(435, args, sizeof args);
    if (child == 0) _exit(0);
    if (child > 0) { let(what); waitpid(child, 0, 0); }
  } else if (!strcmp(what, "tiocsti")) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(master);
    unlockpt(master);
    if (fork() == 0) {
      setsid();
      int slave = open(ptsname(master), O_RDWR);
      if (ioctl(slave, TIOCSTI, "x") == 0) let(what);
      _exit(0);
    }
    wait(0);
  } else if (!strcmp(what, "x32")) {
    /* The same call by another way of calling. */
    if (syscall(0x40000000 | 425, -1L, -1L) >= 0 || errno != ENOSYS) let(what);
  } else if (!strcmp(what, "i386")) {
#ifdef __x86_64__
    /* A socket of the machine below, by the calls of 32 bits: number 359, family 40. */
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(359L), "b"(40L), "c"(1L), "d"(0L) : "r8", "r9", "r10", "r11", "memory");
    if ((int)result >= 0) let(what);
#endif
  } else if (!strcmp(what, "memfd")) {
    /* A program that lies in no directory: it may run, but with no more rights than others. */
    int fd = syscall(SYS_memfd_create, "nacre", 0);
    const char text[] = "#!/bin/bash\ngrep -q ^NoNewPrivs:.*0 /proc/self/status && echo ESCAPED by memory\n";
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && write(fd, text, sizeof text - 1) > 0) execl(path, path, (char *)0);
  } else if (!strcmp(what, "syslog")) {
    char text[64];
    if (syscall(SYS_syslog, 3, text, sizeof text) > 0) let(what);
  } else if (!strcmp(what, "pidfd")) {
    int fd = syscall(434, victim, 0);
    if (fd >= 0 && syscall(424, fd, 0, 0, 0) == 0) let(what);
  } else if (!strcmp(what, "kexec")) reach(what, 246);
  else if (!strcmp(what, "module")) reach(what, 313);
  else if (!strcmp(what, "acct")) reach(what, SYS_acct);
  else if (!strcmp(what, "quotactl")) reach(what, SYS_quotactl);
  else if (!strcmp(what, "pivot")) reach(what, SYS_pivot_root);
  return 0;
}
