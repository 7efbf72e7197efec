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

static bool is_managed(struct look *l, const char *number)
{
    return root_read_only(l->root, look_say(l, "/proc/irq/%s/smp_affinity", number));
}

/* Managed ones are counted where they come to these CPUs: by their effective mask, which alone tells. */
static bool comes_near(struct look *l, const char *number, const struct cpu_list *mask, bool managed)
{
    struct cpu_list effective;
    int groups;
    const char *text = managed ? look_text(l, "/proc/irq/%s/effective_affinity", number) : NULL;
    if (!text || cpu_mask_parse(&effective, &groups, text))
        return true;
    (void)mask;
    return cpus_overlap(&effective, &l->sources->measured);
}

static void add_interrupt(struct interrupts *i, const char *number)
{
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
    if (!comes_near(l, number, &mask, managed))
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
    const char *cpus = look_list(l, &l->sources->measured);
    if (!i->near)
        return row_ok(l, i->k, look_say(l, "none of %d on CPU %s", i->seen, cpus));
    const char *fixed = i->fixed ? look_say(l, ", %d of them fixed by the kernel", i->fixed) : "";
    const char *advice =
        i->fixed ? "isolcpus=managed_irq,... on the kernel's command line keeps those away that it fixes itself" : "";
    return row_noisy(l, i->k, look_say(l, "%d of %d may come to CPU %s%s", i->near, i->seen, cpus, fixed),
                     "each takes some microseconds and what it needs of the caches", advice);
}

enum tare_status look_irq(struct look *l, const struct knob *k)
{
    struct interrupts i = {.l = l, .k = k};
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    l->sources->read = root_list(l->root, "/proc/irq", &names, &n, NULL);
    if (l->sources->read) {
        buf_finish(&names);
        return row_absent(l, k, "this kernel steers no interrupts");
    }
    bool steering = cpu_list_next(&l->housekeeping, 0) >= 0;
    if (steering)
        add_default(&i);
    for (const char *p = names.data; n-- && steering; p += strlen(p) + 1)
        if (*p >= '0' && *p <= '9' && !p[strspn(p, "0123456789")])
            add_interrupt(&i, p);
    buf_finish(&names);
    if (!steering)
        return row_none(l, k, "there is one CPU for all");
    return i.status ? i.status : add_row(&i);
}
