/* SPDX-License-Identifier: MIT */
#include "tune_world.h"
#include "plat.h"
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static enum tare_status before(void *context, const char *path, struct tare_err *err)
{
    struct world *w = context;
    w->step++;
    if (w->at_step)
        w->at_step(w, path);
    assert_true(snprintf(w->last_path, sizeof w->last_path, "%s", path) < (int)sizeof w->last_path);
    if (w->step == w->die_at && (!w->mortal || w->mortal == getpid()))
        kill(getpid(), SIGKILL);
    if (w->step != w->fail_at && (w->fail_at != -1 || *path != '/'))
        return TARE_OK;
    assert_true(snprintf(w->failed_path, sizeof w->failed_path, "%s", path) < (int)sizeof w->failed_path);
    return err_set(err, w->fail_with, "cannot write %s: refused by the test", path);
}

/* ---- the tree ---- */

void world_open(struct world *w)
{
    struct buf place = BUF_INIT(256);
    *w = (struct world){.knob = {.id = "test", .title = "a test"}};
    assert_int_equal(plat_directory_private(&place, "tare-tune-", NULL), TARE_OK);
    memcpy(w->path, buf_text(&place), place.len + 1);
    buf_finish(&place);
    w->root = (struct system_root){.path = w->path, .before_write = before, .context = w};
    w->look = (struct look){.root = &w->root, .arena = &w->arena, .settings = w->settings};
    cpu_list_add(&w->look.bench, 1);
    cpu_list_add(&w->look.housekeeping, 0);
    world_put(w, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
}

void world_close(struct world *w)
{
    assert_int_equal(plat_directory_remove(w->path, NULL), TARE_OK);
    arena_finish(&w->arena);
}

static void join(char out[1024], const struct world *w, const char *path)
{
    assert_true(snprintf(out, 1024, "%s%s", w->path, path) < 1024);
}

void world_put(struct world *w, const char *path, const char *text)
{
    char full[1024];
    join(full, w, path);
    for (char *slash = strchr(full + strlen(w->path) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

void world_forget(struct world *w, const char *path)
{
    char full[1024];
    join(full, w, path);
    assert_int_equal(remove(full), 0);
}

void world_expect(struct world *w, const char *path, const char *text)
{
    struct buf b = BUF_INIT(1 << 20);
    char full[1024];
    join(full, w, path);
    assert_int_equal(plat_file_read(full, &b, NULL), TARE_OK);
    assert_string_equal(buf_text(&b), text);
    buf_finish(&b);
}

static int visible(const struct dirent *e)
{
    return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

static void shoot(struct buf *out, const char *folder, size_t skip)
{
    struct dirent **names;
    int n = scandir(folder, &names, visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[1024];
        struct stat st;
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name) < (int)sizeof path);
        free(names[i]);
        assert_int_equal(lstat(path, &st), 0);
        if (!strcmp(path + skip, "/var"))
            continue;
        buf_format(out, "%s %o\n", path + skip, (unsigned)st.st_mode);
        if (S_ISDIR(st.st_mode))
            shoot(out, path, skip);
        else
            assert_int_equal(plat_file_read(path, out, NULL), TARE_OK);
    }
    if (n >= 0)
        free(names);
}

struct buf world_shot(struct world *w)
{
    struct buf b = BUF_INIT(1 << 24);
    shoot(&b, w->path, strlen(w->path));
    assert_int_equal(b.status, TARE_OK);
    return b;
}

void world_same(struct world *w, const struct buf *before_it, const char *when, int index)
{
    struct buf now = world_shot(w);
    if (now.len != before_it->len || memcmp(now.data, before_it->data, now.len))
        fail_msg("%s %d: the tree differs\n--- before\n%s\n--- now\n%s", when, index, buf_text(before_it), buf_text(&now));
    buf_finish(&now);
}

/* ---- its settings ---- */

struct setting *world_add(struct world *w, enum setting_kind kind, enum setting_form form, enum knob_stage stage,
                          const char *path, const char *now, const char *wanted)
{
    assert_true(w->look.n_settings < WORLD_SETTINGS);
    struct setting *s = &w->settings[w->look.n_settings++];
    *s = (struct setting){.knob = &w->knob,
                          .kind = kind,
                          .form = form,
                          .stage = stage,
                          .path = arena_strdup(&w->arena, path),
                          .identity = "",
                          .now = arena_strdup(&w->arena, now),
                          .wanted = arena_strdup(&w->arena, wanted)};
    return s;
}

static const char *draw(struct rng *r, const char *const *words, int n)
{
    return words[rng_below(r, (uint64_t)n)];
}

#define DRAW(r, ...) draw(r, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void add_file(struct world *w, enum setting_form form, enum knob_stage stage, const char *path, const char *held,
                     const char *now, const char *wanted)
{
    char line[256];
    snprintf(line, sizeof line, "%s\n", held);
    world_put(w, path, line);
    world_add(w, SETTING_FILE, form, stage, path, now, wanted);
}

static void furnish_policy(struct world *w, struct rng *r, int cpu)
{
    char path[128];
    const char *epp = DRAW(r, "balance_performance", "balance_power", "performance", "default");
    const char *governor = DRAW(r, "powersave", "performance", "schedutil"), *low = DRAW(r, "800000", "2000000", "1200000");
#define IN_POLICY(name) (snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/" name, cpu), path)
    world_put(w, IN_POLICY("scaling_driver"), "intel_pstate\n");
    add_file(w, FORM_TEXT, STAGE_EPP_SAVED, IN_POLICY("energy_performance_preference"), epp, epp, NULL);
    add_file(w, FORM_TEXT, STAGE_GOVERNOR, IN_POLICY("scaling_governor"), governor, governor, "performance");
    world_add(w, SETTING_FILE, FORM_TEXT, STAGE_EPP, IN_POLICY("energy_performance_preference"), epp, "performance");
    add_file(w, FORM_NUMBER, STAGE_LIMITS, IN_POLICY("scaling_min_freq"), low, low, "2000000");
    add_file(w, FORM_NUMBER, STAGE_LIMITS, IN_POLICY("scaling_max_freq"), "3900000", "3900000", "2000000");
    for (int i = w->look.n_settings - 5; i < w->look.n_settings; i++) {
        w->settings[i].identity = "intel_pstate";
        w->settings[i].identity_path = arena_strdup(&w->arena, IN_POLICY("scaling_driver"));
    }
#undef IN_POLICY
}

static void furnish_groups(struct world *w, struct rng *r)
{
    static const char root_tasks[] = "/sys/fs/cgroup/cpuset/cgroup.procs", rest[] = "/sys/fs/cgroup/cpuset/tare";
    world_put(w, root_tasks, DRAW(r, "1\n2\n77\n400\n", "1\n", "1\n12\n13\n14\n15\n16\n"));
    world_add(w, SETTING_FOLDER, FORM_TEXT, STAGE_PARTITION, rest, NULL, "");
    world_add(w, SETTING_FILE, FORM_LIST, STAGE_PARTITION, "/sys/fs/cgroup/cpuset/tare/cpuset.cpus", NULL, "0");
    world_add(w, SETTING_FILE, FORM_NUMBER, STAGE_PARTITION, "/sys/fs/cgroup/cpuset/tare/cpuset.mems", NULL, "0");
    world_put(w, "/sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n");
    world_add(w, SETTING_FILE, FORM_SWITCH, STAGE_PARTITION, "/sys/fs/cgroup/cgroup.subtree_control", "-cpuset", "+cpuset");
    struct setting *s = world_add(w, SETTING_TASKS, FORM_TEXT, STAGE_TASKS, "/sys/fs/cgroup/cpuset/tare/cgroup.procs", NULL, "");
    s->from = root_tasks;
}

static void furnish_masks(struct world *w, struct rng *r)
{
    static const char *const masks[] = {"3", "2", "00000003", "1"};
    for (int irq = 24; irq < 28; irq++) {
        char path[64], actions[64];
        snprintf(path, sizeof path, "/proc/irq/%d/smp_affinity", irq);
        snprintf(actions, sizeof actions, "/sys/kernel/irq/%d/actions", irq);
        world_put(w, actions, "virtio-net\n");
        const char *mask = masks[rng_below(r, 4)];
        add_file(w, FORM_MASK, STAGE_MASKS, path, mask, mask, "1");
        w->settings[w->look.n_settings - 1].identity = "virtio-net";
        w->settings[w->look.n_settings - 1].identity_path = arena_strdup(&w->arena, actions);
    }
    add_file(w, FORM_MASK, STAGE_MASKS, "/sys/devices/virtual/workqueue/cpumask", "3", "3", "1");
}

void world_furnish(struct world *w, struct rng *r)
{
    furnish_policy(w, r, 0);
    furnish_policy(w, r, 1);
    const char *no_turbo = DRAW(r, "0", "1"), *aslr = DRAW(r, "0", "1", "2");
    add_file(w, FORM_NUMBER, STAGE_TURBO, "/sys/devices/system/cpu/intel_pstate/no_turbo", no_turbo, no_turbo, "1");
    furnish_groups(w, r);
    furnish_masks(w, r);
    add_file(w, FORM_NUMBER, STAGE_SYSCTL, "/proc/sys/kernel/randomize_va_space", aslr, aslr, "2");
    add_file(w, FORM_NUMBER, STAGE_SYSCTL, "/proc/sys/vm/stat_interval", "1", "1", "120");
    const char *thp = DRAW(r, "[always] madvise never", "always [madvise] never", "always madvise [never]");
    struct buf now = BUF_INIT(64);
    setting_value(&now, FORM_SELECTED, thp);
    add_file(w, FORM_SELECTED, STAGE_SYSCTL, "/sys/kernel/mm/transparent_hugepage/enabled", thp, buf_text(&now), "never");
    buf_finish(&now);
}

/* ---- its kernel ---- */

static bool holds(struct world *w, const char *path, const char *text)
{
    struct buf b = BUF_INIT(1 << 12);
    bool same = !root_read(&w->root, path, &b, NULL) && !strcmp(buf_text(&b), text);
    buf_finish(&b);
    return same;
}

#define CPUFREQ "/sys/devices/system/cpu/cpu%d/cpufreq/"

void world_kernel_moves(struct world *w, const char *path)
{
    (void)path;
    char governor[128], epp[128], highest[128];
    for (int cpu = 0; cpu < 2; cpu++) {
        snprintf(governor, sizeof governor, CPUFREQ "scaling_governor", cpu);
        snprintf(epp, sizeof epp, CPUFREQ "energy_performance_preference", cpu);
        snprintf(highest, sizeof highest, CPUFREQ "scaling_max_freq", cpu);
        if (!strcmp(w->last_path, governor) && holds(w, governor, "performance"))
            world_put(w, epp, "performance\n");
        if (!strcmp(w->last_path, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
            world_put(w, highest, "3700000\n");
    }
}

/* ---- acts ---- */

struct tune_report world_tune(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j;
    struct tare_err err = {.text = ""};
    if (journal_open(&j, NULL, &w->root, &err) || tune_apply(&w->look, j, NULL, &report, &err))
        fail_msg("tune: %s", err.text);
    journal_close(j);
    return report;
}

struct tune_report world_reset(struct world *w, bool force)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j;
    struct tare_err err = {.text = ""};
    if (journal_open(&j, NULL, &w->root, &err) || tune_reset(&w->root, j, force, &report, &err))
        fail_msg("reset: %s", err.text);
    journal_close(j);
    return report;
}

int world_journal_there(struct world *w)
{
    char full[1024];
    join(full, w, "/var/lib/tare/journal");
    return !access(full, F_OK);
}

const struct change *world_change(const struct tune_report *r, const char *path)
{
    for (int i = r->n - 1; i >= 0; i--)
        if (!strcmp(r->changes[i].path, path))
            return &r->changes[i];
    return NULL;
}

int world_apart(struct world *w, int (*run)(struct world *w))
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        w->mortal = getpid();
        w->last_path[0] = 0;
        _exit(run(w));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int world_run_tune(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j = NULL;
    enum tare_status status = journal_open(&j, NULL, &w->root, NULL);
    if (!status)
        status = tune_apply(&w->look, j, NULL, &report, NULL);
    journal_close(j);
    return -(int)status;
}

int world_run_reset(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j = NULL;
    enum tare_status status = journal_open(&j, NULL, &w->root, NULL);
    if (!status)
        status = tune_reset(&w->root, j, false, &report, NULL);
    journal_close(j);
    return -(int)status;
}
