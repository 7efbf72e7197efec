/* SPDX-License-Identifier: MIT */
#include "fnv.h"
#include "linux.h"
#include "plat.h"
#include "plat_trace.h"
#include "task_text.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int plat_pid(void)
{
    return (int)getpid();
}

/* A name in /proc that is a process: digits only. 0: it is none. */
static int process_id(const char *name)
{
    int id = 0;
    for (; *name >= '0' && *name <= '9' && id < 100000000; name++)
        id = id * 10 + (*name - '0');
    return *name ? 0 : id;
}

int plat_process_ids(int *ids, int room)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return -1;
    int n = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        int id = process_id(e->d_name);
        if (id && n < room)
            ids[n] = id;
        n += id > 0;
    }
    closedir(folder);
    return n > 0 ? n : -1; /* at least we are there, unless /proc is another folder */
}

bool task_read(int id, const char *file, char *text, size_t room)
{
    char path[48];
    buf_print(path, sizeof path, "/proc/%d/%s", id, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    for (ssize_t more; fd >= 0 && n < room - 1 && (more = read(fd, text + n, room - 1 - n)) > 0;)
        n += (size_t)more;
    if (fd >= 0)
        close(fd);
    text[n] = 0;
    return n > 0;
}

static enum tare_status read_of(int id, const char *what, struct buf *out)
{
    char path[64];
    buf_print(path, sizeof path, "/proc/%d/%s", id, what);
    buf_clear(out);
    return plat_file_read(path, out, NULL);
}

enum { STAT_BYTES = 1024, STAT_PARENT = 4, STAT_BEGAN = 22 };

int process_parent(int id)
{
    char text[STAT_BYTES];
    return id > 0 && task_read(id, "stat", text, sizeof text) ? (int)task_stat_number(text, STAT_PARENT) : -1;
}

/* "pid (name) state parent ..." */
int64_t plat_process_began(int id)
{
    char text[STAT_BYTES];
    const char *name_end = id > 0 && task_read(id, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    const bool lives = name_end && name_end[1] == ' ' && name_end[2] && !strchr("ZXx", name_end[2]);
    return lives ? task_stat_number(text, STAT_BEGAN) : -1;
}

/* Who lives below a process and was started with a text in its environment. */

enum { BELOW_MOST = 256, ENVIRONMENT_MOST = 8 << 20 };

/* Those that its first thread made, and orphans that came to it, behind the n that are there. */
static int add_children(int id, int *ids, int n)
{
    char what[40];
    struct buf name = buf_over(what, sizeof what), list = BUF_INIT(1 << 20);
    buf_format(&name, "task/%d/children", id);
    if (!read_of(id, what, &list))
        for (char *at = list.data, *end; at && n < BELOW_MOST; at = end) {
            long child = strtol(at, &end, 10);
            if (end == at)
                break;
            ids[n++] = (int)child;
        }
    buf_finish(&list);
    return n;
}

static bool has_text(const struct buf *environment, const char *text)
{
    const size_t n = strlen(text);
    const char *at = environment->data, *end = at ? at + environment->len : NULL;
    while (at && (size_t)(end - at) >= n && (at = memchr(at, *text, (size_t)(end - at) - n + 1))) {
        if (!memcmp(at, text, n))
            return true;
        at++;
    }
    return false;
}

void plat_process_image(int id, struct buf *path)
{
    buf_format(path, "/proc/%d/exe", id);
}

int plat_process_below(int id, const char *text, int *ids, int room)
{
    int all[BELOW_MOST], n = add_children(id, all, 0), found = 0;
    struct buf environment = BUF_INIT(ENVIRONMENT_MOST);
    for (int i = 0; i < n; i++) {
        n = add_children(all[i], all, n);
        if (read_of(all[i], "environ", &environment) || !has_text(&environment, text))
            continue;
        if (found < room)
            ids[found] = all[i];
        found++;
    }
    buf_finish(&environment);
    return found < room ? found : room;
}

/* A name for a process:
 * "6f0c2a91b3d4e5f7-4711-903114": which numbers these are numbers of, the process, and when it began. The numbers of another boot, machine or
 * container are others, so that nobody is taken for dead who lives where we cannot see him.
 */
enum { WORLD_DIGITS = 16 };

/* As of a namespace, which has a number: an older kernel has none of this kind. */
static uint64_t in_space(uint64_t hash, const char *path)
{
    char space[64];
    const ssize_t n = readlink(path, space, sizeof space);
    return n > 0 && n < (ssize_t)sizeof space ? fnv1a64(hash, space, (size_t)n) : hash;
}

/* 0: not told. In another time namespace a process began at another time. */
static uint64_t world(void)
{
    struct buf boot = BUF_INIT(4096);
    const uint64_t of_numbers = in_space(FNV1A64_EMPTY, "/proc/self/ns/pid"), where = in_space(of_numbers, "/proc/self/ns/time");
    const bool told = of_numbers != FNV1A64_EMPTY && !plat_file_read("/proc/sys/kernel/random/boot_id", &boot, NULL) && boot.len;
    const uint64_t all = told ? fnv1a64(where, boot.data, boot.len) : 0;
    buf_finish(&boot);
    return all;
}

bool plat_process_mark(struct buf *out)
{
    const uint64_t where = world(), start = plat_process_start();
    if (!where || !start)
        return false;
    buf_format(out, "%016llx-%d-%llu", (unsigned long long)where, plat_pid(), (unsigned long long)start);
    return !out->status;
}

/* As we write them; *at goes behind the number and the character that ends it. */
static bool number(const char **at, unsigned base, size_t digits, char end, uint64_t *out)
{
    static const char all[] = "0123456789abcdef";
    size_t n = 0;
    *out = 0;
    for (const char *digit; **at && n < digits && (digit = strchr(all, **at)) && digit < all + base; n++, (*at)++)
        *out = *out * base + (uint64_t)(digit - all);
    return n && *(*at)++ == end;
}

bool plat_process_mark_ended(const char *mark)
{
    enum { PID_DIGITS = 9, START_DIGITS = 19 };
    uint64_t where, id, start;
    const bool is_mark = strcspn(mark, "-") == WORLD_DIGITS && number(&mark, 16, WORLD_DIGITS, '-', &where) &&
                         number(&mark, 10, PID_DIGITS, '-', &id) && number(&mark, 10, START_DIGITS, 0, &start);
    const bool ours = is_mark && id && start && where == world();
    return ours && plat_process_began(plat_pid()) == (int64_t)plat_process_start() &&
           plat_process_began((int)id) != (int64_t)start;
}
