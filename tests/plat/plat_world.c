/* SPDX-License-Identifier: MIT */
#include "plat_world.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct plat_spawner *spawner;
int null_fd;
static char folder[64];

int world_begin(void **state)
{
    (void)state;
    struct tare_err err;
    strcpy(folder, "/tmp/tare-plat-XXXXXX");
    if (!mkdtemp(folder) || chmod(folder, 0777))
        return -1;
    null_fd = plat_open_null();
    if (plat_spawner_create(&spawner, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    return 0;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int world_end(void **state)
{
    (void)state;
    plat_spawner_destroy(spawner);
    plat_close(null_fd);
    return nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

const char *read_text(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f)
        fclose(f);
    return text;
}

int read_pid(const char *path)
{
    int pid = atoi(read_text(path));
    return pid > 0 ? pid : -1;
}

bool gone(int pid)
{
    return kill(pid, 0) && errno == ESRCH;
}

static bool ended(int pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const char *text = strrchr(read_text(path), ')'); /* whoever should reap it may not: a zombie has ended */
    return gone(pid) || !text || sscanf(text + 1, " %c", &state) != 1 || state == 'Z' || state == 'X';
}

bool gone_soon(int pid)
{
    for (int i = 0; i < 12000 && !ended(pid); i++)
        usleep(10000);
    return ended(pid);
}

int open_descriptors(int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int n = 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

struct plat_child_spec spec_for(const char *const *argv)
{
    return (struct plat_child_spec){
        .path = argv[0],
        .argv = argv,
        .envp = plat_environment(),
        .fd_in = null_fd,
        .fd_out = null_fd,
        .fd_err = STDERR_FILENO,
        .pin_cpu = -1,
        .drain_fd = -1,
    };
}

struct plat_child_result run_spec(const struct plat_child_spec *spec)
{
    struct tare_err err;
    struct plat_child_result r;
    assert_ok(plat_child_run(spawner, spec, &r, &err));
    return r;
}

static bool all_there(const char *const *files)
{
    bool there = true;
    for (; *files; files++)
        there &= read_pid(*files) > 0;
    return there;
}

struct plat_child_result run_into_limit(struct plat_child_spec spec, const char *const *files)
{
    struct plat_child_result r;
    static const int tenths[] = {3, 20, 120, 600};
    for (size_t i = 0; i < sizeof tenths / sizeof *tenths; i++) {
        for (int k = 0; files[k]; k++)
            unlink(files[k]);
        spec.timeout_ns = tenths[i] * INT64_C(100000000);
        r = run_spec(&spec);
        if (all_there(files))
            break;
    }
    return r;
}

struct plat_child_result run_quietly(const char *const *argv)
{
    struct plat_child_spec spec = spec_for(argv);
    return run_spec(&spec);
}

const char *output_of(const char *const *argv)
{
    static char text[1 << 16];
    int fd = memfd_create("output", MFD_CLOEXEC);
    struct plat_child_spec spec = spec_for(argv);
    spec.fd_out = fd;
    assert_ends(run_spec(&spec), CHILD_EXITED, 0);
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    assert_true(n >= 0);
    text[n] = 0;
    close(fd);
    return text;
}

int in_process(int (*body)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
        _exit(body());
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int unless(bool holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "not so: %s\n", what);
    return !holds;
}
