/* SPDX-License-Identifier: MIT
 *
 * The measuring thread of the script: it uses the CPU whenever the clock advances, but for what the script takes away.
 */
#include "buf.h"
#include "fake_state.h"
#include "plat.h"
#include "plat_thread.h"
#include <string.h>

/* What the script has added to one signal by now. */
static int64_t sum(enum fake_thread_signal signal)
{
    const struct fake_state *w = fake_state();
    int64_t total = 0;
    for (const struct fake_thread_event *e = w->script.thread_events; e; e = e->next)
        if (e->signal == signal && fake_elapsed(w) >= e->at_ns)
            total += e->value;
    return total;
}

static bool absent(enum fake_thread_signal signal)
{
    return fake_state()->script.thread_absent[signal];
}

enum tare_status plat_thread_open(struct plat_thread *t, struct tare_err *err)
{
    t->delay_fd = absent(THREAD_DELAY) ? -1 : 1;
    return t->delay_fd < 0
               ? err_set(err, TARE_UNSUPPORTED, "the time a thread waits for a CPU is not available: so says the script")
               : TARE_OK;
}

void plat_thread_close(struct plat_thread *t)
{
    if (t)
        t->delay_fd = -1;
}

int64_t plat_thread_cpu_ns(void)
{
    if (absent(THREAD_CPU_TIME))
        return -1;
    return fake_elapsed(fake_state()) - sum(THREAD_DELAY) - sum(THREAD_STEAL) - sum(THREAD_BLOCKED);
}

int64_t plat_thread_delay_ns(const struct plat_thread *t)
{
    return t->delay_fd < 0 ? -1 : sum(THREAD_DELAY);
}

bool plat_thread_counts(struct plat_thread_counts *out)
{
    if (absent(THREAD_VOLUNTARY)) {
        *out = (struct plat_thread_counts){-1, -1, -1, -1};
        return false;
    }
    *out = (struct plat_thread_counts){sum(THREAD_VOLUNTARY), sum(THREAD_INVOLUNTARY), sum(THREAD_MINFLT), sum(THREAD_MAJFLT)};
    return true;
}

int plat_thread_cpu(void)
{
    return absent(THREAD_MOVE) ? -1 : (int)sum(THREAD_MOVE);
}

int64_t plat_suspended_ns(void)
{
    return absent(THREAD_SUSPEND) ? -1 : sum(THREAD_SUSPEND);
}

/* ---- canned files that are read again and again: the descriptor is a place in the script's list ---- */

static const struct fake_canned *nth_file(int n)
{
    const struct fake_canned *f = fake_state()->script.files;
    while (f && n-- > 0)
        f = f->next;
    return f;
}

int plat_reread_open(const char *path, struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 20);
    enum tare_status status = plat_file_read(path, &text, err);
    buf_finish(&text);
    int n = 0;
    for (const struct fake_canned *f = fake_state()->script.files; f && !status; f = f->next, n++)
        if (!strcmp(f->path, path))
            return n;
    return -1;
}

int64_t plat_reread(int fd, char *text, int64_t size)
{
    const struct fake_canned *f = fd < 0 ? NULL : nth_file(fd);
    struct buf now = BUF_INIT(1 << 20);
    int64_t n = -1;
    if (f && plat_file_read(f->path, &now, NULL) == TARE_OK) {
        n = (int64_t)now.len < size ? (int64_t)now.len : size;
        memcpy(text, buf_text(&now), (size_t)n);
    }
    buf_finish(&now);
    return n;
}

void plat_reread_close(int fd)
{
    (void)fd;
}
