/* SPDX-License-Identifier: MIT */
#include "subjects_work.h"
#include <string.h>

enum { EXCERPT_BYTES = 60 };

enum tare_status subjects_note(struct work *w, const char *text)
{
    struct subject_plan *p = w->out;
    const char **notes = arena_grown(w->a, p->notes, p->n_notes, &w->room_notes, sizeof *notes);
    if (!notes)
        return err_no_memory(w->err);
    p->notes = notes;
    p->notes[p->n_notes] = arena_strdup(w->a, text);
    return p->notes[p->n_notes++] ? TARE_OK : err_no_memory(w->err);
}

void subjects_excerpt(struct buf *b, const char *text)
{
    size_t n = strlen(text);
    if (n <= EXCERPT_BYTES) {
        buf_str(b, text);
        return;
    }
    for (n = EXCERPT_BYTES; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    buf_add(b, text, n);
    buf_str(b, "...");
}
