/* Exchanges two paths until it is ended or a minute has passed: renameat2 with RENAME_EXCHANGE. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count < 3) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(60);
  for (;;) {
    if (syscall(SYS_renameat2, AT_FDCWD, words[1], AT_FDCWD, words[2], 2) != 0) {
      perror("renameat2");
      return 1;
    }
  }
}
