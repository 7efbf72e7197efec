/* SPDX-License-Identifier: MIT
 *
 * flush_fails [-n] PROGRAM ARG... runs a program in whose hands fsync fails, as on a disk that says only then that it has no room; with -n no new file
 * can be made, as over a quota. Exits 77 where the kernel filters no system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ALLOW  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(int argc, char **argv)
{
    struct sock_filter flushes[] = {NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 1, 0),
                                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 0, 1),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO), ALLOW};
    struct sock_filter new_files[] = {NUMBER,
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
                                      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
                                      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_EXCL | (O_TMPFILE & ~O_DIRECTORY), 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDQUOT),
                                      ALLOW};
    const int files = argc > 1 && !strcmp(argv[1], "-n");
    const struct sock_fprog filter = {.len = files ? sizeof new_files / sizeof *new_files : sizeof flushes / sizeof *flushes,
                                      .filter = files ? new_files : flushes};
    argv += 1 + files;
    if (argc < 2 + files)
        return 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
        printf("not tried: no filter of system calls: %s\n", strerror(errno));
        return 77;
    }
    execvp(argv[0], argv);
    return 127;
}
