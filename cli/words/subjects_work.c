/* SPDX-License-Identifier: MIT */
#include "subjects_work.h"
#include <string.h>

enum { EXCERPT_BYTES = 60 };

enum tare_status subjects_no_memory(struct work *w)
{
    return err_set(w->err, TARE_NO_MEMORY, "out of memory while the commands were put together");
}

enum tare_status subjects_note(struct work *w, const char *text)
{
    struct subject_plan *p = w->out;
    if (p->n_notes == w->room_notes) {
        int room = w->room_notes ? 2 * w->room_notes : 8;
        const char **notes = arena_array(w->a, (size_t)room, sizeof *notes);
        if (!notes)
            return subjects_no_memory(w);
        if (p->n_notes)
            memcpy(notes, p->notes, (size_t)p->n_notes * sizeof *notes);
        p->notes = notes;
        w->room_notes = room;
    }
    p->notes[p->n_notes] = arena_strdup(w->a, text);
    return p->notes[p->n_notes++] ? TARE_OK : subjects_no_memory(w);
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
