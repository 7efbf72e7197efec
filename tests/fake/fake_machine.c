/* SPDX-License-Identifier: MIT
 *
 * What the script says of the machine and its terminal.
 */
#include "fake_reading.h"
#include "fake_state.h"
#include "plat.h"
#include <string.h>

/* ---- words ---- */

bool fake_set_uname(struct reading *r)
{
    for (int i = 0; i < 4; i++) {
        char *text;
        if (!fake_words_text(&r->w, "uname's OS RELEASE VERSION MACHINE", &text))
            return false;
        r->s->uname[i] = text;
    }
    char *node = NULL;
    if (fake_words_left(&r->w) && !fake_words_text(&r->w, "uname's NODE", &node))
        return false;
    r->s->uname[4] = node ? node : "";
    return true;
}

bool fake_set_folder(struct reading *r)
{
    char *text;
    if (!fake_words_text(&r->w, "folder's PATH", &text))
        return false;
    r->s->folder = text;
    return true;
}

/* ---- what it says ---- */

int plat_cpus_allowed(void)
{
    return fake_state()->script.cpus;
}

bool plat_cpu_allowed(int cpu)
{
    return cpu >= 0 && cpu < plat_cpus_allowed();
}

static void cut(char *out, size_t size, const char *text)
{
    struct buf b = buf_over(out, size);
    buf_str(&b, text);
}

void plat_uname(struct plat_uname *out)
{
    const char *const *text = fake_state()->script.uname;
    cut(out->os, sizeof out->os, text[0]);
    cut(out->release, sizeof out->release, text[1]);
    cut(out->version, sizeof out->version, text[2]);
    cut(out->machine, sizeof out->machine, text[3]);
    cut(out->node, sizeof out->node, text[4]);
}

enum tare_status plat_set_priority(enum plat_priority p, struct tare_err *err)
{
    if (p > PRIORITY_NORMAL && fake_state()->script.priority_denied)
        return err_set(err, TARE_PERMISSION, "raising the priority is not permitted here; run as root or without --priority");
    if (p != PRIORITY_NORMAL && fake_state()->script.priority_ignored)
        return err_set(err, TARE_UNSUPPORTED, "cannot take this priority: the system accepted it and did not keep it");
    fake_state()->priority = p;
    return TARE_OK;
}

enum tare_status plat_scheduling(struct plat_scheduling *out, struct tare_err *err)
{
    static const struct plat_scheduling kept[] = {[PRIORITY_IDLE] = {"batch", 19, 0},
                                                  [PRIORITY_NORMAL] = {"other", 0, 0},
                                                  [PRIORITY_HIGH] = {"other", -10, 0},
                                                  [PRIORITY_REALTIME] = {"fifo", 0, 1}};
    (void)err;
    *out = kept[fake_state()->priority];
    return TARE_OK;
}

enum tare_status plat_working_folder(struct buf *path, struct tare_err *err)
{
    (void)err;
    buf_str(path, fake_state()->script.folder);
    return path->status;
}

bool plat_is_terminal(int fd)
{
    return fd >= 0 && fd < 3 && fake_state()->script.terminal[fd];
}

int plat_terminal_width(int fd)
{
    return plat_is_terminal(fd) ? fake_state()->script.terminal_width : 80;
}

uint64_t plat_random_seed(void)
{
    return fake_state()->script.seed;
}
