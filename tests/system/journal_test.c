/* SPDX-License-Identifier: MIT
 *
 * The journal as a file: torn anywhere, damaged, foreign, of other versions, hostile, in folders that are not ours.
 */
#include "crc.h"
#include "journal_parts.h"
#include "plat.h"
#include "plat_state.h"
#include "tune_world.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ASLR    "/proc/sys/kernel/randomize_va_space"
#define STAT    "/proc/sys/vm/stat_interval"
#define JOURNAL "/var/lib/tare/journal"

static void open_two(struct world *w)
{
    world_open(w);
    world_put(w, ASLR, "1\n");
    world_put(w, STAT, "1\n");
    world_add(w, SETTING_FILE, FORM_NUMBER, STAGE_SYSCTL, ASLR, "1", "2");
    world_add(w, SETTING_FILE, FORM_NUMBER, STAGE_SYSCTL, STAT, "1", "120");
}

static struct buf journal_bytes(struct world *w)
{
    char path[1024];
    struct buf b = BUF_INIT(1 << 20);
    snprintf(path, sizeof path, "%s" JOURNAL, w->path);
    assert_int_equal(plat_file_read(path, &b, NULL), TARE_OK);
    return b;
}

static void put_journal(struct world *w, const char *bytes, size_t n)
{
    char path[1024];
    world_put(w, JOURNAL, "");
    snprintf(path, sizeof path, "%s" JOURNAL, w->path);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void mode_of(struct world *w, const char *path, mode_t mode)
{
    char full[1024];
    snprintf(full, sizeof full, "%s%s", w->path, path);
    assert_int_equal(chmod(full, mode), 0);
}

/* Opening it fails so, and nothing is written. */
static void refused(struct world *w, enum tare_status how, const char *word)
{
    struct buf before = world_shot(w);
    struct journal *j;
    struct tare_err err = {.text = ""};
    assert_int_equal(journal_open(&j, NULL, &w->root, &err), how);
    assert_null(j);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not say '%s'", err.text, word);
    assert_null(strchr(err.text, '\n'));
    world_same(w, &before, "refused", 0);
    buf_finish(&before);
}

/* ---- torn ---- */

static bool noted(const char *bytes, size_t n, const char *path)
{
    for (const char *p = bytes, *end; (end = memchr(p, '\n', n - (size_t)(p - bytes))); p = end + 1) {
        char line[4096];
        assert_true(end - p < (long)sizeof line);
        snprintf(line, sizeof line, "%.*s", (int)(end - p), p);
        if (strstr(line, "\tintent\t") && strstr(line, path))
            return true;
    }
    return false;
}

static void a_journal_cut_at_any_length_undoes_what_it_still_notes(void **state)
{
    (void)state;
    struct world w;
    open_two(&w);
    world_tune(&w);
    struct buf whole = journal_bytes(&w);
    assert_true(whole.len > 200);
    for (size_t n = 0; n <= whole.len; n++) {
        world_put(&w, ASLR, "2\n");
        world_put(&w, STAT, "120\n");
        put_journal(&w, whole.data, n);
        bool truncated = n && whole.data[n - 1] != '\n';
        struct tune_report r = world_reset(&w, false);
        world_expect(&w, ASLR, noted(whole.data, n, ASLR) ? "1\n" : "2\n");
        world_expect(&w, STAT, noted(whole.data, n, STAT) ? "1\n" : "120\n");
        assert_int_equal(truncated, r.warning && strstr(r.warning, "middle of a line"));
        assert_false(world_journal_there(&w));
    }
    buf_finish(&whole);
    world_close(&w);
}

static void a_torn_end_is_cut_away_before_more_is_written(void **state)
{
    (void)state;
    struct world w;
    open_two(&w);
    world_tune(&w);
    struct buf whole = journal_bytes(&w);
    struct buf before = world_shot(&w);
    for (size_t n = 0; n <= whole.len; n++) {
        world_put(&w, ASLR, "1\n");
        world_put(&w, STAT, "1\n");
        put_journal(&w, whole.data, n);
        world_tune(&w);
        world_same(&w, &before, "tuned behind a torn end at", (int)n);
        struct tune_report r = world_reset(&w, false);
        assert_null(r.warning);
        world_expect(&w, ASLR, "1\n");
        world_expect(&w, STAT, "1\n");
    }
    buf_finish(&before);
    buf_finish(&whole);
    world_close(&w);
}

static void a_damaged_line_is_named_and_the_others_are_undone(void **state)
{
    (void)state;
    struct world w;
    open_two(&w);
    world_tune(&w);
    struct buf whole = journal_bytes(&w);
    char *at = strstr(whole.data, ASLR);
    assert_non_null(at);
    *at ^= 1;
    put_journal(&w, whole.data, whole.len);
    struct tune_report r = world_reset(&w, false);
    assert_non_null(strstr(r.warning, "1 line of"));
    world_expect(&w, ASLR, "2\n");
    world_expect(&w, STAT, "1\n");
    buf_finish(&whole);
    world_close(&w);
}

/* ---- lines that are not there ---- */

/* The bytes without the line that has this word and this path. */
static struct buf without_line(const struct buf *whole, const char *word, const char *path)
{
    struct buf b = BUF_INIT(1 << 20);
    int left_out = 0;
    for (const char *p = whole->data, *stop = p + whole->len, *end; p < stop; p = end + 1) {
        end = memchr(p, '\n', (size_t)(stop - p));
        assert_non_null(end);
        char line[4096];
        snprintf(line, sizeof line, "%.*s", (int)(end - p), p);
        if (strstr(line, word) && strstr(line, path))
            left_out++;
        else
            buf_add(&b, p, (size_t)(end + 1 - p));
    }
    assert_int_equal(left_out, 1);
    return b;
}

static enum tare_status tune_status(struct world *w, struct tare_err *err)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j;
    assert_int_equal(journal_open(&j, NULL, &w->root, err), TARE_OK);
    enum tare_status status = tune_apply(&w->look, j, NULL, &report, err);
    journal_close(j);
    return status;
}

/* Of the first change, in the middle of the file, and of the last, of which its end is left. */
static void a_line_that_is_missing_is_named_and_the_others_are_undone(void **state)
{
    (void)state;
    static const char *const paths[] = {ASLR, STAT}, *const tuned[] = {"2\n", "120\n"};
    for (int lost = 0; lost < 2; lost++) {
        struct world w;
        struct tare_err err = {.text = ""};
        open_two(&w);
        world_tune(&w);
        struct buf whole = journal_bytes(&w), less = without_line(&whole, "\tintent\t", paths[lost]);
        put_journal(&w, less.data, less.len);
        struct buf before = world_shot(&w);
        assert_int_equal(tune_status(&w, &err), TARE_FORMAT);
        assert_non_null(strstr(err.text, "missing"));
        world_same(&w, &before, "not tuned by it", lost);
        struct tune_report r = world_reset(&w, false);
        assert_non_null(r.warning);
        assert_non_null(strstr(r.warning, "1 line of"));
        assert_non_null(strstr(r.warning, "is missing"));
        assert_int_equal(r.undone, 1);
        world_expect(&w, paths[lost], tuned[lost]);
        world_expect(&w, paths[!lost], "1\n");
        buf_finish(&before);
        buf_finish(&less);
        buf_finish(&whole);
        world_close(&w);
    }
}

/* Whatever step fails, the same process undoes, one file is in conflict, and the journal that stays for that can be read. */
static void what_could_not_be_noted_leaves_no_trace_in_the_journal(void **state)
{
    (void)state;
    bool failed = true;
    for (int step = 1; failed; step++) {
        struct world w;
        struct journal *j;
        struct buf aslr = BUF_INIT(64);
        open_two(&w);
        w.settings[0].stage = STAGE_MASKS; /* of another stage, so noted and made before */
        struct tune_report report = {.arena = &w.arena};
        w.fail_at = step;
        w.fail_with = TARE_IO;
        assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
        (void)tune_apply(&w.look, j, NULL, &report, NULL);
        failed = w.failed_path[0];
        w.fail_at = 0;
        assert_int_equal(root_read(&w.root, ASLR, &aslr, NULL), TARE_OK);
        if (!strcmp(buf_text(&aslr), "2"))
            world_put(&w, ASLR, "0\n");
        assert_int_equal(tune_reset(&w.root, j, false, &report, NULL), TARE_OK);
        journal_close(j);
        assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
        assert_int_equal(journal_lost(j), 0);
        assert_int_equal(journal_truncated_bytes(j), 0);
        journal_close(j);
        world_reset(&w, true);
        world_expect(&w, ASLR, "1\n");
        world_expect(&w, STAT, "1\n");
        assert_false(world_journal_there(&w));
        buf_finish(&aslr);
        world_close(&w);
        assert_true(step < 100);
    }
}

/* ---- not ours ---- */

/* A journal of these lines, each of fields closed by blanks ('_' stands for a blank, '-' for an absent field, '~' for an empty one). */
static void write_lines(struct world *w, const char *const *lines)
{
    struct buf b = BUF_INIT(1 << 20);
    for (; *lines; lines++) {
        char text[2048], *fields[16];
        int n = 0;
        snprintf(text, sizeof text, "%s", *lines);
        for (char *p = strtok(text, " "); p && n < 16; p = strtok(NULL, " "))
            fields[n++] = !strcmp(p, "-") ? NULL : !strcmp(p, "~") ? p + 1 : p;
        journal_line_write(&b, n, (const char *const *)fields);
    }
    put_journal(w, b.data, b.len);
    buf_finish(&b);
}

#define HEAD "tare-journal 1 0.1 11111111-2222-3333-4444-555555555555 6.1"

static void other_versions_and_foreign_files_are_refused_in_one_line(void **state)
{
    (void)state;
    struct world w;
    open_two(&w);
    write_lines(&w, (const char *const[]){"tare-journal 2 9.9 x y z", NULL});
    refused(&w, TARE_VERSION, "a newer tare");
    write_lines(&w, (const char *const[]){"tare-journal 0 0.0", NULL});
    refused(&w, TARE_VERSION, "an older tare");
    put_journal(&w, "hello\nworld\n", 12);
    refused(&w, TARE_FORMAT, "no head");
    put_journal(&w,
                "\x7f"
                "ELF\0\0\0",
                7);
    refused(&w, TARE_FORMAT, "not a journal of tare");
    write_lines(&w, (const char *const[]){"owner 1 2 0.1", NULL});
    refused(&w, TARE_FORMAT, "line 1 has no head");
    write_lines(&w, (const char *const[]){HEAD, HEAD, NULL});
    refused(&w, TARE_FORMAT, "line 2");
    world_close(&w);
}

static void lines_that_tare_never_writes_make_the_whole_file_void(void **state)
{
    (void)state;
    static const char good[] = "intent 1 aslr 0 1 8 " ASLR " - ~ - 1 2";
    static const char *const bad[] = {
        "intent 1 aslr 0 1 8 /etc/passwd - ~ - 1 2",
        "intent 1 aslr 0 1 8 /proc/sys/../../etc/passwd - ~ - 1 2",
        "intent 1 aslr 0 1 8 /proc/sys/kernel/../vm/swappiness - ~ - 1 2",
        "intent 1 aslr 0 1 8 /proc/sys/kernel/core_pattern - ~ - 1 2",
        "intent 1 aslr 0 1 8 /proc/sys/kernel/modprobe - ~ - 1 2",
        "intent 1 aslr 0 1 8 /sys/fs/cgroup/cpuset/release_agent - ~ - 1 2",
        "intent 1 aslr 0 1 8 /sys/fs/cgroup/user.slice/cgroup.kill - ~ - 1 2",
        "intent 1 aslr 0 1 8 /sys/kernel/uevent_helper - ~ - 1 2",
        "intent 1 aslr 0 1 8 /proc/1/mem - ~ - 1 2",
        "intent 1 aslr 0 1 8 /dev/sda - ~ - 1 2",
        "intent 1 aslr 0 1 8 " ASLR " - ~ /etc/shadow 1 2",
        "intent 1 aslr 0 1 8 " ASLR " - ~ /proc/../etc/shadow 1 2",
        "intent 1 aslr 0 1 8 " ASLR " /proc/sys/vm/x ~ - 1 2",
        "intent 1 aslr 3 0 6 /sys/fs/cgroup/a/tasks /etc/x ~ - - 2",
        "intent 1 aslr 3 0 6 /sys/fs/cgroup/a/tasks - ~ - - 2",
        "intent 1 aslr 1 0 5 /sys/fs/cgroup/a - ~ - 1 2",
        "intent 1 aslr 2 0 5 /dev/cpu_dma_latency - ~ - - 0",
        "intent 0 aslr 0 1 8 " ASLR " - ~ - 1 2",
        "intent x aslr 0 1 8 " ASLR " - ~ - 1 2",
        "intent 1 - 0 1 8 " ASLR " - ~ - 1 2",
        "intent 1 aslr 7 1 8 " ASLR " - ~ - 1 2",
        "intent 1 aslr 0 9 8 " ASLR " - ~ - 1 2",
        "intent 1 aslr 0 1 99 " ASLR " - ~ - 1 2",
        "intent 1 aslr 0 1 8 " ASLR " - ~ - 1",
        "done 0 0 1",
        "saw 0 1",
        "reverted 0",
        "intent 1 aslr 0 1 8 /proc/sys/vm/swappiness - ~ - 1 2",
        "intent 1 aslr 0 1 8 /sys/devices/system/cpu/cpu1/cpufreq/scaling_setspeed - ~ - 1 2",
        "intent 1 aslr 0 1 8 /sys/devices/system/cpu/cpu1/../cpu2/online - ~ - 1 2",
        "intent 1 aslr 0 1 8 /sys/devices/system/cpu/intel_pstate/status - ~ - 1 2",
        "intent 1 aslr 0 1 8 /dev/cpu_dma_latency - ~ - 1 2",
        "intent 1 aslr 0 1 8 " ASLR " - ~ /proc/kmsg 1 2",
        "intent 1 aslr 1 0 5 /sys/fs/cgroup/user.slice - ~ - - 2",
        "intent 1 aslr 1 0 5 " ASLR " - ~ - - 2",
        "intent 1 aslr 0 0 5 /sys/fs/cgroup/tare - ~ - 1 2",
        "intent 1 aslr 3 0 6 /sys/fs/cgroup/tare/cgroup.procs /sys/fs/cgroup/user.slice/cgroup.procs ~ - - 2",
        "intent 1 aslr 3 0 6 /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/tare/cgroup.procs ~ - - 2",
        "erase everything",
        "tare-journal",
    };
    struct world w;
    open_two(&w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_lines(&w, (const char *const[]){HEAD, bad[i], NULL});
        refused(&w, TARE_FORMAT, "line 2 has");
    }
    write_lines(&w, (const char *const[]){HEAD, good, "done 1 0 2", "intent 1 x 0 1 8 " STAT " - ~ - 1 120", NULL});
    refused(&w, TARE_FORMAT, "line 4 has"); /* numbers go up */
    write_lines(&w, (const char *const[]){HEAD, good, "done 1 0 2", NULL});
    world_put(&w, ASLR, "2\n");
    assert_int_equal(world_reset(&w, false).undone, 1);
    world_expect(&w, ASLR, "1\n");
    world_close(&w);
}

static void values_over_the_limit_are_refused(void **state)
{
    (void)state;
    struct world w;
    open_two(&w);
    char *long_text = malloc(JOURNAL_TEXT_MAX + 2);
    assert_non_null(long_text);
    memset(long_text, 'a', JOURNAL_TEXT_MAX + 1);
    long_text[JOURNAL_TEXT_MAX + 1] = 0;
    struct buf b = BUF_INIT(1 << 20);
    journal_line_write(&b, 5, (const char *const[]){"tare-journal", "1", "0", "11111111-2222-3333-4444-555555555555", "6"});
    journal_line_write(&b, 12, (const char *const[]){"intent", "1", "k", "0", "0", "8", ASLR, NULL, "", NULL, long_text, "2"});
    put_journal(&w, b.data, b.len);
    refused(&w, TARE_FORMAT, "line 2 has");
    world_forget(&w, JOURNAL);
    world_put(&w, ASLR, long_text); /* and such a file is not tuned */
    struct tune_report r = world_tune(&w);
    assert_int_equal(world_change(&r, ASLR)->outcome, CHANGE_REFUSED);
    assert_int_equal(world_change(&r, STAT)->outcome, CHANGE_MADE);
    free(long_text);
    buf_finish(&b);
    world_close(&w);
}

/* ---- the folder ---- */

static void links_and_folders_open_to_others_are_refused(void **state)
{
    (void)state;
    struct world w;
    char path[1024], target[1024];
    open_two(&w);
    world_tune(&w);
    world_reset(&w, false);
    mode_of(&w, "/var/lib/tare", 0777);
    refused(&w, TARE_PERMISSION, "others may write");
    mode_of(&w, "/var/lib/tare", 0700);
    write_lines(&w, (const char *const[]){HEAD, NULL});
    mode_of(&w, JOURNAL, 0666);
    refused(&w, TARE_PERMISSION, "chmod go-w it");
    mode_of(&w, JOURNAL, 0620);
    refused(&w, TARE_PERMISSION, "chmod go-w it");
    world_forget(&w, JOURNAL);
    world_put(&w, "/elsewhere", "");
    snprintf(path, sizeof path, "%s" JOURNAL, w.path);
    snprintf(target, sizeof target, "%s/elsewhere", w.path);
    assert_int_equal(symlink(target, path), 0);
    refused(&w, TARE_PERMISSION, "is a link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(target, path), 0); /* a second name of another file */
    refused(&w, TARE_PERMISSION, "not a regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(&w, TARE_PERMISSION, "not a regular file");
    assert_int_equal(unlink(path), 0);
    world_forget(&w, "/var/lib/tare");
    snprintf(path, sizeof path, "%s/var/lib/tare", w.path);
    assert_int_equal(symlink(w.path, path), 0);
    refused(&w, TARE_PERMISSION, "is a link");
    world_close(&w);
}

static void the_journal_is_for_its_owner_alone(void **state)
{
    (void)state;
    struct world w;
    struct stat st;
    char path[1024];
    open_two(&w);
    world_tune(&w);
    snprintf(path, sizeof path, "%s" JOURNAL, w.path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    *strrchr(path, '/') = 0;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    world_close(&w);
}

/* Whatever is asked for, root has one place and a tree has one: two tuners meet at its lock. What is the user's own goes where it is asked for. */
static void there_is_one_place_for_root_and_one_in_a_tree(void **state)
{
    (void)state;
    struct buf place = BUF_INIT(1 << 12);
    const struct system_root machine = {.path = ""}, tree = {.path = "/some/tree"};
    const char *before = getenv("XDG_STATE_HOME");
    char *kept = before ? strdup(before) : NULL;
    assert_int_equal(setenv("XDG_STATE_HOME", "/elsewhere", 1), 0);
    assert_int_equal(journal_folder(&place, &machine, NULL), TARE_OK);
    assert_string_equal(buf_text(&place), geteuid() ? "/elsewhere/tare" : "/var/lib/tare");
    buf_clear(&place);
    assert_int_equal(journal_folder(&place, &tree, NULL), TARE_OK);
    assert_string_equal(buf_text(&place), "/some/tree/var/lib/tare");
    buf_clear(&place);
    assert_true(plat_state_home(false, &place));
    assert_string_equal(buf_text(&place), "/elsewhere");
    assert_int_equal(kept ? setenv("XDG_STATE_HOME", kept, 1) : unsetenv("XDG_STATE_HOME"), 0);
    free(kept);
    buf_finish(&place);
}

/* ---- a look from outside ---- */

static struct journal_notice look(struct world *w)
{
    struct journal_notice n;
    journal_look(&n, NULL, &w->root);
    return n;
}

static void who_is_not_root_and_has_no_home_needs_root(void **state)
{
    uid_t before = geteuid();
    struct buf folder = BUF_INIT(4096);
    struct tare_err err = {{0}};
    (void)state;
    unsetenv("HOME");
    unsetenv("XDG_STATE_HOME");
    if (!before)
        assert_int_equal(seteuid(65534), 0);
    enum tare_status status = journal_folder(&folder, &(struct system_root){.path = ""}, &err);
    if (!before)
        assert_int_equal(seteuid(before), 0);
    assert_int_equal(status, TARE_PERMISSION);
    assert_non_null(strstr(err.text, "who is not root"));
    buf_finish(&folder);
}

static void its_state_is_seen_from_outside(void **state)
{
    (void)state;
    struct world w;
    struct journal *j;
    struct tune_report report;
    struct buf text = BUF_INIT(1 << 12);
    open_two(&w);
    assert_int_equal(look(&w).state, JOURNAL_NONE);
    report = (struct tune_report){.arena = &w.arena};
    assert_int_equal(journal_open(&j, NULL, &w.root, NULL), TARE_OK);
    assert_int_equal(tune_apply(&w.look, j, NULL, &report, NULL), TARE_OK);
    assert_int_equal(look(&w).state, JOURNAL_AT_WORK);
    assert_int_equal(look(&w).owner, getpid());
    assert_int_equal(journal_leave(j, NULL), TARE_OK);
    journal_close(j);
    assert_int_equal(look(&w).changes, 2);
    assert_int_equal(world_apart(&w, world_run_reset), 0);
    assert_int_equal(look(&w).state, JOURNAL_NONE);
    w.step = 0;
    w.die_at = 6;
    assert_true(world_apart(&w, world_run_tune) < 0);
    w.die_at = 0;
    struct journal_notice n = look(&w);
    assert_int_equal(n.state, JOURNAL_ORPHANED);
    journal_notice_text(&text, &n);
    assert_non_null(strstr(buf_text(&text), "`tare system reset`"));
    world_put(&w, "/proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555\n");
    assert_int_equal(look(&w).state, JOURNAL_PAST);
    put_journal(&w, "hello\n", 6);
    n = look(&w);
    assert_int_equal(n.state, JOURNAL_UNKNOWN);
    buf_clear(&text);
    journal_notice_text(&text, &n); /* without a free descriptor it is not even known to be there */
    assert_string_equal(buf_text(&text),
                        "the journal of changes of the machine's settings cannot be read: `tare system reset` says why");
    buf_finish(&text);
    world_close(&w);
}

static int tune_and_leave(struct world *w)
{
    struct tune_report report = {.arena = &w->arena};
    struct journal *j = NULL;
    enum tare_status status = journal_open(&j, NULL, &w->root, NULL);
    if (!status)
        status = tune_apply(&w->look, j, NULL, &report, NULL);
    if (!status)
        status = journal_leave(j, NULL);
    journal_close(j);
    return -(int)status;
}

static void what_was_left_on_purpose_is_no_orphan(void **state)
{
    (void)state;
    struct world w;
    struct buf text = BUF_INIT(1 << 12);
    open_two(&w);
    assert_int_equal(world_apart(&w, tune_and_leave), 0);
    struct journal_notice n = look(&w);
    assert_int_equal(n.state, JOURNAL_LEFT);
    assert_int_equal(n.changes, 2);
    journal_notice_text(&text, &n);
    assert_int_equal(text.len, 0);
    buf_finish(&text);
    world_close(&w);
}

/* ---- lines ---- */

static void fields_of_any_bytes_come_back(void **state)
{
    (void)state;
    char every[256];
    for (int i = 1; i < 256; i++)
        every[i - 1] = (char)i;
    every[255] = 0;
    struct buf b = BUF_INIT(1 << 12);
    struct journal_line line;
    journal_line_write(&b, 4, (const char *const[]){every, NULL, "", "\\-"});
    assert_int_equal(b.data[b.len - 1], '\n');
    assert_ptr_equal(memchr(b.data, '\n', b.len), b.data + b.len - 1);
    assert_true(journal_line_read(&line, b.data, b.len - 1));
    assert_int_equal(line.n, 4);
    assert_string_equal(line.fields[0], every);
    assert_null(line.fields[1]);
    assert_string_equal(line.fields[2], "");
    assert_string_equal(line.fields[3], "\\-");
    buf_finish(&b);
}

static void only_files_that_a_knob_writes_may_be_named(void **state)
{
    (void)state;
    static const struct {
        enum knob_use use;
        const char *path;
        bool allowed;
    } rows[] = {
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", true},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu1535/cpufreq/scaling_min_freq", true},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu0/online", true},
        {KNOB_WRITES, "/sys/devices/system/cpu/intel_pstate/no_turbo", true},
        {KNOB_WRITES, "/proc/irq/24/smp_affinity", true},
        {KNOB_WRITES, "/proc/irq/default_smp_affinity", true},
        {KNOB_WRITES, "/sys/devices/virtual/workqueue/cpumask", true},
        {KNOB_WRITES, "/proc/sys/kernel/numa_balancing", true},
        {KNOB_WRITES, "/proc/sys/kernel/hung_task_check_interval_secs", true},
        {KNOB_WRITES, "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", true},
        {KNOB_WRITES, "/sys/fs/cgroup/tare/cpuset.cpus.partition", true},
        {KNOB_WRITES, "/sys/fs/cgroup/unified/cgroup.subtree_control", true},
        {KNOB_WRITES, "/sys/fs/cgroup/cpu,cpuset/cpuset.sched_load_balance", true},
        {KNOB_MAKES, "/sys/fs/cgroup/cpuset/tare-rest", true},
        {KNOB_FILLS, "/sys/fs/cgroup/tare/cgroup.procs", true},
        {KNOB_EMPTIES, "/sys/fs/cgroup/cpuset/cgroup.procs", true},
        {KNOB_READS, "/sys/kernel/irq/9/actions", true},
        {KNOB_WRITES, "", false},
        {KNOB_WRITES, "/", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu/online", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu01/online", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu1234567890/online", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu-1/online", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu1/online/", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu1/onlin", false},
        {KNOB_WRITES, "/sys/devices/system/cpu/cpu1/cpufreq/../online", false},
        {KNOB_WRITES, "/proc/irq/24/smp_affinity_list", false},
        {KNOB_WRITES, "/proc/sys/kernel/core_pattern", false},
        {KNOB_WRITES, "/sys/kernel/irq/9/actions", false},
        {KNOB_READS, "/proc/irq/24/smp_affinity", false},
        {KNOB_WRITES, "/sys/fs/cgroup/user.slice/cgroup.subtree_control", false},
        {KNOB_WRITES, "/sys/fs/cgroup/cpusets/cgroup.subtree_control", false},
        {KNOB_WRITES, "/sys/fs/cgroup/cpuset/cpuset/cgroup.subtree_control", false},
        {KNOB_WRITES, "/sys/fs/cgroup/../cpuset/cgroup.subtree_control", false},
        {KNOB_WRITES, "/sys/fs/cgroupcpuset/cgroup.subtree_control", false},
        {KNOB_WRITES, "/sys/fs/cgroup/tare/cgroup.kill", false},
        {KNOB_MAKES, "/sys/fs/cgroup/tare/inner", false},
        {KNOB_MAKES, "/sys/fs/cgroup/user.slice", false},
        {KNOB_FILLS, "/sys/fs/cgroup/cgroup.procs", false},
        {KNOB_EMPTIES, "/sys/fs/cgroup/tare/cgroup.procs", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (knob_may(rows[i].use, rows[i].path) != rows[i].allowed)
            fail_msg("use %d of '%s' is %s", rows[i].use, rows[i].path, rows[i].allowed ? "refused" : "allowed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_cut_at_any_length_undoes_what_it_still_notes),
        cmocka_unit_test(a_torn_end_is_cut_away_before_more_is_written),
        cmocka_unit_test(a_damaged_line_is_named_and_the_others_are_undone),
        cmocka_unit_test(a_line_that_is_missing_is_named_and_the_others_are_undone),
        cmocka_unit_test(what_could_not_be_noted_leaves_no_trace_in_the_journal),
        cmocka_unit_test(other_versions_and_foreign_files_are_refused_in_one_line),
        cmocka_unit_test(lines_that_tare_never_writes_make_the_whole_file_void),
        cmocka_unit_test(values_over_the_limit_are_refused),
        cmocka_unit_test(links_and_folders_open_to_others_are_refused),
        cmocka_unit_test(the_journal_is_for_its_owner_alone),
        cmocka_unit_test(who_is_not_root_and_has_no_home_needs_root),
        cmocka_unit_test(there_is_one_place_for_root_and_one_in_a_tree),
        cmocka_unit_test(its_state_is_seen_from_outside),
        cmocka_unit_test(what_was_left_on_purpose_is_no_orphan),
        cmocka_unit_test(fields_of_any_bytes_come_back),
        cmocka_unit_test(only_files_that_a_knob_writes_may_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
