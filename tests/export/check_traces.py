#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the golden exports of traced programs with readers that are not ours, as far as they are installed; says which were not."""
import csv
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

golden = pathlib.Path(sys.argv[1])
absent = []


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def has(tool):
    if not shutil.which(tool):
        absent.append(tool)
    return shutil.which(tool)


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, **more)
    check(done.returncode == 0, f"{words}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def refuse(word):
    raise ValueError(f"{word} is not JSON")


def strict(path):
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


# ---- arcs ----

def check_arcs(name):
    lines = [json.loads(x, parse_constant=refuse) for x in (golden / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    arcs = [x for x in lines if x["type"] == "arc"]
    points = [x for x in lines if x["type"] == "point"]
    rows = list(csv.DictReader((golden / f"{name}.csv").open(encoding="utf-8", newline="")))
    passed = [x for x in rows if x["runs_passed"] != "0"]
    check(len(rows) == len(arcs) + sum(p["n"] == 0 for p in points), f"{name}: arcs and idle points in CSV")
    for arc, row in zip(arcs, passed):
        check(float(row["total_ns"]) == arc["total_ns"] and int(row["passes"]) == arc["n"], f"{name}: figures in CSV")
        check(int(row["from_line"]) == arc["from"]["line"], f"{name}: places in CSV")
    for program in {x["program"] for x in arcs}:
        share = sum(x["share"] for x in arcs if x["program"] == program)
        check(abs(share - 1) < 1e-9, f"{name}: shares add up")

    picture = xml.parse(golden / f"{name}.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    check(len(picture.findall(f".//{space}rect[@class='box']")) == sum(p["n"] > 0 for p in points), f"{name}: a box for each passed point")
    heads = [x for x in picture.iter(f"{space}path") if x.get("class", "").startswith("h")]
    check(len(heads) == len(arcs), f"{name}: a head for each arc")
    page = (golden / f"{name}.html").read_text(encoding="utf-8")
    check_page(page, len(arcs), name)
    if has("dot"):
        drawn = xml.fromstring(run("dot", "-Tsvg", golden / f"{name}.dot"))
        classes = [x.get("class") for x in drawn.iter(f"{space}g")]
        check(classes.count("edge") == len(arcs) and classes.count("node") == len(points), f"{name}: nodes and edges that dot drew")
    mermaid = (golden / f"{name}.mmd").read_text(encoding="utf-8")
    check(len(re.findall(r'^    p\dn\d+ -->\|"[^"\n]*"\| p\dn\d+$', mermaid, re.M)) == len(arcs), f"{name}: arrows of Mermaid")
    check(len(re.findall(r'^    p\dn\d+\["[^"\n]*"\](?::::idle)?$', mermaid, re.M)) == len(points), f"{name}: nodes of Mermaid")
    table = (golden / f"{name}.md").read_text(encoding="utf-8")
    for line in table.splitlines():
        if line.startswith("| "):
            check(len(re.split(r"(?<!\\)\|", line)) == 13, f"{name}: columns of Markdown: {line}")
    if has("pdflatex"):
        check_latex(name)


class Page(html.parser.HTMLParser):
    void = {"meta", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.loads = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [v for k, v in attrs if (k in ("src", "href") and not v.startswith("data:")) or k.startswith("on")]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open.pop() == tag, f"</{tag}> closes what is open")


def check_page(text, arcs, name):
    page = Page()
    page.feed(text)
    check(not page.open, f"{name}: all elements are closed")
    check(page.tags.count("script") == 1 and not page.loads, f"{name}: no script but the page's own, nothing loaded")
    check(text.count('<td class="place"') == 2 * arcs, f"{name}: a row for each arc")


def check_latex(name):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(golden / f"{name}.tex", folder)
        text = "\\documentclass{article}\\usepackage[utf8]{inputenc}\\begin{document}\\input{%s}\\end{document}" % name
        (pathlib.Path(folder) / "whole.tex").write_text(text)
        run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "whole.tex", cwd=folder)


# ---- events ----

def check_events(name):
    folded = 0
    for line in (golden / f"{name}.folded").read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        check(stack and all(part for part in stack.split(";")) and count.isdigit(), f"{name}: {line}")
        folded += int(count)
    if has("callgrind_annotate"):
        text = run("callgrind_annotate", golden / f"{name}.callgrind").decode(errors="replace")
        told = re.findall(r"^c?(f[lien])=(\(\d+\)) ", (golden / f"{name}.callgrind").read_text(encoding="utf-8"), re.M)
        told = [(key == "fn", number) for key, number in told]
        check(told and len(told) == len(set(told)), f"{name}: callgrind's names are told once")
        total = int(re.search(r"^([\d,]+) \(100.0%\)", text, re.M).group(1).replace(",", ""))
        check(total == folded, f"{name}: callgrind_annotate says {total}, folded stacks {folded}")
    check_chrome(name)
    check_speedscope(name, folded)


def check_chrome(name):
    stacks, now, named, counters = {}, {}, set(), set()
    for event in strict(golden / f"{name}.trace.json")["traceEvents"]:
        thread = event["pid"], event["tid"]
        if event["ph"] == "M" and event["name"] == "thread_name":
            named.add(thread)
        if event["ph"] == "C":
            counters.add((event["name"], event["id"], event["tid"]))
        if event["ph"] not in "BE":
            continue
        check(event["ts"] >= now.get(thread, 0), f"{name}: events of Chrome are in order")
        now[thread] = event["ts"]
        if event["ph"] == "B":
            stacks.setdefault(thread, []).append(event["name"])
        else:
            check(stacks[thread].pop() == event["name"], f"{name}: events of Chrome are nested")
    check(stacks and not any(stacks.values()), f"{name}: events of Chrome end")
    check(named == set(stacks), f"{name}: threads of Chrome have names")
    check(len({x[:2] for x in counters}) == len({x[2] for x in counters}) == 2, f"{name}: Chrome keeps the counters of threads apart")


def check_speedscope(name, folded):
    file = strict(golden / f"{name}.speedscope.json")
    for profile in file["profiles"]:
        if profile["type"] == "sampled":
            check(len(profile["samples"]) == len(profile["weights"]) and sum(profile["weights"]) == folded, f"{name}: weights of speedscope")
            continue
        stack, now = [], 0
        for event in profile["events"]:
            check(event["at"] >= now and event["frame"] < len(file["shared"]["frames"]), f"{name}: order of events")
            now = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                check(stack.pop() == event["frame"], f"{name}: frames are closed in order")
        check(not stack and now <= profile["endValue"], f"{name}: all frames are closed")


for each in ("arcs", "arcs_hostile"):
    check_arcs(each)
for each in ("events", "events_hostile"):
    check_events(each)
print("ok" + "".join(f"; {tool} is not installed" for tool in sorted(set(absent))))
