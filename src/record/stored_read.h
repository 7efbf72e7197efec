/* SPDX-License-Identifier: MIT
 *
 * stored_read.h - any file with results back into a record: our own (record_read.h), or one of another tool. The kind is
 * recognised by the content, never by the name.
 *
 *     status = stored_read(&r, text, n, &reading, &err);      // as record_read
 *
 *     hyperfine          {"results": [{"command", "times": [...]}]}
 *     google-benchmark   {"context": ..., "benchmarks": [{"name", "real_time", "time_unit"}]}
 *     pyperf             {"benchmarks": [{"runs": [{"values": [...]}]}]}
 *     pytest-benchmark   {"machine_info", "benchmarks": [{"fullname", "stats": {"data": [...]}}]}
 *     JMH                [{"benchmark", "mode", "primaryMetric": {"scoreUnit", "rawData": [[...]]}}]
 *     BenchmarkDotNet    {"HostEnvironmentInfo", "Benchmarks": [{"FullName", "Measurements": [...]}]}
 *     tinybench          [{"name", "result": {"latency": {"samples": [...]}}}], or vitest's files of groups of benchmarks
 *     criterion.rs       {"sampling_mode", "iters": [...], "times": [...]}, the new/sample.json of a benchmark
 *     criterion.rs       CSV, group,function,value,...,sample_measured_value,unit,iteration_count, its raw.csv
 *     github-action-...  [{"name", "value", "unit"}], or data.js {"lastUpdate", "entries": {SUITE: [{"benches": [...]}]}}
 *     asv                {"commit_hash", "env_name", "result_columns": [...], "results": {NAME: [...]}}
 *     LNT                {"format_version", "tests": [{"name", "execution_time": [...]}]}, or {"Machine", "Run", "Tests"}
 *     Bencher            {NAME: {"latency": {"value"}}}
 *     otava              CSV with the columns time and commit
 *     perf stat          lines {"counter-value", "unit", "event"}, of -j
 *     Catch2             XML, <BenchmarkResults name samples iterations> with <mean value>
 *     JUnit              XML, <testcase classname name time>
 *     lines              a number a line, or "name value unit"
 *     SAMPLER            lines {"prev": ..., "curr": ..., "dt": ...}, and the graph [{"file", "line", "func", "edges": [...]}] of them
 *     Go                 text with lines "BenchmarkName-8  1000  123 ns/op", or the lines of go test -json
 *
 * Each may be compressed with gzip where tare was built with zlib (pyperf writes .json.gz).
 *
 * A foreign file becomes an ordinary record: one subject a benchmark, one row a value, in the order of the file. What the tool did
 * not write down is unknown in the record, with the reason: the facts source_format, source_value (what one value is), source_order
 * and source_limits stand in `before`, and rule.interleaved is false. Summaries (means, aggregates, calibration) are never
 * rows. There are no looks and so neither intervals nor words.
 * Refused: what is none of these (FORMAT, with a way out where there is one), a file without a single value (FORMAT), one over the
 * limits (TOO_LARGE). A single value that cannot be understood is left out and noted, and `changed` stays false.
 */
#ifndef STORED_READ_H
#define STORED_READ_H

#include "record_read.h"

/* For a file that is still being read: true where stored_read refuses whatever begins with these n bytes, for a reason that it sees in
 * them. So nothing has to be read to its end that is no file with results, or has no end. */
bool stored_unrecognised(const char *text, size_t n);

enum tare_status stored_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err);

#endif
