/* SPDX-License-Identifier: MIT
 *
 * The index beside the files: used where it is right, made anew where it is not, and never more than a cache. Several processes at once, killed ones, and
 * disks that are full.
 */
#include "history_file.h"
#include "plat.h"
#include "store_samples.h"
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[256], folder[280], ix[300];

static int begin(void **state)
{
    (void)state;
    sample_folder(root);
    struct buf b = buf_over(folder, sizeof folder), c = buf_over(ix, sizeof ix);
    buf_format(&b, "%s/history", root);
    buf_format(&c, "%s/index.sqlite", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sample_folder_remove(root);
    return 0;
}

static enum tare_status add_to(const char *where, int i, struct tare_err *err)
{
    struct sample_session s;
    char id[HISTORY_ID_BYTES];
    bool added;
    sample_session(&s, i);
    return history_add(where, &s.entry, id, &added, err);
}

static void add(int first, int n)
{
    struct tare_err err = {""};
    for (int i = first; i < first + n; i++)
        sample_ok(add_to(folder, i, &err), &err);
}

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static void same_session(const struct history_session *x, const struct history_session *y)
{
    const char *const pairs[][2] = {{x->project, y->project}, {x->revision, y->revision}, {x->tool, y->tool},
                                    {x->class, y->class},     {x->machine, y->machine},   {x->words[2], y->words[2]},
                                    {x->folder, y->folder},   {x->build, y->build},       {x->anchor, y->anchor}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(pairs[i][0], pairs[i][1]);
    assert_true(x->measured_utc_ns == y->measured_utc_ns && x->confidence == y->confidence && x->dirty == y->dirty);
}

static void same_point(struct history *h, const struct history_point *x, const struct history_result *r)
{
    const struct history_point *y = &r->point;
    double *values, step;
    int n;
    struct tare_err err = {""};
    assert_true(same(x->median, y->median) && same(x->low, y->low) && same(x->high, y->high));
    assert_true((fabs(x->ratio - y->ratio) < 1e-6 || same(x->ratio, y->ratio)) && /* kept to seven digits */
                same(x->ratio_low, y->ratio_low) && same(x->ratio_high, y->ratio_high));
    assert_int_equal(x->n, y->n);
    assert_string_equal(x->benchmark, r->benchmark);
    sample_ok(history_values(h, x, &values, &n, &step, &err), &err);
    assert_int_equal(n, r->n_values);
    assert_true(step == r->step);
    assert_memory_equal(values, r->values, (size_t)n * sizeof *values);
    free(values);
}

/* Whether these sessions, in order, are what is served, with their points. */
static void served(const int *numbers, int n)
{
    struct history *h;
    struct tare_err err = {""};
    sample_ok(history_open(&h, folder, &err), &err);
    assert_int_equal(history_n_problems(h), 0);
    assert_int_equal(history_n_sessions(h), n);
    assert_int_equal(history_n_series(h), n ? 2 : 0);
    for (int k = 0; n && k < 2; k++) {
        struct history_points p;
        sample_ok(history_points(h, k, &p, &err), &err);
        assert_int_equal(history_series_at(h, k)->n, n);
        assert_int_equal(p.n, n);
        assert_string_equal(history_series_at(h, k)->arguments, k ? "n=2" : "n=1");
        for (int i = 0; i < n; i++) {
            struct sample_session expected;
            sample_session(&expected, numbers[i]);
            assert_int_equal(p.items[i].session, i);
            same_session(history_session_at(h, i), &expected.entry.session);
            same_point(h, &p.items[i], &expected.results[k]);
        }
    }
    history_close(h);
}

static void served_from_0(int n)
{
    int numbers[200];
    for (int i = 0; i < n; i++)
        numbers[i] = i;
    served(numbers, n);
}

static int64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) ? -1 : (int64_t)st.st_size;
}

static void take_file(const char *path, struct buf *out)
{
    struct tare_err err = {""};
    buf_clear(out);
    sample_ok(plat_file_read(path, out, &err), &err);
}

static void put_file(const char *path, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_true(write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

/* ---- its use ---- */

static void what_it_knows_is_not_read_again(void **state)
{
    (void)state;
    struct sample_session s;
    char id[HISTORY_ID_BYTES], path[400];
    struct buf b = buf_over(path, sizeof path), text = BUF_INIT(1 << 20);
    struct tare_err err = {""};
    struct stat st;
    bool added;
    add(0, 3);
    served_from_0(3);
    assert_true(size_of(ix) > 0);
    sample_session(&s, 1);
    sample_ok(history_add(folder, &s.entry, id, &added, &err), &err);
    buf_format(&b, "%s/%s.jsonl", folder, id);
    take_file(path, &text);
    text.data[text.len / 2] ^= 1;
    assert_int_equal(stat(path, &st), 0);
    put_file(path, text.data, text.len);
    const struct timespec times[2] = {st.st_mtim, st.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    served_from_0(3); /* size and time are what they were */
    put_file(path, text.data, text.len);
    struct history *h;
    sample_ok(history_open(&h, folder, &err), &err);
    assert_int_equal(history_n_problems(h), 1);
    assert_int_equal(history_n_sessions(h), 2);
    history_close(h);
    buf_finish(&text);
}

static void files_that_come_and_go_are_followed(void **state)
{
    (void)state;
    char path[400];
    struct buf b = buf_over(path, sizeof path);
    struct history *h;
    struct tare_err err = {""};
    add(0, 5);
    served_from_0(5);
    sample_ok(history_open(&h, folder, &err), &err);
    buf_format(&b, "%s/%s.jsonl", folder, history_session_at(h, 2)->id);
    history_close(h);
    assert_int_equal(unlink(path), 0);
    static const int left[] = {0, 1, 3, 4};
    served(left, 4);
    add(2, 1);
    served_from_0(5);
    assert_int_equal(unlink(ix), 0);
    served_from_0(5);
}

static void a_checkout_keeps_it_out(void **state)
{
    (void)state;
    char path[400];
    struct buf b = buf_over(path, sizeof path), text = BUF_INIT(1 << 10);
    add(0, 1);
    buf_format(&b, "%s/.gitignore", folder);
    take_file(path, &text);
    assert_non_null(strstr(text.data, "/index.sqlite"));
    put_file(path, "mine\n", 5);
    add(1, 1);
    take_file(path, &text);
    assert_string_equal(text.data, "mine\n");
    assert_int_equal(unlink(path), 0);
    served_from_0(2); /* the folder of a clone whose first command reads */
    assert_true(size_of(path) > 0);
    buf_finish(&text);
}

/* ---- damage ---- */

static void one_that_is_damaged_anywhere_is_made_anew(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 24);
    add(0, 40);
    served_from_0(40);
    take_file(ix, &text);
    for (size_t n = 0; n < text.len; n += text.len / 13) { /* cut */
        put_file(ix, text.data, n);
        served_from_0(40);
        served_from_0(40);
    }
    char *changed = malloc(text.len);
    assert_non_null(changed);
    for (size_t at = 0; at < text.len; at += 512) { /* a piece that is other bytes */
        memcpy(changed, text.data, text.len);
        memset(changed + at, 0xa5, text.len - at < 512 ? text.len - at : 512);
        put_file(ix, changed, text.len);
        struct history *h;
        struct history_points p;
        struct tare_err err = {""};
        sample_ok(history_open(&h, folder, &err), &err);
        for (int k = 0; k < history_n_series(h); k++)
            sample_ok(history_points(h, k, &p, &err), &err);
        history_close(h);
    }
    put_file(ix, "not a database, and longer than a header of one would be, which has a hundred bytes, so that it is looked at",
             108);
    served_from_0(40);
    free(changed);
    buf_finish(&text);
}

/* Whether n sessions are served by each of many indexes in which one bit is another. */
static void served_with_another_bit(const struct buf *index, int n, size_t step)
{
    for (size_t at = 0; at < index->len; at += step) { /* odd: so that it is each bit of a byte */
        index->data[at] = (char)(index->data[at] ^ 1 << at % 8);
        put_file(ix, index->data, index->len);
        served_from_0(n);
        index->data[at] = (char)(index->data[at] ^ 1 << at % 8);
    }
}

static void a_bit_that_is_another_changes_no_answer(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 24);
    add(0, 5);
    served_from_0(5);
    add(5, 4); /* so that a series has two rows */
    served_from_0(9);
    take_file(ix, &text);
    served_with_another_bit(&text, 9, 17);
    add(9, 1); /* what is new is added to it */
    served_with_another_bit(&text, 10, 37);
    buf_finish(&text);
}

static void points_that_are_damaged_are_read_from_the_files(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 24);
    struct history *h;
    struct history_points p;
    struct tare_err err = {""};
    add(0, 150);
    served_from_0(150);
    sample_ok(history_open(&h, folder, &err), &err);
    take_file(ix, &text);
    memset(text.data + 4096, 0xff, text.len - 4096); /* all but the schema */
    int fd = open(ix, O_WRONLY);
    assert_true(pwrite(fd, text.data, text.len, 0) == (ssize_t)text.len);
    close(fd);
    for (int k = 0; k < 2; k++) {
        sample_ok(history_points(h, k, &p, &err), &err);
        assert_int_equal(p.n, 150);
        for (int i = 0; i < p.n; i++)
            assert_true(p.items[i].session == i && p.items[i].median == 1000 + i + 100 * k);
    }
    history_close(h);
    served_from_0(150);
    buf_finish(&text);
}

static void one_that_was_made_elsewhere_is_not_believed(void **state)
{
    (void)state;
    char other[400], path[500];
    struct buf b = buf_over(other, sizeof other), c = buf_over(path, sizeof path), text = BUF_INIT(1 << 24);
    struct tare_err err = {""};
    struct history *h;
    buf_format(&b, "%s/other", root);
    buf_format(&c, "%s/index.sqlite", other);
    for (int i = 10; i < 15; i++)
        sample_ok(add_to(other, i, &err), &err);
    sample_ok(history_open(&h, other, &err), &err);
    history_close(h);
    add(0, 5);
    take_file(path, &text);
    put_file(ix, text.data, text.len);
    served_from_0(5);
    buf_finish(&text);
}

static void a_link_or_a_folder_in_its_place_is_left_alone(void **state)
{
    (void)state;
    char victim[400];
    struct buf b = buf_over(victim, sizeof victim), text = BUF_INIT(100);
    add(0, 3);
    buf_format(&b, "%s/victim", root);
    put_file(victim, "", 0);
    assert_int_equal(symlink(victim, ix), 0);
    served_from_0(3);
    assert_int_equal(size_of(victim), 0);
    put_file(victim, "precious", 8);
    served_from_0(3);
    take_file(victim, &text);
    assert_string_equal(text.data, "precious");
    assert_int_equal(unlink(ix), 0);
    assert_int_equal(mkdir(ix, 0777), 0);
    served_from_0(3);
    buf_finish(&text);
}

/* With an expression for a column, which might as well take all memory, or hours: of another schema nothing is read, even where all else is right. */
static void one_with_another_schema_is_made_anew(void **state)
{
    (void)state;
    static const char change[] = "CREATE TABLE m AS SELECT * FROM made; DROP TABLE made;"
                                 "CREATE TABLE made(version INTEGER, i TEXT, digest INTEGER, inode TEXT AS (substr(i, 1)));"
                                 "INSERT INTO made SELECT version, inode, digest FROM m; DROP TABLE m;";
    add(0, 3);
    served_from_0(3);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ix, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, change, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    served_from_0(3);
    assert_int_equal(sqlite3_open(ix, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "SELECT i FROM made", NULL, NULL, NULL), SQLITE_ERROR);
    assert_int_equal(sqlite3_exec(db, "SELECT inode FROM made", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* SQLite removes the file that the end of a journal names, once it has played the journal back, and a journal may come from a checkout. */
static void a_journal_that_names_another_file_removes_nothing(void **state)
{
    (void)state;
    static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", head[] = "\0\0\0\0\0\0\0\1\0\0\0\5\0\0\2\0\0\0\x10",
                      lock_page[] = "\0\4\0\1";
    char victim[400], journal[400], check[8] = {0};
    struct buf b = buf_over(victim, sizeof victim), c = buf_over(journal, sizeof journal), text = BUF_INIT(1 << 12);
    buf_format(&b, "%s/victim", root);
    buf_format(&c, "%s-journal", ix);
    add(0, 3);
    served_from_0(3);
    unsigned sum = 0;
    for (size_t i = 0; i < b.len; i++)
        sum += (unsigned char)victim[i];
    const unsigned numbers[] = {(unsigned)b.len, sum};
    for (int i = 0; i < 8; i++)
        check[i] = (char)(numbers[i / 4] >> (24 - 8 * (i % 4)));
    buf_add(&text, magic, 8);
    buf_add(&text, head, sizeof head);
    buf_repeat(&text, 0, 512 - (int)text.len);
    buf_add(&text, lock_page, 4);
    buf_add(&text, victim, b.len);
    buf_add(&text, check, 8);
    buf_add(&text, magic, 8);
    put_file(victim, "precious", 8);
    put_file(journal, text.data, text.len);
    served_from_0(3);
    assert_int_equal(size_of(victim), 8);
    buf_finish(&text);
}

/* ---- other processes ---- */

static pid_t child_of(void (*work)(int), int number)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    work(number);
    _exit(0);
}

static int ended(pid_t pid)
{
    int how;
    while (waitpid(pid, &how, 0) < 0) {
    }
    return how;
}

/* Adds and reads in turn; no asserts, which would jump into the parent's tests. */
static void add_and_read(int number)
{
    for (int i = 0; i < 25; i++) {
        struct tare_err err = {""};
        struct history *h;
        struct history_points p;
        if (add_to(folder, number * 25 + i, &err) || history_open(&h, folder, &err))
            _exit(1);
        if (history_n_problems(h) || history_n_sessions(h) < i + 1 || history_n_series(h) != 2)
            _exit(2);
        if (history_points(h, 1, &p, &err) || p.n != history_n_sessions(h))
            _exit(3);
        history_close(h);
    }
}

static void several_processes_add_and_read_at_once(void **state)
{
    (void)state;
    enum { N = 6 };
    pid_t children[N];
    for (int i = 0; i < N; i++)
        children[i] = child_of(add_and_read, i);
    for (int i = 0; i < N; i++)
        assert_int_equal(ended(children[i]), 0);
    served_from_0(N * 25);
}

/* The same sessions, so that both write the same files. */
static void add_the_same(int number)
{
    (void)number;
    struct tare_err err = {""};
    for (int i = 0; i < 50; i++)
        if (add_to(folder, i, &err))
            _exit(1);
}

static void the_same_sessions_added_at_once_are_there_once(void **state)
{
    (void)state;
    pid_t one = child_of(add_the_same, 0), two = child_of(add_the_same, 1);
    assert_int_equal(ended(one), 0);
    assert_int_equal(ended(two), 0);
    served_from_0(50);
}

static void add_for_ever(int number)
{
    struct tare_err err = {""};
    struct history *h;
    for (int i = 0;; i++) {
        if (add_to(folder, number + i % 100, &err) || history_open(&h, folder, &err))
            _exit(1);
        history_close(h);
        if (i % 100 == 99)
            unlink(ix); /* so that much is written again */
    }
}

static void killed_in_the_middle_it_leaves_whole_files_and_an_index_that_is_right(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        pid_t pid = child_of(add_for_ever, 0);
        usleep((useconds_t)(500 + 1700 * i));
        kill(pid, SIGKILL);
        int how = ended(pid);
        assert_true(WIFSIGNALED(how));
        struct history *h;
        struct tare_err err = {""};
        sample_ok(history_open(&h, folder, &err), &err);
        assert_int_equal(history_n_problems(h), 0);
        for (int k = 0; k < history_n_series(h); k++) {
            struct history_points p;
            sample_ok(history_points(h, k, &p, &err), &err);
            assert_int_equal(p.n, history_n_sessions(h));
        }
        history_close(h);
    }
}

static void what_killed_processes_left_is_cleaned_up_after_a_while(void **state)
{
    (void)state;
    char old[400], young[400];
    struct buf b = buf_over(old, sizeof old), c = buf_over(young, sizeof young);
    add(0, 1);
    buf_format(&b, "%s/0123.jsonl.0123abcd.tmp", folder);
    buf_format(&c, "%s/0123.jsonl.0123abce.tmp", folder);
    put_file(old, "x", 1);
    put_file(young, "x", 1);
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
    history_clean_up(folder);
    assert_int_equal(size_of(old), -1);
    assert_int_equal(size_of(young), 1);
}

/* ---- where nothing can be written ---- */

static void add_on_a_full_disk(int number)
{
    struct rlimit limit = {500, 500};
    struct tare_err err = {""};
    struct history *h;
    struct history_points p;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit))
        _exit(9);
    if (add_to(folder, number, &err) != TARE_IO || !strstr(err.text, "cannot write"))
        _exit(1);
    if (history_open(&h, folder, &err)) /* nor is there room for an index */
        _exit(2);
    if (history_n_problems(h) || history_n_sessions(h) != number || history_points(h, 0, &p, &err) || p.n != number)
        _exit(3);
    history_close(h);
}

static void on_a_full_disk_nothing_is_added_and_all_is_served(void **state)
{
    (void)state;
    add(0, 3);
    assert_int_equal(ended(child_of(add_on_a_full_disk, 3)), 0);
    served_from_0(3);
    assert_int_equal(ended(child_of(add_on_a_full_disk, 3)), 0);
    served_from_0(3);
    add(3, 1);
    served_from_0(4);
}

static void read_as_nobody(int number)
{
    struct tare_err err = {""};
    struct history *h;
    struct history_points p;
    if (!geteuid() && (setgid(65534) || setuid(65534)))
        _exit(9);
    if (history_open(&h, folder, &err))
        _exit(1);
    if (history_n_problems(h) || history_n_sessions(h) != number || history_points(h, 0, &p, &err) || p.n != number)
        _exit(2);
    history_close(h);
}

static void a_folder_that_cannot_be_written_to_is_read_all_the_same(void **state)
{
    (void)state;
    add(0, 4);
    assert_int_equal(chmod(root, 0755), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(ended(child_of(read_as_nobody, 4)), 0);
    assert_int_equal(size_of(ix), -1);
    assert_int_equal(chmod(folder, 0755), 0);
    served_from_0(4);
    add(4, 1); /* which the index of another does not have yet */
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(chmod(ix, 0444), 0);
    assert_int_equal(ended(child_of(read_as_nobody, 5)), 0);
    assert_int_equal(chmod(folder, 0755), 0);
}

static void a_file_that_is_too_large_is_named(void **state)
{
    (void)state;
    char path[400];
    struct buf b = buf_over(path, sizeof path);
    struct history *h;
    struct tare_err err = {""};
    add(0, 1);
    buf_format(&b, "%s/0123456789abcdef0123456789abcdef.jsonl", folder);
    put_file(path, "", 0);
    assert_int_equal(truncate(path, (off_t)HISTORY_FILE_MAX + 1), 0);
    sample_ok(history_open(&h, folder, &err), &err);
    assert_int_equal(history_n_sessions(h), 1);
    assert_int_equal(history_n_problems(h), 1);
    assert_non_null(strstr(history_problem_at(h, 0)->text, "larger than"));
    assert_string_equal(history_problem_at(h, 0)->path, path);
    history_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_it_knows_is_not_read_again, begin, end),
        cmocka_unit_test_setup_teardown(files_that_come_and_go_are_followed, begin, end),
        cmocka_unit_test_setup_teardown(a_checkout_keeps_it_out, begin, end),
        cmocka_unit_test_setup_teardown(one_that_is_damaged_anywhere_is_made_anew, begin, end),
        cmocka_unit_test_setup_teardown(a_bit_that_is_another_changes_no_answer, begin, end),
        cmocka_unit_test_setup_teardown(points_that_are_damaged_are_read_from_the_files, begin, end),
        cmocka_unit_test_setup_teardown(one_that_was_made_elsewhere_is_not_believed, begin, end),
        cmocka_unit_test_setup_teardown(one_with_another_schema_is_made_anew, begin, end),
        cmocka_unit_test_setup_teardown(a_link_or_a_folder_in_its_place_is_left_alone, begin, end),
        cmocka_unit_test_setup_teardown(a_journal_that_names_another_file_removes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(several_processes_add_and_read_at_once, begin, end),
        cmocka_unit_test_setup_teardown(the_same_sessions_added_at_once_are_there_once, begin, end),
        cmocka_unit_test_setup_teardown(killed_in_the_middle_it_leaves_whole_files_and_an_index_that_is_right, begin, end),
        cmocka_unit_test_setup_teardown(what_killed_processes_left_is_cleaned_up_after_a_while, begin, end),
        cmocka_unit_test_setup_teardown(on_a_full_disk_nothing_is_added_and_all_is_served, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_written_to_is_read_all_the_same, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_too_large_is_named, begin, end),
    };
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
