/* SPDX-License-Identifier: MIT
 * Who lives below a process and was started with a text in its environment. */
#include "plat.h"
#include <stdlib.h>
#include <string.h>

enum { BELOW_MOST = 256, ENVIRONMENT_MOST = 8 << 20 };

static enum tare_status read_of(int id, const char *what, struct buf *out)
{
    char path[64];
    struct buf name = buf_over(path, sizeof path);
    buf_format(&name, "/proc/%d/%s", id, what);
    buf_clear(out);
    return plat_file_read(path, out, NULL);
}

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
