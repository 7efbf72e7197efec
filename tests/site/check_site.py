# SPDX-License-Identifier: MIT
"""Reads the golden pages as a browser does and the feeds as a feed reader does: check_site.py FOLDER.

A page must be balanced, have no element, attribute or address beyond those that tare writes, and say in words what its pictures show; a feed must have what
RFC 4287 asks for. The only address outside of the site is that of a commit.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

VOID = {"meta", "link", "input"}
ELEMENTS = VOID | set(
    "html head title style script body nav h1 h2 small p a section figure figcaption svg path rect circle text div span b table tr th td "
    "details summary label main".split()
) | {"title"}
ATTRIBUTES = set(
    "lang charset name content rel href type title class id x y width height viewbox role aria-label aria-hidden d cx cy r src defer "
    "data-unit style value checked hidden tabindex".split()
)
OWN = re.compile(r"(index\.html|feed\.xml|style\.css|site\.js|commits\.js|uPlot\.min\.(js|css)|[0-9a-f]{12}\.html#.*)$", re.S)
COMMIT = re.compile(r"https://example\.org/c/[0-9a-f]+\?a=1&b=2$")


class Page(HTMLParser):
    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.open, self.ids, self.data, self.commits = name, [], set(), [], None

    def check(self, true, what):
        if not true:
            sys.exit(f"{self.name}: {what}, line {self.getpos()[0]}")

    def handle_starttag(self, tag, attributes):
        have = dict(attributes)
        self.check(tag in ELEMENTS, f"element {tag}")
        self.check(len(have) == len(attributes), f"{tag} has an attribute twice")
        for key in have:
            self.check(key in ATTRIBUTES, f"attribute {key} of {tag}")
        if "id" in have:
            self.check(have["id"] not in self.ids, f"id {have['id']} twice")
            self.ids.add(have["id"])
        for key in {"href", "src"} & set(have):
            hostile = self.name == "hostile.html.golden" and have[key].startswith("javascript:\"><script>")
            self.check(OWN.match(have[key]) or COMMIT.match(have[key]) or hostile, f"address {have[key]}")
        if tag == "svg":
            self.check("svg" in self.open or have.get("aria-hidden") or have.get("aria-label"), "a picture without a name")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        self.check(self.open and self.open[-1] == tag, f"</{tag}> within {self.open}")
        self.open.pop()

    def handle_data(self, text):
        for c in text:
            self.check(c >= " " or c == "\n", f"character {ord(c):x}")
            self.check(c not in "\u202e\u2066\ufffd", f"character {ord(c):x}")
        if self.open and self.open[-1] == "script" and text.strip():
            self.data.append(json.loads(text))


def page(path):
    p = Page(path.name)
    text = path.read_text(encoding="utf-8")
    p.feed(text)
    p.close()
    p.check(not p.open, f"{p.open} not closed")
    p.check(not re.search(r"\b(nan|inf)\b", re.sub(r"aria-label=\"[^\"]*\"", "", text)), "a figure that is none")
    for data in p.data:
        lengths = {len(data[key]) for key in ("x", "y", "low", "high")}
        p.check(len(lengths) == 1 and data["step"] > 0, "figures for the chart")
    p.check(bool(p.data) == (path.name in ("charts.html.golden", "hostile.html.golden")), "figures for a chart that is not there")


def feed(path):
    atom = "{http://www.w3.org/2005/Atom}"
    root = xml.parse(path).getroot()
    ids = set()
    for part in [root] + root.findall(atom + "entry"):
        for name in ("id", "title", "updated", "link"):
            if len(part.findall(atom + name)) != 1:
                sys.exit(f"{path.name}: {name} of {part.tag}")
        one = part.find(atom + "id").text
        if not re.match(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$", one) or one in ids:
            sys.exit(f"{path.name}: id {one}")
        ids.add(one)
        if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$", part.find(atom + "updated").text):
            sys.exit(f"{path.name}: updated")
    if root.find(atom + "author") is None:
        sys.exit(f"{path.name}: no author")


pages = sorted(pathlib.Path(sys.argv[1]).glob("*.html.golden"))
feeds = sorted(pathlib.Path(sys.argv[1]).glob("*.xml.golden"))
for path in pages:
    page(path)
for path in feeds:
    feed(path)
if len(pages) < 8 or len(feeds) < 2:
    sys.exit("there should be more golden files")
print(f"{len(pages)} pages and {len(feeds)} feeds are good")
