/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"
#include <dirent.h>
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

/* "pid (name) state parent ...": the name may hold anything, so from its last parenthesis on. NULL: there is none. */
static const char *behind_name(int id, struct buf *text)
{
    char path[32];
    struct buf name = buf_over(path, sizeof path);
    buf_format(&name, "/proc/%d/stat", id);
    const char *p = plat_file_read(path, text, NULL) ? NULL : strrchr(buf_text(text), ')');
    return p && p[1] == ' ' && p[2] && p[3] == ' ' ? p + 2 : NULL;
}

int process_parent(int id)
{
    struct buf text = BUF_INIT(4096);
    const char *p = behind_name(id, &text);
    int parent = p ? atoi(p + 2) : -1;
    buf_finish(&text);
    return parent;
}

bool plat_process_runs(int id, uint64_t start)
{
    enum { STATE = 3, BEGIN = 22 }; /* words */
    struct buf text = BUF_INIT(4096);
    const char *state = behind_name(id, &text), *at = state;
    for (int word = STATE; at && word < BEGIN; word++)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    bool runs = at && *state != 'Z' && *state != 'X' && strtoull(at, NULL, 10) == start;
    buf_finish(&text);
    return runs;
}
