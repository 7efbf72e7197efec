/* SPDX-License-Identifier: MIT
 * docs/record-format.md names every type, key and word that is written. */
#include "export.h"
#include "json_read.h"
#include "random_record.h"
#include "record_fields.h"
#include "record_write.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct buf doc;

static int read_doc(void **state)
{
    (void)state;
    doc = BUF_INIT(1 << 20);
    FILE *f = fopen(TESTS_DIR "/../../docs/record-format.md", "rb");
    char block[4096];
    for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(&doc, block, n);
    if (f)
        fclose(f);
    return doc.len ? 0 : -1;
}

static int drop_doc(void **state)
{
    (void)state;
    buf_finish(&doc);
    return 0;
}

static void assert_named(const char *word)
{
    char quoted[128];
    struct buf b = buf_over(quoted, sizeof quoted);
    buf_format(&b, "`%s`", word);
    if (!strstr(buf_text(&doc), quoted))
        fail_msg("docs/record-format.md does not say what %s is", quoted);
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* Their keys are data, not format. */
static bool holds_names(const char *key)
{
    static const char *const keys[] = {"facts", "reasons", "hex", "parameters", "args"};
    for (size_t i = 0; key && i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static void assert_keys_named(const struct json_value *v)
{
    const char *key = json_key(v);
    if (key && !ends_in(key, "_hex"))
        assert_named(key);
    if (key && json_is_object(v) && holds_names(key))
        return;
    bool by_id = key && !strcmp(key, "metrics");
    for (const struct json_value *item = json_first(v); item; item = json_next(item))
        if (!by_id)
            assert_keys_named(item);
        else
            for (const struct json_value *member = json_first(item); member; member = json_next(member))
                assert_keys_named(member);
}

static enum tare_status check_line(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct json_value *line;
    const char *type;
    ++*(int *)context;
    if (json_parse(&line, bytes, n, err))
        fail_msg("%s", err->text);
    assert_true(json_text_of(json_member(line, "type"), &type));
    assert_named(type);
    assert_keys_named(line);
    json_free(line);
    return TARE_OK;
}

static void every_key_of_a_record_is_documented(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 100; seed++) {
        struct record r = {0};
        struct tare_err err;
        int lines = 0;
        struct sink sink = {check_line, &lines};
        random_record(&r, seed);
        assert_int_equal(record_write(&r, &sink, &err), TARE_OK);
        assert_true(lines > 0);
        record_finish(&r);
    }
}

static void every_key_of_the_json_export_is_documented(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct record r = {0};
        struct tare_err err;
        struct buf b = BUF_INIT(1 << 24);
        struct sink sink = sink_to_buf(&b);
        struct json_value *v;
        random_record(&r, seed);
        assert_int_equal(exporter_find("json")->write(&r, &(struct export_options){0}, &sink, &err), TARE_OK);
        if (json_parse(&v, b.data, b.len, &err))
            fail_msg("%s", err.text);
        assert_keys_named(v);
        json_free(v);
        buf_finish(&b);
        record_finish(&r);
    }
}

static void every_column_of_the_csv_export_is_documented(void **state)
{
    (void)state;
    struct record r = {0};
    struct buf b = BUF_INIT(1 << 24);
    struct sink sink = sink_to_buf(&b);
    record_init(&r);
    r.rule.metric = "wall";
    assert_int_equal(exporter_find("csv")->write(&r, &(struct export_options){0}, &sink, NULL), TARE_OK);
    int columns = 0;
    for (char *p = strtok(b.data, ",\n"); p; p = strtok(NULL, ",\n"), columns++)
        if (columns >= 8) /* the first eight stand in one piece */
            assert_named(p);
    assert_true(columns > 20);
    buf_finish(&b);
    record_finish(&r);
}

static void every_word_is_documented(void **state)
{
    (void)state;
    for (int i = VERDICT_NONE; i <= VERDICT_NOT_COMPARABLE; i++)
        assert_named(verdict_name((enum verdict)i));
    for (int i = SEVERITY_NOTE; i <= SEVERITY_ERROR; i++)
        assert_named(severity_name((enum severity)i));
    for (int i = METRIC_TIME; i <= METRIC_COUNT; i++)
        assert_named(metric_kind_name((enum metric_kind)i));
    for (int i = METRIC_LOWER; i <= METRIC_NEUTRAL; i++)
        assert_named(words_name(&metric_direction_words, i));
    for (int i = SUBJECT_COMMAND; i <= SUBJECT_HOST; i++)
        assert_named(subject_kind_name((enum subject_kind)i));
    assert_named(words_name(&method_words, METHOD_GEORGES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_a_record_is_documented),
        cmocka_unit_test(every_key_of_the_json_export_is_documented),
        cmocka_unit_test(every_column_of_the_csv_export_is_documented),
        cmocka_unit_test(every_word_is_documented),
    };
    return cmocka_run_group_tests_name("format_doc", tests, read_doc, drop_doc);
}
