/* SPDX-License-Identifier: MIT */
#include "spawn_account.h"
#include "spawn_sys.h"
#include <fcntl.h>

static int own_schedstat = -1, child_schedstat = -1;

/* The text is closed by a zero byte; empty when it cannot be read. */
static void read_text(int fd, char *text, int room)
{
    long n = fd < 0 ? 0 : SYS(__NR_pread64, fd, text, room - 1, 0);
    text[n > 0 ? n : 0] = 0;
}

static char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = 0;
    return at;
}

static char *put_number(char *at, unsigned number)
{
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n)
        *at++ = digits[--n];
    return at;
}

static int open_of(int pid, const char *file)
{
    char path[40];
    put_text(put_number(put_text(path, "/proc/"), (unsigned)pid), file);
    return (int)SYS(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        SYS(__NR_close, *fd);
    *fd = -1;
}

static int same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* A /proc of another process namespace has other numbers: then nothing is read from it. */
void spawn_account_own(int pid)
{
    char mine[12], there[12];
    *put_number(mine, (unsigned)pid) = 0;
    long n = SYS(__NR_readlinkat, AT_FDCWD, "/proc/self", there, sizeof there - 1);
    there[n > 0 ? n : 0] = 0;
    if (same_text(mine, there))
        own_schedstat = open_of(pid, "/schedstat");
}

void spawn_account_open(int pid)
{
    if (own_schedstat >= 0)
        child_schedstat = open_of(pid, "/schedstat");
}

void spawn_account_waiter(struct spawn_block *b, int after)
{
    read_text(own_schedstat, b->waiter_schedstat[after], SPAWN_SCHEDSTAT);
}

/* Where its file is open already it is the one, else it reads that by itself. */
void spawn_account_start(struct spawn_block *b)
{
    int opened = child_schedstat >= 0 || own_schedstat < 0
                     ? -1
                     : (int)SYS(__NR_openat, AT_FDCWD, "/proc/self/schedstat", O_RDONLY | O_CLOEXEC, 0);
    read_text(child_schedstat >= 0 ? child_schedstat : opened, b->setup_schedstat, SPAWN_SCHEDSTAT);
    close_one(&opened);
}

static const char *last_word(const char *text)
{
    const char *word = text;
    for (; *text; text++)
        if (*text == ' ')
            word = text + 1;
    return word;
}

static int64_t first_number(const char *text)
{
    int64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = 10 * number + (*text - '0');
    return number;
}

int spawn_account_zombie(struct spawn_block *b)
{
    read_text(child_schedstat, b->child_schedstat, SPAWN_SCHEDSTAT);
    return !*b->child_schedstat || spawn_speaks_for_all(b, first_number(b->child_schedstat));
}

/* Its stat, which takes 13 us to open, read and close, is read where only that can name its last CPU: it got one more often than before the stamp, or an
 * exec by another thread has put the account of that thread in the place of the first, which does not speak for all. */
void spawn_account_end(struct spawn_block *b, int pid)
{
    const char *before = last_word(b->setup_schedstat), *after = last_word(b->child_schedstat);
    b->stayed = *after && same_text(before, after) && spawn_speaks_for_all(b, first_number(b->child_schedstat));
    if (b->stayed || own_schedstat < 0)
        return;
    int fd = open_of(pid, "/stat");
    read_text(fd, b->child_stat, SPAWN_STAT);
    close_one(&fd);
}

void spawn_account_close(void)
{
    close_one(&child_schedstat);
}
