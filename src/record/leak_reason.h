/* SPDX-License-Identifier: MIT
 *
 * leak_reason.h - why the verdict of a leak target is what it is (leak_reasons.def): analyse gives the reason, who shows it looks it up.
 */
#ifndef LEAK_REASON_H
#define LEAK_REASON_H

enum leak_reason {
#define REASON(id, text, shown, advice) LEAK_WHY_##id,
#include "leak_reasons.def"
    LEAK_WHYS
};

const char *leak_reason_text(enum leak_reason why); /* half a sentence: "its size is not yet settled" */
/* How a sentence says what the record has as `text`, which is the text itself where it is none of the list; *advice: what to do, or NULL. */
const char *leak_reason_shown(const char *text, const char **advice);

#endif
