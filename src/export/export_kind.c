/* SPDX-License-Identifier: MIT */
#include "export_kind.h"
#include "arcs_export.h"
#include "chart_export.h"
#include "exporters.h"
#include "html.h"
#include "json_parts.h"
#include "record_kind.h"

static const struct kind_export export_commands = {
    .json = json_results, .svg = table_svg_write, .csv = table_csv_write, .table = markup_write};

static const struct kind_export export_benchmarks = {
    .json = json_results, .json_more = json_benchmarks, .svg = table_svg_write, .csv = table_csv_write, .table = markup_write};

static enum tare_status csv_of_traces(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    return arcs_csv_write(r, sink, err);
}

static const struct kind_export export_traces = {.json = json_results,
                                                 .json_more = json_traces,
                                                 .svg = arcs_svg_write,
                                                 .csv = csv_of_traces,
                                                 .markdown = arcs_markdown_write,
                                                 .html = arcs_html_write};

static enum tare_status svg_of_leaks(const struct record *r, const struct export_options *o, const struct sink *sink,
                                     struct tare_err *err)
{
    (void)o;
    if (!r->n_pages)
        return err_set(err, TARE_UNSUPPORTED, "there is no picture: no target has enough calls, or their times were not kept");
    return chart_pages_svg("Timing leaks", r->pages, r->n_pages, sink, err);
}

static enum tare_status html_of_leaks(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    if (!r->n_pages)
        return html_table_write(kind_export(r), r, o, sink, err);
    return chart_pages_html("Timing leaks", r, o, sink, err);
}

static const struct kind_export export_leaks = {.json_more = json_targets,
                                                .svg = svg_of_leaks,
                                                .csv = targets_csv_write,
                                                .table = targets_table_write,
                                                .html = html_of_leaks};

static enum tare_status svg_of_hosts(const struct record *r, const struct export_options *o, const struct sink *sink,
                                     struct tare_err *err)
{
    return r->n_pages ? chart_pages_svg("What a host is good for", r->pages, r->n_pages, sink, err)
                      : table_svg_write(r, o, sink, err);
}

static enum tare_status html_of_hosts(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    return r->n_pages ? chart_pages_html("What a host is good for", r, o, sink, err)
                      : html_table_write(kind_export(r), r, o, sink, err);
}

static const struct kind_export export_hosts = {.json = json_results,
                                                .json_more = json_host,
                                                .svg = svg_of_hosts,
                                                .csv = figures_csv_write,
                                                .table = figures_table_write,
                                                .html = html_of_hosts};

static enum tare_status svg_of_clocks(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    (void)r;
    (void)o;
    (void)sink;
    return err_set(err, TARE_UNSUPPORTED, "pictures show commands, and the record is of clocks; use --export-json");
}

static const struct kind_export export_clocks = {.json_more = json_clocks,
                                                 .svg = svg_of_clocks,
                                                 .csv = figures_csv_write,
                                                 .table = figures_table_write,
                                                 .html = html_clocks_write};

const struct kind_export *kind_export(const struct record *r)
{
    static const struct kind_export *const of[RECORD_KINDS] = {
#define RECORD_KIND(id) [RECORD_OF_##id] = &export_##id,
#include "record_kinds.def"
#undef RECORD_KIND
    };
    return of[record_kind(r)->id];
}

static enum tare_status write_csv(const struct record *r, const struct export_options *o, const struct sink *sink,
                                  struct tare_err *err)
{
    return kind_export(r)->csv(r, o, sink, err);
}

static enum tare_status write_svg(const struct record *r, const struct export_options *o, const struct sink *sink,
                                  struct tare_err *err)
{
    return kind_export(r)->svg(r, o, sink, err);
}

static enum tare_status write_table(const struct markup *m, const struct record *r, const struct export_options *o,
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
    return kind_export(r)->markdown ? kind_export(r)->markdown(r, o, sink, err) : write_table(&markup_markdown, r, o, sink, err);
}

static enum tare_status write_html(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    const struct kind_export *k = kind_export(r);
    return k->html ? k->html(r, o, sink, err) : html_table_write(k, r, o, sink, err);
}

static enum tare_status write_asciidoc(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    return write_table(&markup_asciidoc, r, o, sink, err);
}

static enum tare_status write_orgmode(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    return write_table(&markup_orgmode, r, o, sink, err);
}

const struct exporter exporter_asciidoc = {"asciidoc", "adoc", .write = write_asciidoc};
const struct exporter exporter_csv = {"csv", "csv", .write = write_csv};
const struct exporter exporter_html = {"html", "html", .write = write_html};
const struct exporter exporter_markdown = {"markdown", "md", .write = write_markdown};
const struct exporter exporter_orgmode = {"orgmode", "org", .write = write_orgmode};
const struct exporter exporter_svg = {"svg", "svg", .write = write_svg};
