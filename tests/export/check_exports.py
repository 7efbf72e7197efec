#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the golden exports with readers that are not ours; with hyperfine at hand also compares its keys and columns with ours."""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

golden = pathlib.Path(sys.argv[1])
data = pathlib.Path(sys.argv[2])


def refuse(word):
    raise ValueError(f"{word} is not JSON")


def strict(text):
    return json.loads(text, parse_constant=refuse)


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def in_order(expected, found):
    """All of expected are in found, in the same order."""
    rest = iter(found)
    return all(word in rest for word in expected)


def records():
    for path in sorted(data.glob("*.tare.jsonl")):
        lines = [strict(line) for line in path.read_text(encoding="utf-8").splitlines()]
        check(lines[0]["type"] == "header" and lines[-1]["type"] == "trailer", f"{path} begins and ends as a record")
        check(lines[-1]["counts"]["lines"] == len(lines) - 1, f"{path}: lines counted")
        content = path.read_bytes()
        before = content[: content.rindex(b"\n", 0, -1) + 1]
        hashed = 0xCBF29CE484222325
        for byte in before:
            hashed = (hashed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        check(lines[-1]["hash"] == f"{hashed:016x}", f"{path}: hash")
        check(lines[-1]["counts"]["bytes"] == len(before), f"{path}: bytes counted")
        yield path.name.split(".")[0], lines


def times_of(lines, series):
    columns = next(x for x in lines if x["type"] == "columns" and x["series"] == series)["ids"]
    at = columns.index("wall") + 3
    rows = [x["row"] for x in lines if x["type"] == "row" and x["series"] == series]
    return [row[at] / 1e9 for row in rows if not row[2] & 4]


def check_clocks(exported, lines):
    """Every subject of a session of tare clock is in the list of its kind, with its rows."""
    lists = {"clock": "clocks", "serialiser": "serialisers", "timer": "timers", "experiment": "experiments"}
    subjects = [x for x in lines if x["type"] == "subject"]
    for kind, key in lists.items():
        names_of_kind = [x["name"] for x in subjects if x["kind"] == kind]
        check(names_of_kind and [x["name"] for x in exported[key]] == names_of_kind, f"{key} in JSON")
    sleep = next(x for x in subjects if "asked_ns" in [p["name"] for p in x["parameters"]])
    item = next(x for x in exported["experiments"] if x["name"] == sleep["name"])
    walls = next(x for x in item["series"] if x["metric"] == "wall")["values"]
    check([w / 1e9 for w in walls] == times_of(lines, sleep["index"]), "wall times of an experiment")
    check("results" not in exported and "rule" not in exported["environment"], "a session of clocks has no commands and no rule")


def check_picture(path):
    """Well-formed, and all that is drawn lies within the view box."""
    root = xml.parse(path).getroot()
    width, height = map(float, root.get("viewBox").split()[2:])
    check(root.tag == "{http://www.w3.org/2000/svg}svg", f"{path} is SVG")
    for item in root.iter("{http://www.w3.org/2000/svg}circle"):
        check(0 <= float(item.get("cx")) <= width and 0 <= float(item.get("cy")) <= height, f"{path}: a mark is in the picture")


def escaped(subject):  # bytes that are no UTF-8 stand as \xNN in the tables
    if "name_hex" in subject:
        return bytes.fromhex(subject["name_hex"]).decode("utf-8", "backslashreplace")
    return subject["name"]


for picture in sorted(golden.glob("*.svg")):
    check_picture(picture)

for name, lines in records():
    exported = strict((golden / f"{name}.json").read_text(encoding="utf-8"))
    if not any(x["type"] == "subject" and x["kind"] in ("command", "noop") for x in lines):
        check_clocks(exported, lines)
        continue
    table = list(csv.DictReader((golden / f"{name}.csv").open(encoding="utf-8", newline="")))
    commands = [x for x in lines if x["type"] == "subject" and x["kind"] == "command"]
    check([r["command"] for r in exported["results"]] == [c["name"] for c in commands], f"{name}: commands in JSON")
    check([r["command"] for r in table] == [escaped(c) for c in commands], f"{name}: commands in CSV")
    for result, row, command in zip(exported["results"], table, commands):
        check(result["times"] == times_of(lines, command["index"]), f"{name}: times are those of the rows")
        check(len(result["times"]) == result["runs"] == int(row["runs"]), f"{name}: runs")
        for key, column in (("mean", "mean"), ("stddev", "stddev"), ("median_low", "median_low"), ("system", "system")):
            check(row[column] == "" if result[key] is None else float(row[column]) == result[key], f"{name}: {key}")


def once(pairs):
    check(len({key for key, value in pairs}) == len(pairs), f"keys stand once: {pairs}")
    return dict(pairs)


def check_openmetrics(path):
    """Families follow each other, each with its head, and no sample is there twice; the values by name and labels."""
    lines, family, seen, values = path.read_text(encoding="utf-8").splitlines(), None, set(), {}
    check(lines[-1] == "# EOF", f"{path}: its end")
    for line in lines[:-1]:
        if line.startswith("# TYPE "):
            family = line.split(" ")[2]
            check(family not in seen, f"{path}: {family} is one family")
            seen.add(family)
        elif line.startswith("#"):
            check(line.split(" ")[2] == family, f"{path}: {line}")
        else:
            sample, value = line.rsplit(" ", 1)
            check(sample.startswith(family + "{") and sample not in values, f"{path}: {sample}")
            values[sample] = float(value)
    if shutil.which("promtool") and path.name != "hostile.om":  # whose names are no good names of metrics
        found = subprocess.run(["promtool", "check", "metrics"], input=path.read_bytes(), capture_output=True)
        check(found.returncode == 0, f"{path}: promtool says {found.stderr}")
    return values


for path in sorted(golden.glob("*.om")):
    name = path.name[: -len(".om")]
    metrics = check_openmetrics(path)
    bencher = json.loads((golden / f"{name}.bmf.json").read_text(encoding="utf-8"), parse_constant=refuse, object_pairs_hook=once)
    action = strict((golden / f"{name}.action.json").read_text(encoding="utf-8"))
    check(len({bench["name"] for bench in action}) == len(action), f"{name}: names in the list for github-action-benchmark")
    table = list(csv.reader((golden / f"{name}.otava.csv").open(encoding="utf-8", newline="")))
    check(len(table) == 2 and len(table[0]) == len(table[1]), f"{name}: otava's table has one line")
    medians = sum(len(measures) for measures in bencher.values())
    check(medians == len(table[0]) - 2 == sum('statistic="median"' in sample for sample in metrics), f"{name}: as many medians in each")
    if name in ("schema1", "scan"):
        for result in strict((golden / f"{name}.json").read_text(encoding="utf-8"))["results"]:
            if "command_hex" not in result:
                sample = f'tare_wall_seconds{{command="{result["command"]}",statistic="median"}}'
                check(metrics[sample] == result["median"], f"{name}: {sample}")
                check(round(bencher[result["command"]]["latency"]["value"] - result["median"] * 1e9, 3) == 0, f"{name}: latency")


def contrast(mark, paper, opacity):
    """WCAG 2: of a mark with that opacity on paper."""

    def light(colour):
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    mark, paper = ([int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)] for colour in (mark, paper))
    both = sorted(light(colour) + 0.05 for colour in (paper, [opacity * m + (1 - opacity) * p for m, p in zip(mark, paper)]))
    return both[1] / both[0]


bright, dark = (golden / "schema1.html").read_text(encoding="utf-8").split("@media screen and (prefers-color-scheme:dark){")
for style, paper in ((bright, "ffffff"), (dark, "16181d")):
    for kind in ("run", "bar0", "bar1"):
        fill, opacity = re.search(rf"\.{kind}{{fill:#([0-9a-f]{{6}});fill-opacity:([.0-9]+)", style).groups()
        check(contrast(fill, paper, float(opacity)) >= 3, f"{kind} alone is seen on {paper}")

names = strict((golden / "names.json").read_text(encoding="utf-8"))
back = [bytes.fromhex(r["command_hex"]) if "command_hex" in r else r["command"].encode() for r in names["results"]]
check(b"not \xff utf-8 \xc3" in back and b"two\nlines\tand\x1b[31mcolour\xc2\x9b" in back, "bytes of names")

if shutil.which("hyperfine"):
    with tempfile.TemporaryDirectory() as folder:
        theirs = pathlib.Path(folder)
        files = [f"--export-{kind}={theirs / kind}" for kind in ("json", "csv", "markdown", "asciidoc", "orgmode")]
        subprocess.run(["hyperfine", "-N", "-r", "2", "-P", "n", "1", "2", *files, "true {n}"], check=True, capture_output=True)
        ours = strict((golden / "schema1.json").read_text(encoding="utf-8"))
        check(in_order(strict((theirs / "json").read_text())["results"][0], ours["results"][0]), "hyperfine's JSON keys come first")
        header = (theirs / "csv").read_text().splitlines()[0].split(",")
        mine = (golden / "schema1.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
        check(in_order(header, mine) and mine[: len(header) - 1] == header[:-1], "hyperfine's CSV columns come first")
        for kind, extension in (("markdown", "md"), ("orgmode", "org")):
            row = [cell.strip().split(" ")[0] for cell in (theirs / kind).read_text().splitlines()[0].strip("|").split("|")]
            mine = (golden / f"schema1.{extension}").read_text(encoding="utf-8").splitlines()[0].strip("|").split("|")
            check([cell.strip().split(" ")[0] for cell in mine][: len(row)] == row, f"hyperfine's {kind} columns come first")
print("ok")
