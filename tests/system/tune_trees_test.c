/* SPDX-License-Identifier: MIT
 *
 * All machines of trees/, seen as they are, tuned by what was seen, and reset: no file may differ. Some of them die at each step.
 */
#include "machine_tree.h"
#include "tune_world.h"
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TREES_MIN = 15, STEPS_MAX = 1000 };

static const char trees[] = TESTS_DIR "/trees";

/* False: nothing can be seen there. */
static bool open_tree(struct world *w, const char *name)
{
    static const struct wishes wishes = {.frequency = FREQUENCY_BASE};
    char manifest[512];
    world_open(w);
    world_close(w); /* its folder; the tree brings its own */
    snprintf(manifest, sizeof manifest, "%s/%s", trees, name);
    char *folder = tree_make(manifest);
    snprintf(w->path, sizeof w->path, "%s", folder);
    free(folder);
    world_put(w, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    return look_at_machine(&w->look, &w->root, &wishes, &w->arena, NULL) == TARE_OK;
}

static int wanted(const struct world *w)
{
    int n = 0;
    for (int i = 0; i < w->look.n_settings; i++)
        n += !w->look.settings[i].why_not && w->look.settings[i].wanted;
    return n;
}

static int is_tree(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && !strcmp(e->d_name + n - 5, ".tree") && strcmp(e->d_name, "common.tree") != 0;
}

static void tune_and_reset(const char *name, int *changed)
{
    struct world w;
    if (!open_tree(&w, name)) {
        world_close(&w);
        return;
    }
    struct buf before = world_shot(&w);
    struct tune_report r = world_tune(&w);
    for (int i = 0; i < r.n; i++)
        if (strstr(r.changes[i].note, "no setting of tare names"))
            fail_msg("%s: the journal refuses %s", name, r.changes[i].path);
    *changed += r.made;
    if (wanted(&w))
        print_message("%s: %d made, %d refused, %d without effect\n", name, r.made, r.refused, r.ineffective);
    world_tune(&w);
    r = world_reset(&w, false);
    for (int i = 0; i < r.n; i++)
        if (r.changes[i].outcome != CHANGE_UNDONE && r.changes[i].outcome != CHANGE_KEPT)
            fail_msg("%s: %s %s: %s", name, r.changes[i].path, change_outcome_text(r.changes[i].outcome), r.changes[i].note);
    world_same(&w, &before, name, 0);
    buf_finish(&before);
    world_close(&w);
}

static void every_machine_comes_back_file_by_file(void **state)
{
    (void)state;
    struct dirent **names;
    int n = scandir(trees, &names, is_tree, alphasort), changed = 0;
    assert_true(n >= TREES_MIN);
    for (int i = 0; i < n; i++) {
        tune_and_reset(names[i]->d_name, &changed);
        free(names[i]);
    }
    free(names);
    assert_true(changed > 100);
}

static void kill_everywhere(const char *name)
{
    struct world w;
    assert_true(open_tree(&w, name));
    struct buf before = world_shot(&w);
    int step = 1, end = -SIGKILL;
    for (; end; step++) {
        assert_true(step < STEPS_MAX);
        w.step = 0;
        w.die_at = step;
        end = world_apart(&w, world_run_tune);
        w.die_at = 0;
        assert_true(!end || end == -SIGKILL);
        assert_int_equal(world_apart(&w, world_run_reset), 0);
        world_same(&w, &before, name, step);
    }
    print_message("%s: killed at %d steps\n", name, step - 2);
    buf_finish(&before);
    world_close(&w);
}

static void killed_at_any_step_they_come_back_too(void **state)
{
    (void)state;
    kill_everywhere("bare-vm.tree");
    kill_everywhere("acpi-cpufreq.tree");
    kill_everywhere("windows.tree");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_comes_back_file_by_file),
        cmocka_unit_test(killed_at_any_step_they_come_back_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
