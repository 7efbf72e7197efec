#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens pages in Chromium: open_pages.py AXE|- PICTURES-FOLDER PAGE..., or open_pages.py --gallery PICTURES-FOLDER PAGE:FROM:HEIGHT...

Each page at three widths, light and dark, and printed. What is said on the console, every request beyond the page itself and the files of its site, an answer of axe-core and a page that is wider
than the window are faults, a line each. Arrow keys must show a value, a heading must sort. Exit 1: there are faults.
--gallery makes one picture of each page, from FROM (a selector) down to the end of the last element within so many pixels.
Chromium is spoken to through a pipe (--remote-debugging-pipe), so nothing but Python is needed.
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WIDTHS = (320, 800, 1400)
AXE = "axe.run({ preload: false }).then(r => r.violations.map(v => v.id + ' ' + v.nodes.length + ': ' + v.nodes[0].html.slice(0, 150)))"
# What a reader does: a value by an arrow key, an order by a heading. The answer: what did not work.
USE = """(() => {
    const wrong = [];
    for (const figure of document.querySelectorAll('figure[data-frame]')) {
        if (!figure.checkVisibility({ contentVisibilityAuto: true }))
            continue;
        figure.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
        const says = figure.querySelector('output').textContent;
        if (!says || /, round \\d+\\.\\d|% of the \\w+ [-\\u2212]/.test(says))
            wrong.push('no value by an arrow key: ' + figure.querySelector('svg').ariaLabel + ': ' + says);
    }
    for (const answer of document.querySelectorAll('.answer')) {
        const rows = [...answer.children].filter(line => line.textContent.trim().split(/ {2,}/).length > 4);
        if (answer.scrollWidth > answer.clientWidth || innerWidth >= 800 && rows.some(row => row.offsetHeight > 30))
            wrong.push('an answer is cut off, or a row of it has two lines');
    }
    for (const wide of document.querySelectorAll('.wide')) {
        const beyond = wide.scrollWidth - wide.clientWidth, [cover, shade] = getComputedStyle(wide).backgroundSize.split(', ').map(parseFloat);
        if (beyond > 10 && cover - beyond > shade / 5) /* more than the space within a cell */
            wrong.push('the shade of a list that is cut off is covered: ' + wide.ariaLabel);
    }
    if ([...document.querySelectorAll('figure text:not(.odd)')].some(text => getComputedStyle(text).display === 'none'))
        wrong.push('a picture lacks a text');
    if ([...document.querySelectorAll('path.line')].some(line => getComputedStyle(line).fill !== 'none'))
        wrong.push('a line is filled');
    if ([...document.querySelectorAll('.legend svg')].some(mark => mark.checkVisibility() && mark.getBoundingClientRect().width < 29))
        wrong.push('a mark of a legend is smaller than those of its chart');
    for (const button of document.querySelectorAll('table.list th button')) {
        button.click();
        if (!button.parentElement.ariaSort)
            wrong.push('no order by ' + button.textContent);
        const counts = [...button.closest('table').tBodies[0].rows].map(row => /^(\\d+) \\(.*\\), /.exec(row.cells[button.parentElement.cellIndex].textContent)?.[1]).filter(Boolean);
        if (counts.some((count, i) => i && +count < +counts[i - 1]))
            wrong.push('not in the order of ' + button.textContent + ': ' + counts);
    }
    document.querySelectorAll('p input[type=search]').forEach(input => {
        input.value = 'no such row';
        input.dispatchEvent(new Event('input'));
        if (!/^ 0 of/.test(input.closest('p').querySelector('output').textContent))
            wrong.push('no rows by words');
    });
    return wrong;
})()"""


class Browser:
    def __init__(self):
        here_in, there_out = os.pipe()
        there_in, here_out = os.pipe()

        def pass_on():  # Chromium reads from 3 and writes to 4
            read, write = os.dup(there_in), os.dup(there_out)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}"], preexec_fn=pass_on, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there_in)
        os.close(there_out)
        self.read, self.write, self.number, self.events = os.fdopen(here_in, "rb", 0), here_out, 0, []
        self.rest, self.session = b"", None

    def message(self):
        while b"\0" not in self.rest:
            piece = self.read.read(1 << 20)
            if not piece:
                sys.exit("open_pages.py: chromium ended")
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"open_pages.py: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.message())

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            return ["fails: " + answer["exceptionDetails"]["exception"].get("description", "")]
        return answer["result"].get("value")

    def begin(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()
        self.profile.cleanup()


def said(events, page):
    url, folder = page.resolve().as_uri(), page.resolve().parent
    own = url if not (folder / "site.manifest").exists() else folder.as_uri() + "/"
    for e in events:
        p = e.get("params", {})
        if e.get("method") == "Runtime.consoleAPICalled":
            yield "console: " + " ".join(str(a.get("value", a.get("description"))) for a in p["args"])
        if e.get("method") == "Runtime.exceptionThrown":
            yield "script: " + p["exceptionDetails"].get("exception", {}).get("description", p["exceptionDetails"]["text"])
        if e.get("method") == "Log.entryAdded":
            yield "console: " + p["entry"]["text"]
        if e.get("method") == "Network.requestWillBeSent" and not p["request"]["url"].startswith(own):
            yield "request: " + p["request"]["url"][:200]


def show(b, page, width, scheme):
    b.events.clear()
    b.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
    b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    b.call("Page.navigate", url=page.resolve().as_uri())
    b.wait("Page.loadEventFired")


def picture(b, to, **clip):
    shot = b.call("Page.captureScreenshot", captureBeyondViewport=True, **clip)
    to.write_bytes(base64.b64decode(shot["data"]))


def gallery(b, page, first, height, to):
    show(b, page, 880, "light")
    top = b.run(f"document.querySelector({json.dumps(first)}).getBoundingClientRect().top")
    ends = b.run("[...document.querySelectorAll('main figure, main .wide, main p:not(:has(input)), main pre')].map(e => e.getBoundingClientRect().bottom)")
    bottom = max([end for end in ends if top < end <= top + height], default=top + height)  # nothing is cut in two
    picture(b, to / f"{page.stem}.png", clip={"x": 0, "y": max(0, top - 12), "width": 880, "height": bottom - top + 12, "scale": 1})


def look_at(b, page, axe, pictures):
    faults = []
    for width in WIDTHS:
        for scheme in "light", "dark":
            show(b, page, width, scheme)
            picture(b, pictures / f"{page.stem}-{width}-{scheme}.png")
            found = list(said(b.events, page))
            b.run("document.querySelectorAll('details').forEach(d => d.open = true)")
            wide = b.run("document.documentElement.scrollWidth")
            if wide > width:
                found.append(f"{wide} pixels wide")
            if axe:
                b.run(axe + ";0")
                found += b.run(AXE)
            found += b.run(USE)
            found += list(said(b.events, page))
            faults += [f"{page.name}, {width} wide, {scheme}: {fault}" for fault in dict.fromkeys(found)]
    show(b, page, WIDTHS[-1], "light")
    pdf = b.call("Page.printToPDF", printBackground=True)
    (pictures / f"{page.stem}.pdf").write_bytes(base64.b64decode(pdf["data"]))
    return faults


def main():
    pictures, pages, browser = pathlib.Path(sys.argv[2]), sys.argv[3:], Browser()
    pictures.mkdir(exist_ok=True)
    browser.begin()
    if sys.argv[1] == "--gallery":
        for page, first, height in (p.split(":") for p in pages):
            gallery(browser, pathlib.Path(page), first, int(height), pictures)
        return browser.end()
    axe = "" if sys.argv[1] == "-" else pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    faults = [fault for page in pages for fault in look_at(browser, pathlib.Path(page), axe, pictures)]
    browser.end()
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(pages) * len(WIDTHS) * 2} views of {len(pages)} pages in Chromium{', with axe-core' if axe else ''}: {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
