/* SPDX-License-Identifier: MIT
 *
 * Interrupts of devices. Each has a mask of CPUs that it may go to; those that the kernel manages itself (queues of disks and network cards, one a CPU) are
 * shown read-only by new kernels and refused by older ones.
 */
#include "cpu_mask.h"
#include "knob_look.h"
#include <string.h>

struct interrupts {
    struct look *l;
    const struct knob *k;
    int seen, near, fixed; /* with a handler; that may come to CPUs that are measured on; of those, managed by the kernel */
    enum tare_status status;
};

static const char *mask_text(struct look *l, const struct cpu_list *cpus, int groups)
{
    struct buf b = BUF_INIT(1 << 14);
    cpu_mask_write(&b, cpus, groups);
    const char *text = look_say(l, "%s", buf_text(&b));
    buf_finish(&b);
    return text;
}

/* What is left of the mask without the measured CPUs; all others where nothing is. */
static const char *steered(struct look *l, struct cpu_list mask, int groups)
{
    cpu_list_remove(&mask, &l->sources->measured);
    struct cpu_list online = mask;
    cpu_list_keep(&online, &l->online);
    return mask_text(l, cpu_list_next(&online, 0) >= 0 ? &mask : &l->housekeeping, groups);
}

/* ---- each interrupt there is ---- */

static bool is_number(const char *name)
{
    return *name >= '0' && *name <= '9' && !name[strspn(name, "0123456789")];
}

/* Calls add for each numbered folder. False: there are none to be seen; sources->read says why. */
static bool each_interrupt(struct look *l, void (*add)(void *context, const char *number), void *context)
{
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    enum tare_status read = root_list(l->root, "/proc/irq", &names, &n, NULL);
    for (const char *p = names.data; !read && n > 0; n--, p += strlen(p) + 1)
        if (is_number(p))
            add(context, p);
    buf_finish(&names);
    l->sources->read = read;
    return !read;
}

/* ---- steering ---- */

static bool is_managed(struct look *l, const char *number)
{
    return root_read_only(l->root, look_say(l, "/proc/irq/%s/smp_affinity", number));
}

/* Managed ones are counted where they come to these CPUs: by their effective mask, which alone tells. */
static bool comes_near(struct look *l, const char *number, bool managed)
{
    struct cpu_list effective;
    int groups;
    const char *text = managed ? look_text(l, "/proc/irq/%s/effective_affinity", number) : NULL;
    if (!text || cpu_mask_parse(&effective, &groups, text))
        return true;
    return cpus_overlap(&effective, &l->sources->measured);
}

static void add_interrupt(void *context, const char *number)
{
    struct interrupts *i = context;
    struct look *l = i->l;
    struct cpu_list mask;
    int groups;
    const char *text = look_text(l, "/proc/irq/%s/smp_affinity", number);
    if (!text || cpu_mask_parse(&mask, &groups, text))
        return;
    const char *actions = look_text(l, "/sys/kernel/irq/%s/actions", number);
    if (!actions && l->sources->read == TARE_FORMAT) /* no handler: it never comes */
        return;
    i->seen++;
    if (!cpus_overlap(&mask, &l->sources->measured))
        return;
    bool managed = is_managed(l, number);
    if (!comes_near(l, number, managed))
        return;
    i->near++;
    i->fixed += managed;
    if (!i->status)
        i->status = look_add_setting(
            l, &(struct setting){.knob = i->k,
                                 .form = FORM_MASK,
                                 .stage = STAGE_MASKS,
                                 .path = look_say(l, "/proc/irq/%s/smp_affinity", number),
                                 .identity = actions,
                                 .identity_path = actions ? look_say(l, "/sys/kernel/irq/%s/actions", number) : NULL,
                                 .now = text,
                                 .wanted = steered(l, mask, groups),
                                 .why_not = managed ? "the kernel manages it and lets nobody move it" : NULL});
}

static void add_default(struct interrupts *i)
{
    static const char path[] = "/proc/irq/default_smp_affinity";
    struct cpu_list mask;
    int groups;
    const char *text = look_text(i->l, path);
    if (!text || cpu_mask_parse(&mask, &groups, text) || !cpus_overlap(&mask, &i->l->sources->measured) || i->status)
        return;
    i->status = set_file(i->l, i->k, FORM_MASK, path, text, steered(i->l, mask, groups));
}

static enum tare_status add_row(struct interrupts *i)
{
    struct look *l = i->l;
    const char *cpus = look_named(l, &l->sources->measured);
    if (!i->near)
        return row_ok(l, i->k, look_say(l, "none of %d on %s", i->seen, cpus));
    const char *fixed = i->fixed ? look_say(l, ", %d of them fixed by the kernel", i->fixed) : "";
    const char *advice =
        i->fixed ? "isolcpus=managed_irq,... on the kernel's command line keeps those away that it fixes itself" : "";
    return row_stays_noisy(l, i->k, look_say(l, "%d of %d may come to %s%s", i->near, i->seen, cpus, fixed),
                           "each takes some microseconds and what it needs of the caches", advice);
}

enum tare_status look_irq(struct look *l, const struct knob *k)
{
    struct interrupts i = {.l = l, .k = k};
    if (cpu_list_next(&l->housekeeping, 0) < 0)
        return row_none(l, k, "there is one CPU for all");
    add_default(&i);
    if (!each_interrupt(l, add_interrupt, &i))
        return row_absent(l, k, "this kernel steers no interrupts");
    return i.status ? i.status : add_row(&i);
}

/* ---- before CPUs go offline ---- */

struct saving {
    struct look *l;
    const struct knob *k;
    const struct cpu_list *cpus;
    enum tare_status status;
};

static void save_mask(void *context, const char *number)
{
    struct saving *s = context;
    struct cpu_list mask;
    int groups;
    const char *path = look_say(s->l, "/proc/irq/%s/smp_affinity", number), *text = look_text(s->l, "%s", path);
    if (s->status || !text || cpu_mask_parse(&mask, &groups, text) || cpu_list_next(&mask, 0) < 0 ||
        !cpus_within(&mask, s->cpus) || root_read_only(s->l->root, path))
        return;
    const char *actions = look_text(s->l, "/sys/kernel/irq/%s/actions", number);
    s->status = look_add_setting(
        s->l, &(struct setting){.knob = s->k,
                                .form = FORM_MASK,
                                .stage = s->k->stage,
                                .path = path,
                                .identity = actions,
                                .identity_path = actions ? look_say(s->l, "/sys/kernel/irq/%s/actions", number) : NULL,
                                .now = text});
}

enum tare_status save_masks(struct look *l, const struct knob *k, const struct cpu_list *cpus)
{
    struct saving s = {l, k, cpus, TARE_OK};
    each_interrupt(l, save_mask, &s);
    return s.status;
}
