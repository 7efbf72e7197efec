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

/* "pid (name) state parent ...": the name may hold anything, so from its last parenthesis on. */
int process_parent(int id)
{
    char path[32];
    struct buf name = buf_over(path, sizeof path), text = BUF_INIT(4096);
    buf_format(&name, "/proc/%d/stat", id);
    int parent = -1;
    const char *p = plat_file_read(path, &text, NULL) ? NULL : strrchr(buf_text(&text), ')');
    if (p && p[1] == ' ' && p[2] && p[3] == ' ')
        parent = atoi(p + 4);
    buf_finish(&text);
    return parent;
}
