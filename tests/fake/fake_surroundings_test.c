/* SPDX-License-Identifier: MIT
 *
 * What surrounds the children of the fake platform: files, streams, counters, terminal, log; and faults in scripts.
 */
#include "fake_play.h"
#include "plat_state.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- looking up ---- */

static enum tare_status look_up(const char *name, char *path, struct tare_err *err)
{
    struct buf b = buf_over(path, 100);
    return plat_find_program(name, no_environment, NULL, &b, err);
}

static void programs_are_found_as_the_script_says(void **state)
{
    (void)state;
    char path[100];
    struct tare_err err = {{0}};
    play("program ok\nprogram gone\n find notfound\nprogram secret\n find denied\nprogram folder\n find directory\n"
         "program later\n find notfound at 3\n");
    assert_int_equal(look_up("ok", path, &err), TARE_OK);
    assert_string_equal(path, "/fake/bin/ok");
    assert_int_equal(look_up("./ok", path, &err), TARE_OK);
    assert_string_equal(path, "./ok");
    assert_int_equal(look_up("sh", path, &err), TARE_OK);
    assert_int_equal(look_up("none", path, &err), TARE_NOT_FOUND);
    assert_int_equal(look_up("gone", path, &err), TARE_NOT_FOUND);
    assert_string_equal(err.text, "cannot find the program gone on PATH");
    assert_int_equal(look_up("secret", path, &err), TARE_PERMISSION);
    assert_int_equal(look_up("folder", path, &err), TARE_PERMISSION);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(look_up("later", path, &err), i < 3 ? TARE_OK : TARE_NOT_FOUND);
        run("later");
    }
}

/* ---- files ---- */

static char *read_all(const char *path, enum tare_status *status, struct tare_err *err)
{
    static char text[2000];
    struct buf b = BUF_INIT(sizeof text - 1);
    *status = plat_file_read(path, &b, err);
    strcpy(text, buf_text(&b));
    buf_finish(&b);
    return text;
}

static void canned_files_stand_before_the_real_ones(void **state)
{
    (void)state;
    enum tare_status status;
    struct tare_err err = {{0}};
    play("file /proc/loadavg \"0.10 \\\"x\\\" #\\n\"\nfile /proc/loadavg \"later\" from 1s\nfile /sys/secret denied\n"
         "file /proc/copy copy " TESTS_DIR "/fake_command.h\n");
    assert_string_equal(read_all("/proc/loadavg", &status, &err), "0.10 \"x\" #\n");
    assert_int_equal(status, TARE_OK);
    plat_sleep_ns(1000000000);
    assert_string_equal(read_all("/proc/loadavg", &status, &err), "later");
    read_all("/proc/cpuinfo", &status, &err);
    assert_int_equal(status, TARE_NOT_FOUND);
    assert_string_equal(err.text, "cannot open /proc/cpuinfo: No such file or directory");
    read_all("/sys/secret", &status, &err);
    assert_int_equal(status, TARE_PERMISSION);
    char copy[2000];
    strcpy(copy, read_all("/proc/copy", &status, &err));
    assert_string_equal(copy, read_all(TESTS_DIR "/fake_command.h", &status, &err));
    assert_non_null(strstr(copy, "fake_command.h"));
}

static void a_disk_fills_up_and_what_was_written_stays(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    const char *path = "fake_surroundings.tmp";
    char script[200] = "disk denied no/such\ndisk full after 10B of ";
    strcat(strcat(script, path), "\n");
    play(script);
    struct plat_file *f;
    assert_int_equal(plat_file_create(&f, "no/such", PLAT_FILE_APPEND_NEW, &err), TARE_PERMISSION);
    assert_int_equal(plat_file_create(&f, path, PLAT_FILE_APPEND_NEW, &err), TARE_OK);
    assert_int_equal(plat_file_write(f, "1234567", 7, &err), TARE_OK);
    assert_int_equal(plat_file_write(f, "1234567", 7, &err), TARE_IO);
    assert_non_null(strstr(err.text, "No space left on device"));
    assert_int_equal(plat_file_write(f, "8", 1, &err), TARE_IO);
    assert_int_equal(plat_file_commit(f, &err), TARE_OK);
    enum tare_status status;
    assert_string_equal(read_all(path, &status, &err), "1234567123");
    assert_int_equal(plat_file_create(&f, path, PLAT_FILE_REPLACE, &err), TARE_OK);
    assert_int_equal(plat_file_write(f, "new", 3, &err), TARE_IO);
    plat_file_abandon(f);
    assert_string_equal(read_all(path, &status, &err), "1234567123");
    unlink(path);
}

static void two_files_can_be_written_side_by_side(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    play("seed 1\n");
    struct plat_file *a, *b;
    const char *path = "fake_surroundings.tmp";
    assert_int_equal(plat_file_create(&a, path, PLAT_FILE_REPLACE, &err), TARE_OK);
    assert_int_equal(plat_file_create(&b, path, PLAT_FILE_REPLACE, &err), TARE_OK);
    assert_int_equal(plat_file_write(a, "a", 1, &err), TARE_OK);
    assert_int_equal(plat_file_commit(a, &err), TARE_OK);
    plat_file_abandon(b);
    enum tare_status status;
    assert_string_equal(read_all(path, &status, &err), "a");
    unlink(path);
}

static void descriptors_run_out_and_come_back(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    play("descriptors 3\n");
    int r, w, more[2];
    assert_int_equal(plat_pipe(&r, &w, &err), TARE_OK);
    int null = plat_open_null();
    assert_true(null >= 0);
    assert_int_equal(plat_open_null(), -1);
    assert_int_equal(plat_open_input("/dev/null", &err), -1);
    assert_non_null(strstr(err.text, "Too many open files"));
    plat_close(null);
    plat_close(-1);
    assert_int_equal(plat_pipe(&more[0], &more[1], &err), TARE_NO_MEMORY);
    assert_true((null = plat_open_null()) >= 0);
    plat_close(null);
    plat_close(r);
    plat_close(w);
}

/* ---- streams ---- */

static void a_child_writes_and_reads_its_streams(void **state)
{
    (void)state;
    play("program talk\n stdout \"out\\n\" stderr \"oops\\n\" reads\n");
    int in[2], out[2], err[2];
    char text[10] = {0};
    assert_false(pipe(in) || pipe(out) || pipe(err));
    assert_int_equal(write(in[1], "12345", 5), 5);
    close(in[1]);
    const char *const argv[] = {"talk", NULL};
    struct plat_child_spec spec = spec_of(argv);
    spec.fd_in = in[0], spec.fd_out = out[1], spec.fd_err = err[1];
    run_spec(&spec);
    assert_int_equal(read(out[0], text, sizeof text), 4);
    assert_memory_equal(text, "out\n", 4);
    assert_int_equal(read(err[0], text, sizeof text), 5);
    assert_memory_equal(text, "oops\n", 5);
    assert_non_null(strstr(fake_log(), "\tin=5\n"));
    close(in[0]), close(out[0]), close(out[1]), close(err[0]), close(err[1]);
}

static void a_flood_of_output_is_drained(void **state)
{
    (void)state;
    play("program flood\n prints 10MB\n");
    struct tare_err err = {{0}};
    const char *const argv[] = {"flood", NULL};
    struct plat_child_spec spec = spec_of(argv);
    assert_int_equal(plat_pipe(&spec.drain_fd, &spec.fd_out, &err), TARE_OK);
    assert_int_equal(run_spec(&spec).end, CHILD_EXITED);
    plat_close(spec.fd_out);
    char c;
    assert_int_equal(read(spec.drain_fd, &c, 1), 0);
    plat_close(spec.drain_fd);
}

/* ---- counters, terminal, machine, log ---- */

static void counters_add_up_what_their_programs_count(void **state)
{
    (void)state;
    struct plat_counter *c, *none;
    struct tare_err err = {{0}};
    double total, running;
    play("counter cycles unsupported \"no PMU\"\ncounter secret denied \"paranoid\"\ncounter instructions running 50%\n"
         "program x\n count instructions list 3k 4k\nprogram y\n");
    assert_int_equal(plat_counter_open(&none, spawner(), "cycles", &err), TARE_UNSUPPORTED);
    assert_string_equal(err.text, "cannot count cycles: no PMU");
    assert_int_equal(plat_counter_open(&none, spawner(), "secret", &err), TARE_PERMISSION);
    assert_int_equal(plat_counter_open(&none, spawner(), "typo", &err), TARE_INVALID);
    run("x");
    assert_int_equal(plat_counter_open(&c, spawner(), "instructions", &err), TARE_OK);
    run("x");
    run("y");
    run("x");
    assert_int_equal(plat_counter_read(c, &total, &running), TARE_OK);
    assert_true(total == 4000 + 3000);
    assert_true(running == 0.5);
    assert_false(plat_counter_user_only(c));
    plat_counter_close(c);
    plat_counter_close(NULL);
    play("counter cycles useronly\nprogram x\n count cycles 1k\n");
    assert_int_equal(plat_counter_open(&c, spawner(), "cycles", &err), TARE_OK);
    assert_true(plat_counter_user_only(c));
    plat_counter_close(c);
}

static void the_terminal_is_the_scripts(void **state)
{
    (void)state;
    play("");
    assert_false(plat_is_terminal(0) || plat_is_terminal(1) || plat_is_terminal(2));
    assert_int_equal(plat_terminal_width(1), 80);
    play("terminal 100\n");
    assert_true(!plat_is_terminal(0) && plat_is_terminal(1) && plat_is_terminal(2));
    assert_int_equal(plat_terminal_width(1), 100);
    play("terminal 60 stdin stderr\n");
    assert_true(plat_is_terminal(0) && !plat_is_terminal(1) && plat_is_terminal(2));
    assert_int_equal(plat_terminal_width(1), 80);
    assert_int_equal(plat_terminal_width(2), 60);
}

static void the_machine_is_the_scripts(void **state)
{
    (void)state;
    struct plat_uname name;
    struct tare_err err = {{0}};
    play("seed 99\nuname Linux 6.1 \"#1 SMP\" x86_64 box\npriority denied\n");
    plat_uname(&name);
    assert_int_equal(plat_random_seed(), 99);
    assert_string_equal(name.os, "Linux");
    assert_string_equal(name.version, "#1 SMP");
    assert_string_equal(name.machine, "x86_64");
    assert_string_equal(name.node, "box");
    assert_int_equal(plat_set_priority(PRIORITY_HIGH, &err), TARE_PERMISSION);
    assert_int_equal(plat_set_priority(PRIORITY_IDLE, &err), TARE_OK);
}

/* What a real tune has left on this machine is none of a test's business. */
static void the_state_of_the_machine_beneath_does_not_show(void **state)
{
    (void)state;
    struct plat_state *s;
    struct tare_err err;
    play("");
    assert_int_equal(plat_state_look(&s, "/var/lib", &err), TARE_NOT_FOUND);
    assert_null(s);
    assert_int_equal(plat_state_open(&s, "/var/lib/tare", &err), TARE_PERMISSION);
    assert_null(s);
}

static void the_log_tells_who_ran_when_and_how(void **state)
{
    (void)state;
    const char *path = "fake_surroundings.tmp";
    char script[300] = "clock step 0\nspawn 1us 1us\nprogram a\n wall 10us exit 2\nlog ";
    play(strcat(strcat(script, path), "\n"));
    const char *const argv[] = {"a", "b c", NULL}, *const envp[] = {"X=12", "HYPERFINE_ITERATION=4", NULL};
    struct plat_child_spec spec = spec_of(argv);
    spec.envp = envp;
    spec.cwd = "/tmp";
    spec.pin_cpu = 1;
    run_spec(&spec);
    run_shell("what\tnow");
    char expected[200]; /* size: the texts, and a pointer to each */
    snprintf(expected, sizeof expected,
             "a b c\tnth=1\tat=1000\tsize=%zu\titeration=4\tcwd=/tmp\tpin=1\tend=exit:2\nwhat "
             "now\tnth=0\tat=13000\tsize=%zu\tend=exit:127\n",
             35 + 4 * sizeof(char *), 28 + 3 * sizeof(char *));
    enum tare_status status;
    assert_string_equal(fake_log(), expected);
    assert_string_equal(read_all(path, &status, NULL), expected);
    unlink(path);
}

/* ---- scripts with faults ---- */

struct fault {
    const char *script, *message;
};

static void must_be_named(const struct fault *f, size_t n)
{
    for (; n--; f++) {
        struct tare_err err = {{0}};
        enum tare_status status = fake_script_set(f->script, &err);
        if (status != TARE_FORMAT || !strstr(err.text, f->message))
            fail_msg("\"%s\": status %d, \"%s\" instead of \"%s\"", f->script, status, err.text, f->message);
        assert_int_equal(fake_script_set(f->script, NULL), TARE_FORMAT);
    }
}

static void a_fault_in_a_script_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct fault cases[] = {
        {"\n\nsed 7\n", "line 3: 'sed' is not known here"},
        {"seed x", "line 1: a seed is a whole number"},
        {"seed", "a seed is missing"},
        {"seed 1 2", "'2' is one word too many"},
        {"seed 99999999999999999999", "a seed is a whole number"},
        {" wall 1ms\n", "belongs to a program"},
        {"program\n", "a program needs a name"},
        {"program a\n wall\n", "line 2: a time (10ms) is missing"},
        {"program a\n wall 10\n", "'10' is not a time"},
        {"program a\n wall 10kB\n", "'10kB' is not a time"},
        {"program a\n wall normal 10ms\n", "a time (10ms) is missing"},
        {"program a\n wall 10ms + \n", "is missing"},
        {"program a\n wall list\n", "list needs at least one value"},
        {"program a\n wall bimodal 1ms 2ms 101%\n", "a chance lies between"},
        {"program a\n wall 1ms user 1ms rows 3\n", "'rows' is not known here"},
        {"program a\nseed 3\n wall 1ms\n", "line 3: an indented line"},
        {"program a\n exit 256\n", "an exit code is a whole number from 0 to 255"},
        {"program a\n exit 1 at 0\n", "the number of a run"},
        {"program a\n signal FOO\n", "'FOO' is no signal"},
        {"program a\n first 3 0x\n", "'0x' is not a factor"},
        {"program a\n find nowhere\n", "find has"},
        {"program a\n stdout \"x\n", "a quote is not closed"},
        {"program a\n stdout \"\\q\"\n", "\\q is no escape"},
        {"clock stop 1s\n", "clock has step"},
        {"clock step -1s\n", "cannot be negative"},
        {"clock jump 1s\n", "clock jump needs"},
        {"signal INT\n", "signal needs `at TIME`"},
        {"session drift 3% 0s\n", "a period cannot be nought"},
        {"session noise 3% 1s\n", "session has"},
        {"terminal 80 stdlog\n", "'stdlog' is not stdin"},
        {"disk full\n", "disk has"},
        {"counter x broken\n", "a counter can be"},
        {"counter x denied\n", "the reason is missing"},
        {"file /proc/x copy /no/such/file\n", "No such file"},
        {"cpus 0\n", "the number of processors"},
        {"helper lives\n", "helper has"},
        {"priority high\n", "priority can only"},
        {"uname a b\n", "uname's"},
    };
    must_be_named(cases, sizeof cases / sizeof *cases);
}

static void a_fault_about_the_processor_is_named(void **state)
{
    (void)state;
    static const struct fault cases[] = {
        {"clock raw 3\n", "'3' is not a percentage"},
        {"clock coarse 0ns\n", "a step cannot be nought"},
        {"ticks 0\n", "a frequency lies between"},
        {"ticks 200G\n", "a frequency lies between"},
        {"ticks\n", "a count (12, 3k) is missing"},
        {"ticks step 0\n", "a step is a whole number"},
        {"ticks jump 5\n", "ticks jump needs `at TIME`"},
        {"ticks skew x 5\n", "a CPU is a whole number"},
        {"core add 0\n", "some part of a cycle"},
        {"cpuid 1 0 0 0 0\n", "LEAF SUBLEAF EAX EBX ECX EDX is missing"},
        {"cpuid 1 0 0 0 0 123456789\n", "'123456789' is not a hexadecimal number"},
        {"cpuid 1 0 0 0 0 xyz\n", "'xyz' is not a hexadecimal number"},
    };
    must_be_named(cases, sizeof cases / sizeof *cases);
}

static void after_a_fault_the_world_is_empty(void **state)
{
    (void)state;
    struct tare_err err;
    assert_int_equal(fake_script_set("seed 5\nprogram a\nbad\n", &err), TARE_FORMAT);
    assert_int_equal(plat_random_seed(), 1);
    assert_int_equal(run("a").end, CHILD_NOT_STARTED);
}

/* The exit code of a process that first uses the platform with TARE_FAKE_SCRIPT set to this; -1: a signal. */
static int exit_with_script_file(const char *path)
{
    pid_t child = fork();
    if (!child) {
        close(2);
        setenv("TARE_FAKE_SCRIPT", path, 1);
        _exit(plat_random_seed() == 77 ? 7 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Must be the first test: afterwards this process has a script. */
static void the_script_comes_from_the_file_that_is_named(void **state)
{
    (void)state;
    const char *path = "fake_surroundings.tmp";
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "seed 77\n", 8), 8);
    assert_int_equal(exit_with_script_file(path), 7);
    assert_int_equal(write(fd, "bad\n", 4), 4);
    assert_int_equal(exit_with_script_file(path), 99);
    assert_int_equal(exit_with_script_file("/no/such/file"), 99);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_script_comes_from_the_file_that_is_named),
        cmocka_unit_test(programs_are_found_as_the_script_says),
        cmocka_unit_test(canned_files_stand_before_the_real_ones),
        cmocka_unit_test(a_disk_fills_up_and_what_was_written_stays),
        cmocka_unit_test(two_files_can_be_written_side_by_side),
        cmocka_unit_test(descriptors_run_out_and_come_back),
        cmocka_unit_test(a_child_writes_and_reads_its_streams),
        cmocka_unit_test(a_flood_of_output_is_drained),
        cmocka_unit_test(counters_add_up_what_their_programs_count),
        cmocka_unit_test(the_terminal_is_the_scripts),
        cmocka_unit_test(the_machine_is_the_scripts),
        cmocka_unit_test(the_state_of_the_machine_beneath_does_not_show),
        cmocka_unit_test(the_log_tells_who_ran_when_and_how),
        cmocka_unit_test(a_fault_in_a_script_is_named_with_its_line),
        cmocka_unit_test(a_fault_about_the_processor_is_named),
        cmocka_unit_test(after_a_fault_the_world_is_empty),
    };
    return cmocka_run_group_tests_name("fake_surroundings", tests, NULL, NULL);
}
