/* SPDX-License-Identifier: MIT */
#include "fake_state.h"
#include "fake.h"
#include "fake_real.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAULT_EXIT = 99, SCRIPT_MAX = 1 << 20, LOG_MAX = 16 << 20 };

/* plat.h has no context argument, because a process has one operating system; this is ours. */
static struct fake_state the_world;
static bool begun;

void fake_write(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno != EINTR)
            return;
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

void fake_fault(const char *format, ...)
{
    struct buf b = BUF_INIT(4096);
    buf_str(&b, "tare-fake: ");
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    buf_char(&b, '\n');
    fake_write(STDERR_FILENO, b.data, b.len);
    _exit(FAULT_EXIT);
}

static void forget(struct fake_state *w)
{
    fake_script_finish(&w->script);
    buf_finish(&w->log);
    real_close(w->log_fd);
    *w = (struct fake_state){.log_fd = -1, .log = BUF_INIT(LOG_MAX), .priority = PRIORITY_NORMAL};
}

enum tare_status fake_script_set(const char *text, struct tare_err *err)
{
    struct fake_state *w = &the_world;
    if (!begun)
        w->log_fd = -1;
    begun = true;
    forget(w);
    enum tare_status status = fake_script_parse(&w->script, text, err);
    if (status)
        fake_script_parse(&w->script, "", NULL);
    w->now_ns = w->script.start_ns;
    w->tick_rng = rng_seeded(w->script.seed ^ 0x7469636b);
    return status;
}

static void set_from_file(const char *path)
{
    struct buf text = BUF_INIT(SCRIPT_MAX);
    struct tare_err err = {{0}};
    if (path && real_file_read(path, &text, &err))
        fake_fault("TARE_FAKE_SCRIPT: %s", err.text);
    if (fake_script_set(buf_text(&text), &err))
        fake_fault("%s: %s", path, err.text);
    buf_finish(&text);
}

struct fake_state *fake_state(void)
{
    if (!begun)
        set_from_file(getenv("TARE_FAKE_SCRIPT"));
    return &the_world;
}

const char *fake_log(void)
{
    return buf_text(&fake_state()->log);
}

/* ---- time and signals ---- */

int64_t fake_elapsed(const struct fake_state *w)
{
    return w->now_ns - w->script.start_ns;
}

static struct fake_signal *next_signal(const struct fake_state *w)
{
    struct fake_signal *s = w->script.signals;
    while (s && s->delivered)
        s = s->next;
    return s;
}

int64_t fake_next_signal(const struct fake_state *w)
{
    const struct fake_signal *s = next_signal(w);
    return s ? s->at_ns : INT64_MAX;
}

void fake_deliver(struct fake_state *w, int number)
{
    if (!w->watched || w->warned)
        plat_die_of(number);
    w->warned = true;
    w->noted = number;
}

void fake_advance(struct fake_state *w, int64_t ns)
{
    w->now_ns += ns;
    for (struct fake_signal *s; (s = next_signal(w)) && s->at_ns <= fake_elapsed(w);) {
        s->delivered = true;
        fake_deliver(w, s->number);
    }
}

void fake_advance_part(struct fake_state *w, double ns)
{
    double whole = floor(w->part_ns + ns);
    w->part_ns += ns - whole;
    fake_advance(w, (int64_t)whole);
}

static int64_t jumped_ns(const struct fake_state *w, const struct fake_jump *jumps)
{
    int64_t by_ns = 0;
    for (const struct fake_jump *j = jumps; j; j = j->next)
        by_ns += fake_elapsed(w) >= j->at_ns ? j->by_ns : 0;
    return by_ns;
}

int64_t plat_now_ns(void)
{
    struct fake_state *w = fake_state();
    fake_advance(w, w->script.step_ns);
    return w->now_ns - jumped_ns(w, w->script.backs);
}

int64_t fake_utc_ns(const struct fake_state *w)
{
    return w->script.utc_ns + fake_elapsed(w) + jumped_ns(w, w->script.jumps);
}

int64_t plat_utc_ns(void)
{
    struct fake_state *w = fake_state();
    fake_advance(w, w->script.step_ns);
    return fake_utc_ns(w);
}

void plat_sleep_ns(int64_t ns)
{
    struct fake_state *w = fake_state();
    int64_t until_signal = fake_next_signal(w) - fake_elapsed(w);
    if (ns > 0)
        fake_advance(w, until_signal < ns ? until_signal : ns);
}

enum tare_status plat_signals_watch(void)
{
    fake_state()->watched = true;
    signal(SIGPIPE, SIG_IGN); /* a real one: standard output is real */
    return TARE_OK;
}

int plat_signal(void)
{
    return fake_state()->noted;
}

void plat_signal_clear(void)
{
    fake_state()->noted = 0;
}

/* ---- noise that all programs share ---- */

static double noise_factor(const struct fake_state *w, const struct fake_noise *noise)
{
    const double pi = 3.14159265358979323846;
    double periods = (double)fake_elapsed(w) / noise->period_ns;
    if (noise->kind == NOISE_DRIFT)
        return 1 + noise->ratio * periods;
    if (noise->kind == NOISE_WAVE)
        return 1 + noise->ratio * sin(2 * pi * periods);
    struct rng r = rng_seeded(w->script.seed ^ (uint64_t)periods * 0x9e3779b97f4a7c15u); /* the step's own: no order matters */
    return 1 + noise->ratio * (2 * rng_uniform(&r) - 1);
}

double fake_session_factor(const struct fake_state *w)
{
    double factor = 1;
    for (const struct fake_noise *noise = w->script.noises; noise; noise = noise->next)
        factor *= noise_factor(w, noise);
    return factor > 0.01 ? factor : 0.01; /* a wave above 100 % would turn time back */
}
