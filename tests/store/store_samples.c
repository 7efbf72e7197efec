/* SPDX-License-Identifier: MIT */
#include "store_samples.h"
#include "plat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

const struct metric sample_wall = {"wall", "wall time", "ns", METRIC_TIME, METRIC_LOWER, NULL};
const struct metric sample_rate = {"rate", "rate", "1/s", METRIC_OWN, METRIC_HIGHER, "regex=rate: ([0-9.]+)"};

static const char *const command[] = {"tare", "run", "sort 'a b'", NULL};

void sample_ok(enum tare_status status, const struct tare_err *err)
{
    if (status)
        fail_msg("%s: %s", tare_status_name(status), err->text);
}

void sample_session(struct sample_session *s, int i)
{
    *s = (struct sample_session){0};
    struct buf b = buf_over(s->revision, sizeof s->revision);
    buf_format(&b, "%040x", i + 1);
    for (int k = 0; k < SAMPLE_RESULTS; k++) {
        const double median = 1000 + i + 100 * k;
        for (int v = 0; v < SAMPLE_VALUES; v++)
            s->values[k][v] = median + v - 2;
        s->results[k] = (struct history_result){.benchmark = "sort",
                                                .arguments = k ? "n=2" : "n=1",
                                                .version = "",
                                                .metric = &sample_wall,
                                                .point = {.median = median,
                                                          .low = median - 1,
                                                          .high = median + 1,
                                                          .ratio = k ? 0.5 + i / 128. : NAN,
                                                          .ratio_low = k ? 0.25 : NAN,
                                                          .ratio_high = k ? 2 : NAN,
                                                          .n = SAMPLE_VALUES},
                                                .values = s->values[k],
                                                .n_values = SAMPLE_VALUES,
                                                .step = k};
    }
    s->entry = (struct history_entry){.session = {.project = "0123456789012345678901234567890123456789",
                                                  .revision = s->revision,
                                                  .dirty = i % 2,
                                                  .measured_utc_ns = INT64_C(1764000000000000001) + i * INT64_C(3600000000000),
                                                  .tool = "tare 0.1.0",
                                                  .class = "desk",
                                                  .machine = "a processor, 8 CPUs",
                                                  .confidence = 0.95,
                                                  .words = command,
                                                  .folder = "sub/folder",
                                                  .build = "make -j2",
                                                  .anchor = "./old 2c26b46b68ffc68f",
                                                  .note = i == 1 ? "samples thinned" : NULL},
                                      .results = s->results,
                                      .n = SAMPLE_RESULTS};
}

struct history_event sample_event(enum history_event_kind kind, int i)
{
    return (struct history_event){.kind = kind,
                                  .series = "0123456789ab",
                                  .revision = "0123456789012345678901234567890123456789",
                                  .who = "A. Body",
                                  .note = "meant",
                                  .shift = -0.25,
                                  .low = -0.5,
                                  .high = NAN,
                                  .verdict = "faster",
                                  .at_utc_ns = INT64_C(1764000000000000001) + i};
}

void sample_folder(char path[256])
{
    struct buf b = buf_over(path, 256);
    struct tare_err err;
    if (plat_directory_private(&b, "tare-store-", &err))
        fail_msg("%s", err.text);
}

void sample_folder_remove(const char *path)
{
    struct tare_err err;
    if (plat_directory_remove(path, &err))
        fail_msg("%s", err.text);
}
