/* SPDX-License-Identifier: MIT */
#include "export_kind.h"
#include "arcs_export.h"
#include "chart_export.h"
#include "exporters.h"
#include "html.h"
#include "json_parts.h"
#include "record_kind.h"
#include <string.h>

static const struct kind_export export_commands = {
    .json = json_results, .svg = table_svg_write, .csv = table_csv_write, .table = markup_write};

static const struct kind_export export_benchmarks = {
    .json = json_results, .json_more = json_benchmarks, .svg = table_svg_write, .csv = table_csv_write, .table = markup_write};

static const struct kind_export export_traces = {.json = json_results,
                                                 .json_more = json_traces,
                                                 .svg = arcs_svg_write,
                                                 .csv = arcs_csv_write,
                                                 .markdown = arcs_markdown_write,
                                                 .html = arcs_html_write};

static const struct kind_export export_leaks = {
    .json_more = json_targets,
    .pages = "Timing leaks",
    .no_picture = "there is no picture: no target has enough calls, or their times were not kept",
    .csv = targets_csv_write,
    .table = targets_table_write};

static const struct kind_export export_hosts = {.json = json_results,
                                                .json_more = json_host,
                                                .pages = "Host qualification",
                                                .svg = table_svg_write,
                                                .csv = figures_csv_write,
                                                .table = figures_table_write};

static const struct kind_export export_clocks = {.json_more = json_clocks,
                                                 .no_picture =
                                                     "pictures show commands, and the record is of clocks; use --export-json",
                                                 .csv = figures_csv_write,
                                                 .table = figures_table_write,
                                                 .html = html_clocks_write};

const struct kind_export *kind_export(const struct record *r)
{
    static const struct kind_export *const of[RECORD_KINDS] = {
#define RECORD_KIND(id) [RECORD_OF_##id] = &export_##id,
#include "record_kinds.def"
    };
    return of[record_kind(r)->id];
}

static enum tare_status write_csv(const struct record *r, const struct export_options *o, const struct sink *sink,
                                  struct tare_err *err)
{
    return kind_export(r)->csv(r, o, sink, err);
}

/* Of a question about cost no leak is told. */
static const char *pages_title(const struct kind_export *k, const struct record *r)
{
    const char *question = record_kind(r)->targets ? r->rule.leaks.kind : NULL;
    return question && !strcmp(question, "growth") ? "Growth of the time with the size" : k->pages;
}

static enum tare_status write_svg(const struct record *r, const struct export_options *o, const struct sink *sink,
                                  struct tare_err *err)
{
    const struct kind_export *k = kind_export(r);
    if (k->pages && r->n_pages)
        return chart_pages_svg(pages_title(k, r), r->pages, r->n_pages, sink, err);
    return k->svg ? k->svg(r, o, sink, err) : err_set(err, TARE_UNSUPPORTED, "%s", k->no_picture);
}

enum tare_status table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                             const struct sink *sink, struct tare_err *err)
{
    if (kind_export(r)->table)
        return kind_export(r)->table(m, r, o, sink, err);
    return err_set(err, TARE_UNSUPPORTED, "this format has no form for %s; --export-markdown and --export-html have them",
                   record_kind(r)->results);
}

static enum tare_status write_markdown(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    return kind_export(r)->markdown ? kind_export(r)->markdown(r, o, sink, err) : table_write(&markup_markdown, r, o, sink, err);
}

static enum tare_status write_html(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    const struct kind_export *k = kind_export(r);
    if (k->pages && r->n_pages)
        return chart_pages_html(pages_title(k, r), r, o, sink, err);
    return k->html ? k->html(r, o, sink, err) : html_table_write(k, r, o, sink, err);
}

const struct exporter exporter_asciidoc = {"asciidoc", "adoc", .markup = &markup_asciidoc};
const struct exporter exporter_csv = {"csv", "csv", .write = write_csv};
const struct exporter exporter_html = {"html", "html", .write = write_html};
const struct exporter exporter_markdown = {"markdown", "md", .write = write_markdown};
const struct exporter exporter_orgmode = {"orgmode", "org", .markup = &markup_orgmode};
const struct exporter exporter_svg = {"svg", "svg", .write = write_svg};
