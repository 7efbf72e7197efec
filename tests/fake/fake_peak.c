/* SPDX-License-Identifier: MIT
 *
 * Runs that are followed for their peak, and what the kernel's own figure cannot tell: the words of a script, and what comes of them.
 */
#include "fake_peak.h"
#include "fake_reading.h"
#include "fake_state.h"
#include "plat.h"

/* ---- words ---- */

static const struct {
    const char *name;
    enum plat_peak_why why;
} refusals[] = {
    {"traced", PEAK_TRACED_ALREADY}, {"filtered", PEAK_FILTERED}, {"yama", PEAK_YAMA},
    {"forbidden", PEAK_FORBIDDEN},   {"missing", PEAK_NO_PTRACE}, {"unreadable", PEAK_NOT_BEGUN},
};

static bool read_size(struct reading *r, int64_t *out)
{
    double bytes;
    if (!fake_words_quantity(&r->w, "bytes", &bytes))
        return false;
    *out = (int64_t)bytes;
    return (bytes >= 0 && bytes < 1e15) || fake_words_fault(&r->w, "a size is not negative");
}

bool fake_set_peak(struct reading *r)
{
    if (fake_words_accept(&r->w, "floor")) {
        r->s->floor_told = true;
        return read_size(r, &r->s->floor_helper_bytes) && read_size(r, &r->s->floor_unseen_bytes);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (fake_words_accept(&r->w, refusals[i].name)) {
            r->s->peak_refused = (int)refusals[i].why;
            return true;
        }
    return fake_words_fault(&r->w, "peak has floor, traced, filtered, yama, forbidden, missing and unreadable");
}

bool fake_program_peak(struct reading *r)
{
    if (fake_words_accept(&r->w, "privileged"))
        return r->program->privileged = true;
    return fake_words_model(&r->w, "bytes", &r->program->peak);
}

bool fake_program_tree(struct reading *r)
{
    return fake_words_model(&r->w, "bytes", &r->program->tree);
}

/* ---- what comes of them ---- */

enum plat_peak_why fake_peak_refusal(const struct fake_state *w, const struct fake_program *p)
{
    return w->script.peak_refused ? (enum plat_peak_why)w->script.peak_refused
           : p && p->privileged   ? PEAK_PRIVILEGED
                                  : PEAK_KNOWN;
}

static int64_t draw(struct fake_model *m, struct fake_program *p, double otherwise)
{
    double bytes = m->terms ? fake_model_draw(m, &p->rng, p->runs, 0) : otherwise;
    return bytes > 0 ? (int64_t)(bytes + 0.5) : 0;
}

void fake_peak_draw(struct fake_program *p, struct plat_child_result *result)
{
    result->peak_why = PEAK_KNOWN;
    result->peak_bytes = p ? draw(&p->peak, p, 2.5e6) : 2500000;
    bool grouped = p && p->tree.terms;
    result->tree_why = grouped ? PEAK_KNOWN : PEAK_NO_GROUP;
    result->tree_bytes = grouped ? draw(&p->tree, p, 0) : -1;
}

enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out)
{
    const struct fake_script *script = &fake_state()->script;
    (void)s;
    *out = (struct plat_rss_floor){script->floor_helper_bytes, script->floor_unseen_bytes};
    return script->floor_told ? TARE_OK : TARE_UNSUPPORTED;
}
