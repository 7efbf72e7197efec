/* SPDX-License-Identifier: MIT
 * What is not in a trace, in sentences. */
#include "trace_file.h"

static void line(struct buf *out, uint64_t n, const char *one, const char *many)
{
    if (n)
        buf_format(out, "%llu %s\n", (unsigned long long)n, n == 1 ? one : many);
}

void trace_loss_text(const struct trace_loss *l, struct buf *out)
{
    line(out, l->files, "process left an unreadable file: nothing of it is included",
         "processes left unreadable files: nothing of them is included");
    line(out, l->unfiled, "forked process could create no file: nothing of it is included",
         "forked processes could create no files: nothing of them is included");
    line(out, l->words, "entry was not stored: no room was left", "entries were not stored: no room was left");
    line(out, l->segments, "segment is missing: it was overwritten or never stored",
         "segments are missing: they were overwritten or never stored");
    line(out, l->truncated_units, "block of 16 KiB is damaged and was skipped", "blocks of 16 KiB are damaged and were skipped");
    line(out, l->truncated_points, "description of a point is damaged", "descriptions of points are damaged");
    line(out, l->unknown_points, "hit is of a point without a description", "hits are of points without a description");
    line(out, l->unwritten, "entry was begun and not written: the process ended in it, or a signal handler did not return",
         "entries were begun and not written: the process ended in them, or signal handlers did not return");
    line(out, l->alive, "process was still running when its file was read: its later hits are missing",
         "processes were still running when their files were read: their later hits are missing");
    line(out, l->silent, "process without a hit was still running after the run: its later hits are missing",
         "processes without a hit were still running after the run: their later hits are missing");
    if (l->cut)
        buf_str(out, "the file is shorter than its header says\n");
    if (l->truncated_head)
        buf_str(out, "the header of the file is damaged: its clock data may be wrong\n");
}

bool trace_loss_of_hits(const struct trace_loss *l)
{
    return l->files || l->unfiled || l->words || l->segments || l->truncated_units || l->truncated_points || l->unknown_points ||
           l->cut || l->truncated_head || l->alive || l->silent;
}

void trace_loss_add(struct trace_loss *into, const struct trace_loss *from)
{
    into->files += from->files;
    into->unfiled += from->unfiled;
    into->words += from->words;
    into->segments += from->segments;
    into->truncated_units += from->truncated_units;
    into->unused_units += from->unused_units;
    into->truncated_points += from->truncated_points;
    into->unknown_points += from->unknown_points;
    into->unwritten += from->unwritten;
    into->alive += from->alive;
    into->silent += from->silent;
    into->cut |= from->cut;
    into->truncated_head |= from->truncated_head;
    into->full |= from->full;
    into->running |= from->running;
}
