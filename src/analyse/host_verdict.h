/* SPDX-License-Identifier: MIT
 *
 * host_verdict.h - what a host is good for, from a record of tare system qualify.
 *
 *     struct host_verdict v;
 *     status = analyse_host(&r, &v, &err);      // after qualify_estimates and the sessions against itself; adds facts to `after`
 *     ... v.word, v.good_for
 *
 * The words, in the order in which they are looked for:
 *     unfit       words of sessions against itself are false oftener than promised, beyond chance; or ten per cent more work would not be seen
 *     undecided   fewer than HOST_SESSIONS sessions were completed, or a difference of that size cannot be given; or the host would not be `good`, and
 *                 other programs used more than a tenth of a CPU meanwhile: what was seen is then theirs as much as the host's
 *     usable      comparisons hold, from good_for on: that is more than the margin, or the throughput fell for good while it was watched, or
 *                 differences that were planted were found seldomer than the sessions promise
 *     good        all else
 * good_for is the smallest difference that one session shows 9 times in 10 (aa_detectable), rounded up to two digits.
 * It measures nothing. Facts: host_verdict, host_good_for (a share), host_why.
 */
#ifndef HOST_VERDICT_H
#define HOST_VERDICT_H

#include "record.h"

enum host_word { HOST_GOOD, HOST_USABLE, HOST_UNFIT, HOST_UNDECIDED };
enum { HOST_SESSIONS = 20 };

struct host_verdict {
    enum host_word word;
    double good_for; /* share; NaN: not known */
    const char *why; /* one sentence without a full stop; the record's */
};

/* NO_MEMORY is its only failure. */
enum tare_status analyse_host(struct record *r, struct host_verdict *out, struct tare_err *err);
/* From the facts of a record. False: it has none. */
bool host_verdict_read(const struct record *r, struct host_verdict *out);

#endif
