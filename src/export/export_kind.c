/* SPDX-License-Identifier: MIT */
#include "export_kind.h"
#include "arcs_export.h"
#include "chart_export.h"
#include "exporters.h"
#include "json_parts.h"
#include "record_kind.h"
#include "svg_parts.h"

enum tare_status kind_refuse(const struct record *r, const struct export_options *o, const struct sink *sink,
                             struct tare_err *err)
{
    (void)o;
    (void)sink;
    return err_set(err, TARE_UNSUPPORTED, "this format is a table of commands, and the record is of %s; --export-json has them",
                   record_kind(r)->results);
}

/* ---- commands and benchmarks ---- */

static void json_results(struct json_write *j, struct export_out *out, const struct record *r, const int *order)
{
    json_array(j, "results");
    for (; *order >= 0; order++)
        json_result(j, out, r, *order);
    json_end(j);
    json_array(j, "comparisons");
    for (int i = 0; i < r->n_comparisons; i++) {
        json_comparison(j, r, &r->comparisons[i]);
        export_out_pass(out);
    }
    json_end(j);
}

static const struct kind_export export_commands = {
    .json = json_results, .svg = table_svg_write, .csv = table_csv_write, .markdown = table_markdown_write, .table = true};

static const struct kind_export export_benchmarks = {.json = json_results,
                                                     .json_more = json_benchmarks,
                                                     .svg = table_svg_write,
                                                     .csv = table_csv_write,
                                                     .markdown = table_markdown_write,
                                                     .table = true};

/* ---- traces ---- */

static void json_of_traces(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_arcs(j, out, r);
    json_points(j, out, r);
}

static enum tare_status csv_of_traces(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    return arcs_csv_write(r, sink, err);
}

static const struct kind_export export_traces = {.json = json_results,
                                                 .json_more = json_of_traces,
                                                 .svg = arcs_svg_write,
                                                 .csv = csv_of_traces,
                                                 .markdown = arcs_markdown_write};

/* ---- leaks and hosts: pages of pictures ---- */

static void json_of_leaks(struct json_write *j, struct export_out *out, const struct record *r, const int *order)
{
    (void)order; /* as registered */
    json_targets(j, out, r);
}

static enum tare_status svg_of_leaks(const struct record *r, const struct export_options *o, const struct sink *sink,
                                     struct tare_err *err)
{
    (void)o;
    if (!r->n_pages)
        return err_set(err, TARE_UNSUPPORTED, "there is no picture: no target has enough calls, or their times were not kept");
    return leak_svg_write("Timing leaks", r->pages, r->n_pages, sink, err);
}

static const struct kind_export export_leaks = {
    .json = json_of_leaks, .svg = svg_of_leaks, .csv = kind_refuse, .markdown = kind_refuse};

static enum tare_status svg_of_hosts(const struct record *r, const struct export_options *o, const struct sink *sink,
                                     struct tare_err *err)
{
    return r->n_pages ? leak_svg_write("What a host is good for", r->pages, r->n_pages, sink, err)
                      : table_svg_write(r, o, sink, err);
}

static const struct kind_export export_hosts = {
    .json = json_results, .json_more = json_host, .svg = svg_of_hosts, .csv = kind_refuse, .markdown = kind_refuse};

/* ---- clocks ---- */

static enum tare_status svg_of_clocks(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    (void)r;
    (void)o;
    (void)sink;
    return err_set(err, TARE_UNSUPPORTED, "a picture is of commands, and the record is of clocks; --export-json has them");
}

static const struct kind_export export_clocks = {
    .json_more = json_clocks, .svg = svg_of_clocks, .csv = kind_refuse, .markdown = kind_refuse};

const struct kind_export *kind_export(const struct record *r)
{
    static const struct kind_export *const of[RECORD_KINDS] = {
#define RECORD_KIND(id) [RECORD_OF_##id] = &export_##id,
#include "record_kinds.def"
#undef RECORD_KIND
    };
    return of[record_kind(r)->id];
}

/* ---- the formats that differ by kind ---- */

static enum tare_status write_csv(const struct record *r, const struct export_options *o, const struct sink *sink,
                                  struct tare_err *err)
{
    return kind_export(r)->csv(r, o, sink, err);
}

static enum tare_status write_markdown(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    return kind_export(r)->markdown(r, o, sink, err);
}

static enum tare_status write_svg(const struct record *r, const struct export_options *o, const struct sink *sink,
                                  struct tare_err *err)
{
    return kind_export(r)->svg(r, o, sink, err);
}

static enum tare_status write_asciidoc(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    return (kind_export(r)->table ? table_asciidoc_write : kind_refuse)(r, o, sink, err);
}

static enum tare_status write_orgmode(const struct record *r, const struct export_options *o, const struct sink *sink,
                                      struct tare_err *err)
{
    return (kind_export(r)->table ? table_orgmode_write : kind_refuse)(r, o, sink, err);
}

const struct exporter exporter_csv = {"csv", "csv", write_csv};
const struct exporter exporter_markdown = {"markdown", "md", write_markdown};
const struct exporter exporter_svg = {"svg", "svg", write_svg};
const struct exporter exporter_asciidoc = {"asciidoc", "adoc", write_asciidoc};
const struct exporter exporter_orgmode = {"orgmode", "org", write_orgmode};
