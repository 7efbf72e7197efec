/* SPDX-License-Identifier: MIT
 *
 * Who steers the same settings just now, by the table that `show` names them by; and whether a battery does.
 */
#include "knob_look.h"
#include "tune_parts.h"
#include "whole.h"
#include <string.h>

static void note(struct other_tuners *out, unsigned stages, const char *name, int64_t pid)
{
    for (int s = 0; s < STAGES; s++) {
        if (!(stages & 1u << s) || out->names[s][0])
            continue;
        struct buf b = buf_over(out->names[s], sizeof out->names[s]);
        buf_format(&b, "%s (pid %lld)", name, (long long)pid);
    }
}

static void look_at(struct other_tuners *out, const struct system_root *root, const char *process, struct buf *comm)
{
    char path[64];
    struct buf b = buf_over(path, sizeof path);
    const char *p = process;
    int64_t pid;
    if (!whole_take(&p, process + strlen(process), 10, &pid) || *p)
        return;
    buf_format(&b, "/proc/%s/comm", process);
    if (b.status || root_read(root, path, comm, NULL))
        return;
    for (int i = 0; i < n_tuners; i++)
        if (!strcmp(buf_text(comm), tuners[i].name))
            note(out, tuners[i].stages, tuners[i].name, pid);
}

void others_find(struct other_tuners *out, const struct system_root *root)
{
    struct buf names = BUF_INIT(1 << 24), comm = BUF_INIT(4096);
    int n = 0;
    memset(out, 0, sizeof *out);
    if (root_list(root, "/proc", &names, &n, NULL))
        n = 0;
    for (const char *name = buf_text(&names); n--; name += strlen(name) + 1)
        look_at(out, root, name, &comm);
    buf_finish(&names);
    buf_finish(&comm);
}

bool on_battery(const struct look *look)
{
    for (int i = 0; i < look->n_rows; i++)
        if (!strcmp(look->rows[i].knob->id, "power"))
            return look->rows[i].state == KNOB_NOISY;
    return false;
}
