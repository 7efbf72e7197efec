/* SPDX-License-Identifier: MIT
 * Files: whole or not at all, and every refusal in words. */
#include "plat_memory.h"
#include "plat_world.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct plat_file *begin(const char *path, enum plat_file_mode mode)
{
    struct plat_file *f;
    struct tare_err err;
    assert_ok(plat_file_create(&f, path, mode, &err));
    return f;
}

static void put(struct plat_file *f, const char *text)
{
    struct tare_err err;
    assert_ok(plat_file_write(f, text, strlen(text), &err));
}

static void finish(struct plat_file *f)
{
    struct tare_err err;
    assert_ok(plat_file_commit(f, &err));
}

static int files_in_scratch(void)
{
    char command[256];
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", scratch(""));
    return atoi(output_of(ARGS("/bin/sh", "-c", command)));
}

static void a_replacement_is_seen_at_commit_and_not_before(void **state)
{
    (void)state;
    const char *path = scratch("export");
    write_text(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    int files = files_in_scratch();
    struct plat_file *f = begin(path, PLAT_FILE_REPLACE);
    put(f, "new ");
    put(f, "text");
    assert_string_equal(read_text(path), "old");
    finish(f);
    assert_string_equal(read_text(path), "new text");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(files_in_scratch(), files);
}

static void what_is_added_stands_where_the_file_was_cut(void **state)
{
    (void)state;
    struct tare_err err;
    const char *path = scratch("cut");
    write_text(path, "whole\ntor");
    struct plat_file *f = begin(path, PLAT_FILE_APPEND);
    assert_ok(plat_file_cut(f, 6, &err));
    put(f, "next\n");
    finish(f);
    assert_string_equal(read_text(path), "whole\nnext\n");
}

static void an_abandoned_replacement_leaves_no_trace(void **state)
{
    (void)state;
    const char *path = scratch("kept");
    write_text(path, "old");
    int files = files_in_scratch();
    struct plat_file *f = begin(path, PLAT_FILE_REPLACE);
    put(f, "new");
    plat_file_abandon(f);
    plat_file_abandon(NULL);
    assert_string_equal(read_text(path), "old");
    assert_int_equal(files_in_scratch(), files);
    plat_file_abandon(begin(scratch("never"), PLAT_FILE_REPLACE));
    assert_int_equal(access(scratch("never"), F_OK), -1);
}

/* Nothing can be tidied up then. File systems without files that have no name are left out. */
static void a_killed_process_leaves_no_replacement_behind(void **state)
{
    (void)state;
    const char *path = scratch("killed");
    write_text(path, "old");
    const int nameless = open(scratch(""), O_RDWR | O_TMPFILE, 0600);
    if (nameless < 0)
        skip();
    close(nameless);
    const int files = files_in_scratch();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct plat_file *f;
        if (!plat_file_create(&f, path, PLAT_FILE_REPLACE, NULL) && !plat_file_write(f, "half", 4, NULL))
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_string_equal(read_text(path), "old");
    assert_int_equal(files_in_scratch(), files);
}

static void a_new_file_has_the_mode_of_the_umask(void **state)
{
    (void)state;
    mode_t before = umask(027);
    finish(begin(scratch("fresh"), PLAT_FILE_REPLACE));
    umask(before);
    struct stat st;
    assert_int_equal(stat(scratch("fresh"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    const char *target = scratch("target"), *link = scratch("link");
    write_text(target, "old");
    assert_int_equal(symlink(target, link), 0);
    struct plat_file *f = begin(link, PLAT_FILE_REPLACE);
    put(f, "new");
    finish(f);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_string_equal(read_text(target), "new");
}

static void the_record_grows_in_place(void **state)
{
    (void)state;
    const char *path = scratch("record");
    write_text(path, "an older, longer content");
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_NEW);
    put(f, "one\n");
    assert_string_equal(read_text(path), "one\n");
    put(f, "two\n");
    assert_string_equal(read_text(path), "one\ntwo\n");
    finish(f);
    assert_string_equal(read_text(path), "one\ntwo\n");
}

static void a_record_that_is_being_written_is_left_alone(void **state)
{
    (void)state;
    const char *path = scratch("shared");
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_NEW), *other = NULL;
    put(f, "one\n");
    struct tare_err err;
    assert_int_equal(plat_file_create(&other, path, PLAT_FILE_APPEND_NEW, &err), TARE_BUSY);
    assert_text_has(err.text, "another session");
    assert_string_equal(read_text(path), "one\n");
    put(f, "two\n");
    finish(f);
    assert_string_equal(read_text(path), "one\ntwo\n");
    finish(begin(path, PLAT_FILE_APPEND_NEW));
    assert_string_equal(read_text(path), "");
}

static void what_grows_aside_leaves_the_old_file_until_it_is_settled(void **state)
{
    (void)state;
    const char *path = scratch("aside");
    struct tare_err err;
    struct plat_file *other = NULL;
    write_text(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    int files = files_in_scratch();
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_ASIDE);
    put(f, "head\n");
    assert_string_equal(read_text(path), "old");
    assert_int_equal(plat_file_create(&other, path, PLAT_FILE_APPEND_ASIDE, &err), TARE_BUSY);
    assert_ok(plat_file_settle(f, &err));
    assert_string_equal(read_text(path), "head\n");
    assert_int_equal(plat_file_create(&other, path, PLAT_FILE_APPEND_ASIDE, &err), TARE_BUSY);
    put(f, "row\n");
    assert_ok(plat_file_settle(f, &err));
    assert_string_equal(read_text(path), "head\nrow\n");
    assert_true(plat_file_intact(f));
    finish(f);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(files_in_scratch(), files);
}

static void what_is_never_settled_takes_the_place_of_nothing(void **state)
{
    (void)state;
    const char *path = scratch("unsettled");
    int files = files_in_scratch();
    finish(begin(path, PLAT_FILE_APPEND_ASIDE));
    plat_file_abandon(begin(path, PLAT_FILE_APPEND_ASIDE));
    assert_int_equal(files_in_scratch(), files);
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_ASIDE);
    put(f, "a record of a session that failed");
    finish(f);
    assert_string_equal(read_text(path), "a record of a session that failed");
    f = begin(path, PLAT_FILE_APPEND_ASIDE);
    put(f, "another");
    finish(f);
    assert_string_equal(read_text(path), "a record of a session that failed");
    assert_int_equal(files_in_scratch(), files + 1);
}

/* Stands before that of the C library: some file systems say only here that what was written finds no room, and say it once. */
static int flush_passes, flush_fails;
static bool flush_kills;

int fsync(int fd)
{
    if (!flush_fails || (flush_passes && flush_passes--))
        return (int)syscall(SYS_fsync, fd);
    if (flush_kills)
        raise(SIGKILL);
    flush_fails--;
    errno = EIO;
    return -1;
}

static void what_cannot_be_flushed_takes_the_place_of_nothing(void **state)
{
    (void)state;
    const char *path = scratch("unflushed");
    struct tare_err err;
    write_text(path, "old");
    int files = files_in_scratch();
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_ASIDE);
    put(f, "new");
    flush_fails = 1;
    assert_int_equal(plat_file_settle(f, &err), TARE_IO);
    assert_text_has(err.text, "unflushed: Input/output error");
    finish(f);
    assert_string_equal(read_text(path), "old");
    f = begin(path, PLAT_FILE_REPLACE);
    put(f, "new");
    flush_fails = 1;
    assert_int_equal(plat_file_commit(f, &err), TARE_IO);
    assert_string_equal(read_text(path), "old");
    assert_int_equal(files_in_scratch(), files);
    assert_int_equal(flush_fails, 0);
}

static struct plat_file *aside(const char *path)
{
    write_text(path, "old");
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_ASIDE);
    put(f, "new");
    return f;
}

static void two_files_take_their_places_together_or_not_at_all(void **state)
{
    (void)state;
    char times[256], path[256];
    buf_print(times, sizeof times, "%s", scratch("record.raw"));
    buf_print(path, sizeof path, "%s", scratch("record"));
    struct tare_err err;
    for (int flushed = 0; flushed < 2; flushed++) { /* the second file, where the first is in its place */
        struct plat_file *beside = aside(times), *f = aside(path);
        int files = files_in_scratch();
        flush_passes = flushed;
        flush_fails = 1;
        assert_int_equal(plat_file_settle_both(f, beside, &err), TARE_IO);
        assert_string_equal(read_text(times), "old");
        finish(f);
        finish(beside);
        assert_string_equal(read_text(path), "old");
        assert_int_equal(files_in_scratch(), files);
    }
    struct plat_file *beside = aside(times), *f = aside(path);
    int files = files_in_scratch();
    assert_ok(plat_file_settle_both(f, beside, &err));
    assert_int_equal(files_in_scratch(), files);
    finish(f);
    finish(beside);
    assert_string_equal(read_text(times), "new");
    assert_string_equal(read_text(path), "new");
}

static void what_a_killed_process_replaced_of_two_files_has_a_name_still(void **state)
{
    (void)state;
    char times[256], path[256];
    buf_print(times, sizeof times, "%s", scratch("killed.raw"));
    buf_print(path, sizeof path, "%s", scratch("killed"));
    struct plat_file *beside = aside(times), *f = aside(path);
    const pid_t child = fork();
    if (!child) {
        flush_passes = flush_fails = 1;
        flush_kills = true;
        (void)plat_file_settle_both(f, beside, NULL);
        _exit(0);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended));
    assert_string_equal(read_text(times), "new");
    assert_string_equal(read_text(path), "old");
    char pattern[300];
    buf_print(pattern, sizeof pattern, "%s.*.tmp", times);
    glob_t kept;
    assert_int_equal(glob(pattern, 0, NULL, &kept), 0);
    assert_int_equal(kept.gl_pathc, 1);
    assert_string_equal(read_text(kept.gl_pathv[0]), "old");
    unlink(kept.gl_pathv[0]);
    globfree(&kept);
    plat_file_abandon(beside);
    plat_file_abandon(f);
}

/* In place: the file stays as long as it is. */
static void overwrite(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void what_was_lost_is_put_where_it_was_through_no_link(void **state)
{
    (void)state;
    const char *path = scratch("lost"), *other = scratch("other");
    struct tare_err err;
    write_text(other, "precious");
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_NEW), *renewed;
    put(f, "one\n");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(plat_file_intact(f));
    assert_ok(plat_file_renew(&renewed, f, &err));
    put(renewed, "again\n");
    finish(renewed);
    finish(f);
    assert_string_equal(read_text(path), "again\n");
    assert_string_equal(read_text(other), "precious");
}

static int renew_in_the_root(const char *root)
{
    struct plat_file *f = NULL, *renewed = NULL;
    struct tare_err err;
    if (chroot(root) || chdir("/"))
        return 2;
    return plat_file_create(&f, "lost", PLAT_FILE_APPEND_NEW, &err) || unlink("/lost") || plat_file_renew(&renewed, f, &err) ||
           plat_file_commit(renewed, &err) || access("/lost", F_OK);
}

static void what_was_lost_of_the_root_folder_is_put_there(void **state)
{
    (void)state;
    const char *root = scratch("root");
    assert_int_equal(mkdir(root, 0700), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        _exit(renew_in_the_root(root));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status == 2 << 8) /* not permitted */
        skip();
    assert_int_equal(status, 0);
}

static void a_link_to_nothing_yet_stays_and_is_the_file_that_it_names(void **state)
{
    (void)state;
    char folder[256], target[300];
    snprintf(folder, sizeof folder, "%s", scratch("links"));
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(target, sizeof target, "%s/target", folder);
    const char *link = scratch("to_link"), *second = scratch("links/second");
    assert_int_equal(symlink("links/second", link), 0);
    assert_int_equal(symlink(target, second), 0);
    assert_true(plat_same_file(link, target));
    assert_true(plat_same_file(second, link));
    assert_false(plat_same_file(link, scratch("links/other")));
    struct plat_file *f = begin(link, PLAT_FILE_REPLACE);
    put(f, "text");
    finish(f);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_string_equal(read_text(target), "text");
}

static void what_was_lost_with_its_folder_is_put_into_a_new_one(void **state)
{
    (void)state;
    char folder[256], path[300];
    snprintf(folder, sizeof folder, "%s", scratch("gone"));
    snprintf(path, sizeof path, "%s/below/lost", folder);
    struct tare_err err;
    for (int linked = 0; linked < 2; linked++) {
        assert_int_equal(mkdir(folder, 0700) | mkdir(scratch("gone/below"), 0700), 0);
        struct plat_file *f = begin(path, PLAT_FILE_APPEND_NEW), *renewed;
        put(f, "one\n");
        assert_int_equal(unlink(path) | rmdir(scratch("gone/below")) | rmdir(folder), 0);
        if (linked) {
            assert_int_equal(mkdir(scratch("elsewhere"), 0700) | symlink("elsewhere", folder), 0);
            assert_int_not_equal(plat_file_renew(&renewed, f, &err), TARE_OK);
            assert_int_equal(rmdir(scratch("elsewhere")), 0); /* nothing was put there */
        } else {
            assert_ok(plat_file_renew(&renewed, f, &err));
            put(renewed, "again\n");
            finish(renewed);
            assert_string_equal(read_text(path), "again\n");
            assert_int_equal(unlink(path) | rmdir(scratch("gone/below")) | rmdir(folder), 0);
        }
        finish(f);
    }
}

static void what_others_did_to_a_growing_file_is_seen(void **state)
{
    (void)state;
    const char *path = scratch("growing"), *moved = scratch("moved");
    struct tare_err err;
    for (int what = 0; what < 7; what++) {
        struct plat_file *f = begin(path, what < 5 ? PLAT_FILE_APPEND_ASIDE : PLAT_FILE_APPEND);
        put(f, "one\n");
        assert_ok(plat_file_settle(f, &err));
        assert_true(plat_file_intact(f));
        if (what == 0)
            assert_int_equal(unlink(path), 0);
        else if (what == 1)
            assert_int_equal(truncate(path, 0), 0);
        else if (what == 2)
            assert_int_equal(rename(path, moved), 0);
        else if (what == 3 || what == 5)
            overwrite(path, "ONE\n");
        put(f, "two\n");
        assert_int_equal(plat_file_intact(f), what == 4 || what == 6);
        finish(f);
    }
    struct plat_file *device = begin("/dev/null", PLAT_FILE_APPEND_ASIDE);
    put(device, "one\n");
    assert_ok(plat_file_settle(device, &err));
    assert_true(plat_file_intact(device));
    finish(device);
}

static void a_growing_file_that_cannot_be_opened_again_is_not_called_changed(void **state)
{
    (void)state;
    const char *path = scratch("growing");
    struct tare_err err;
    struct rlimit limit, none;
    struct plat_file *f = begin(path, PLAT_FILE_APPEND_ASIDE);
    put(f, "one\n");
    assert_ok(plat_file_settle(f, &err));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool intact = plat_file_intact(f), cut = !truncate(path, 0) && !plat_file_intact(f);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(intact);
    assert_true(cut);
    finish(f);
}

/* A file system for shared memory lies under /dev, and its files are as others are. */
static void a_regular_file_under_dev_is_replaced(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/tare-plat-test-%d", (int)getpid());
    FILE *old = fopen(path, "w");
    if (!old)
        skip();
    assert_true(fputs("an older, longer content", old) >= 0 && !fclose(old));
    struct plat_file *f = begin(path, PLAT_FILE_REPLACE);
    put(f, "new");
    finish(f);
    char text[64];
    snprintf(text, sizeof text, "%s", read_text(path));
    unlink(path);
    assert_string_equal(text, "new");
}

/* Beyond the descriptors of processes what lies under /proc are folders like others, and what a process has open loses its tail too. */
static void a_regular_file_by_way_of_proc_is_written_whole(void **state)
{
    (void)state;
    char by_folder[1024], by_process[64];
    const char *path = scratch("by_proc");
    const int held = open(path, O_WRONLY | O_CREAT, 0600);
    snprintf(by_folder, sizeof by_folder, "/proc/self/root%s", path);
    snprintf(by_process, sizeof by_process, "/proc/%d/fd/%d", (int)getpid(), held);
    const char *const names[] = {by_process, by_folder}; /* after which what is held is another file */
    for (int i = 0; i < 2; i++) {
        write_text(path, "an older, longer content");
        struct plat_file *f = begin(names[i], PLAT_FILE_REPLACE);
        put(f, "new");
        finish(f);
        assert_string_equal(read_text(path), "new");
    }
    close(held);
}

/* A program that cuts the memory that it shares with us would end us when we read it. */
static void shared_memory_cannot_be_cut_by_a_program(void **state)
{
    (void)state;
    struct plat_shared shared;
    struct tare_err err;
    assert_ok(plat_shared_create(&shared, 1 << 16, &err));
    assert_int_equal(truncate(shared.path, 0), -1);
    assert_int_equal(((volatile char *)shared.memory)[(1 << 16) - 1], 0);
    plat_shared_destroy(&shared);
}

static void a_full_device_is_an_error_at_once(void **state)
{
    (void)state;
    const enum plat_file_mode modes[] = {PLAT_FILE_APPEND_NEW, PLAT_FILE_REPLACE};
    for (int i = 0; i < 2; i++) {
        struct plat_file *f = begin("/dev/full", modes[i]);
        struct tare_err err;
        assert_int_equal(plat_file_write(f, "x", 1, &err), TARE_IO);
        assert_text_has(err.text, "/dev/full");
        assert_text_has(err.text, "No space left");
        plat_file_abandon(f);
    }
    struct stat st;
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static char limited[256];

static int write_over_the_limit(void)
{
    struct rlimit small = {1000, 1000};
    static char text[4000];
    struct tare_err err = {{0}};
    struct plat_file *f;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    if (plat_file_create(&f, limited, PLAT_FILE_REPLACE, &err))
        return unless(false, err.text);
    int failed = unless(plat_file_write(f, text, sizeof text, &err) == TARE_IO, "what does not fit is an error");
    failed |= unless(strstr(err.text, limited) != NULL, err.text);
    plat_file_abandon(f);
    return failed;
}

static void a_replacement_that_does_not_fit_keeps_the_old(void **state)
{
    (void)state;
    snprintf(limited, sizeof limited, "%s", scratch("limited"));
    write_text(limited, "old");
    int files = files_in_scratch();
    assert_int_equal(in_process(write_over_the_limit), 0);
    assert_string_equal(read_text(limited), "old");
    assert_int_equal(files_in_scratch(), files);
}

static void devices_and_pipes_are_written_directly(void **state)
{
    (void)state;
    struct plat_file *f = begin("/dev/null", PLAT_FILE_REPLACE);
    put(f, "gone");
    finish(f);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));

    const char *path = scratch("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    f = begin(path, PLAT_FILE_REPLACE);
    put(f, "through");
    finish(f);
    char text[16] = {0};
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
}

static int write_to_standard_output(void)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1"};
    struct tare_err err;
    if (!freopen(limited, "w", stdout) || write(1, "first ", 6) != 6)
        return 1;
    for (int i = 0; i < 3; i++) {
        struct plat_file *f;
        if (plat_file_create(&f, names[i], PLAT_FILE_REPLACE, &err) || plat_file_write(f, names[i], strlen(names[i]), &err) ||
            plat_file_commit(f, &err))
            return unless(false, err.text);
    }
    return write(1, " last", 5) != 5;
}

static void standard_output_keeps_what_it_has(void **state)
{
    (void)state;
    snprintf(limited, sizeof limited, "%s", scratch("output"));
    assert_int_equal(in_process(write_to_standard_output), 0);
    assert_string_equal(read_text(limited), "first -/dev/stdout/dev/fd/1 last");
}

static void what_cannot_be_written_says_why(void **state)
{
    (void)state;
    struct plat_file *f;
    struct tare_err err;
    assert_int_equal(plat_file_create(&f, "/proc/nonexistent/x", PLAT_FILE_REPLACE, &err), TARE_NOT_FOUND);
    assert_text_has(err.text, "/proc/nonexistent/x");
    assert_int_equal(plat_file_create(&f, "/proc/nonexistent/x", PLAT_FILE_APPEND_NEW, &err), TARE_NOT_FOUND);
    assert_int_equal(plat_file_create(&f, "/tmp", PLAT_FILE_REPLACE, &err), TARE_IO);
    assert_text_has(err.text, "Is a directory");
    assert_int_equal(plat_file_create(&f, "/dev/fd/999", PLAT_FILE_REPLACE, &err), TARE_IO);
    assert_int_equal(plat_file_create(&f, "", PLAT_FILE_REPLACE, &err), TARE_NOT_FOUND);
    assert_int_equal(plat_open_output("/proc/nonexistent/x", &err), -1);
    assert_int_equal(plat_open_input("/proc/nonexistent/x", &err), -1);
    assert_text_has(err.text, "No such file");
}

/* Only the file may be written, not its folder: no file can be made beside it, as in a container with one file mounted. */
static int replace_in_a_closed_folder(void)
{
    struct tare_err err = {{0}};
    struct plat_file *f;
    if (!geteuid() && (setgid(65534) || setuid(65534)))
        return 77;
    if (plat_file_create(&f, limited, PLAT_FILE_REPLACE, &err) || plat_file_write(f, "new", 3, &err) || plat_file_commit(f, &err))
        return unless(false, err.text);
    return 0;
}

static void a_writable_file_in_a_closed_folder_can_be_replaced(void **state)
{
    (void)state;
    char folder[256];
    snprintf(folder, sizeof folder, "%s", scratch("closed"));
    assert_int_equal(mkdir(folder, 0755), 0);
    snprintf(limited, sizeof limited, "%s", scratch("closed/file"));
    write_text(limited, "old content");
    assert_int_equal(chmod(limited, 0666), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    int answer = in_process(replace_in_a_closed_folder);
    chmod(folder, 0755);
    if (answer == 77)
        skip();
    assert_int_equal(answer, 0);
    assert_string_equal(read_text(limited), "new");
}

static enum plat_file_mode limited_mode;

/* What waited in memory finds no room in the file at the end. */
static int outgrow_in_a_closed_folder(void)
{
    static char text[4000];
    struct rlimit small = {1000, 1000};
    struct tare_err err = {{0}};
    struct plat_file *f;
    if (!geteuid() && (setgid(65534) || setuid(65534)))
        return 77;
    signal(SIGXFSZ, SIG_IGN);
    if (plat_file_create(&f, limited, limited_mode, &err) || plat_file_write(f, text, sizeof text, &err))
        return unless(false, err.text);
    setrlimit(RLIMIT_FSIZE, &small);
    enum tare_status settled = plat_file_settle(f, &err), status = plat_file_commit(f, settled ? NULL : &err);
    int failed = unless((settled ? settled : status) == TARE_IO, "what does not fit is an error");
    return failed | unless(strstr(err.text, limited) != NULL, err.text);
}

static void what_does_not_fit_in_a_closed_folder_keeps_the_old(void **state)
{
    (void)state;
    static const enum plat_file_mode modes[] = {PLAT_FILE_REPLACE, PLAT_FILE_APPEND_ASIDE};
    char folder[256];
    snprintf(folder, sizeof folder, "%s", scratch("narrow"));
    assert_int_equal(mkdir(folder, 0755), 0);
    snprintf(limited, sizeof limited, "%s", scratch("narrow/file"));
    write_text(limited, "old content");
    assert_int_equal(chmod(limited, 0666), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    int answers[2];
    for (int i = 0; i < 2; i++) {
        limited_mode = modes[i];
        answers[i] = in_process(outgrow_in_a_closed_folder);
    }
    chmod(folder, 0755);
    if (answers[0] == 77)
        skip();
    assert_int_equal(answers[0], 0);
    assert_int_equal(answers[1], 0);
    assert_string_equal(read_text(limited), "old content");
}

static void files_are_read_to_their_end_whatever_their_size_says(void **state)
{
    (void)state;
    struct tare_err err;
    struct buf b = BUF_INIT(1 << 20);
    assert_ok(plat_file_read("/proc/self/status", &b, &err));
    assert_text_has(b.data, "\nThreads:");
    size_t before = b.len;
    write_text(scratch("text"), "more");
    assert_ok(plat_file_read(scratch("text"), &b, &err));
    assert_int_equal(b.len, before + 4);
    buf_finish(&b);

    struct buf small = BUF_INIT(1000);
    assert_int_equal(plat_file_read("/dev/zero", &small, &err), TARE_TOO_LARGE);
    assert_text_has(err.text, "1000");
    buf_finish(&small);
    struct buf none = BUF_INIT(1000);
    assert_int_equal(plat_file_read("/tmp", &none, &err), TARE_IO);
    assert_int_equal(plat_file_read("/proc/nonexistent", &none, &err), TARE_NOT_FOUND);
    assert_text_has(err.text, "/proc/nonexistent");
    assert_int_equal(plat_input_read("/proc/nonexistent", &none, &err), TARE_NOT_FOUND);
}

static int read_standard_input(void)
{
    struct buf b = BUF_INIT(100);
    int ends[2];
    if (pipe(ends) || write(ends[1], "typed", 5) != 5 || dup2(ends[0], 0) < 0)
        return 1;
    close(ends[1]);
    return unless(!plat_input_read("-", &b, NULL) && !strcmp(b.data, "typed"), "the text came");
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    assert_int_equal(in_process(read_standard_input), 0);
}

TESTS(file, cmocka_unit_test(a_replacement_is_seen_at_commit_and_not_before),
      cmocka_unit_test(what_is_added_stands_where_the_file_was_cut), cmocka_unit_test(an_abandoned_replacement_leaves_no_trace),
      cmocka_unit_test(a_killed_process_leaves_no_replacement_behind), cmocka_unit_test(a_new_file_has_the_mode_of_the_umask),
      cmocka_unit_test(a_link_stays_a_link), cmocka_unit_test(the_record_grows_in_place),
      cmocka_unit_test(a_record_that_is_being_written_is_left_alone),
      cmocka_unit_test(what_grows_aside_leaves_the_old_file_until_it_is_settled),
      cmocka_unit_test(what_is_never_settled_takes_the_place_of_nothing),
      cmocka_unit_test(what_cannot_be_flushed_takes_the_place_of_nothing),
      cmocka_unit_test(two_files_take_their_places_together_or_not_at_all),
      cmocka_unit_test(what_a_killed_process_replaced_of_two_files_has_a_name_still),
      cmocka_unit_test(what_others_did_to_a_growing_file_is_seen),
      cmocka_unit_test(a_growing_file_that_cannot_be_opened_again_is_not_called_changed),
      cmocka_unit_test(what_was_lost_of_the_root_folder_is_put_there),
      cmocka_unit_test(what_was_lost_with_its_folder_is_put_into_a_new_one),
      cmocka_unit_test(a_link_to_nothing_yet_stays_and_is_the_file_that_it_names),
      cmocka_unit_test(what_was_lost_is_put_where_it_was_through_no_link), cmocka_unit_test(a_regular_file_under_dev_is_replaced),
      cmocka_unit_test(a_regular_file_by_way_of_proc_is_written_whole),
      cmocka_unit_test(shared_memory_cannot_be_cut_by_a_program), cmocka_unit_test(a_full_device_is_an_error_at_once),
      cmocka_unit_test(a_replacement_that_does_not_fit_keeps_the_old), cmocka_unit_test(devices_and_pipes_are_written_directly),
      cmocka_unit_test(standard_output_keeps_what_it_has), cmocka_unit_test(what_cannot_be_written_says_why),
      cmocka_unit_test(what_does_not_fit_in_a_closed_folder_keeps_the_old),
      cmocka_unit_test(a_writable_file_in_a_closed_folder_can_be_replaced),
      cmocka_unit_test(files_are_read_to_their_end_whatever_their_size_says), cmocka_unit_test(a_dash_is_standard_input));
