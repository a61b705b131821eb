#!/usr/bin/env python3
"""Holds the page to its promises in a real browser: light, dark, 390 px wide, and without its script.

    browser_test.py RESULTS.json (--page PAGE.html | --writer PROGRAM) --out FOLDER [--plants]

PROGRAM writes the page of a results.json: `PROGRAM RESULTS.json PAGE.html`. FOLDER takes the screenshots.
--plants spoils the page in one way after the other and sees each caught. Exits 77, with the reason, where there
is no Chromium.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import browser

WIDE, NARROW = (1280, 900), (390, 844)


def value_at(results, pointer):
    """The value, or KeyError."""
    now = results
    for key in pointer.split("/")[1:]:
        if isinstance(now, list):
            if not key.isdigit() or int(key) >= len(now):
                raise KeyError(pointer)
            now = now[int(key)]
        elif isinstance(now, dict) and key in now:
            now = now[key]
        else:
            raise KeyError(pointer)
    return now


def number_in(text):
    got = re.match(r"[✓✗?○–!<>~]?\s*([-+]?(?:inf|[\d.]+(?:e[-+]?\d+)?))", text.replace(",", ""))
    return float(got.group(1)) if got else math.nan


def agrees(text, value):
    """Whether what a cell says is that value, to the two digits that it shows at least."""
    if text == "":
        return False
    if value is None:
        return not re.match(r"[-+]?[1-9]", text)  # no number may stand where there is none
    if isinstance(value, bool):
        return text == ("yes" if value else "no")
    if isinstance(value, str):
        if value in ("inf", "nan", "-inf"):
            return value in text or "no bound" in text
        return " ".join(value.split()) in text or text == "(empty)"
    if isinstance(value, list):
        return all(agrees(text, item) for item in value) or (not value and text == "none")
    if isinstance(value, dict):
        judged = {k: v for k, v in value.items() if k not in ("REFUSED", "UNSUPPORTED", "NOT RUN", "NOTE") and v}
        return all(f"{k} {v:,}" in text or (k == text and len(judged) == 1) for k, v in judged.items())
    if text.endswith("%"):
        if text[0] in "<>":
            return value < 0.001 if text[0] == "<" else value > 0.999
        return abs(number_in(text) / 100 - value) <= 0.00051
    shown = number_in(text)
    return abs(shown - value) <= 0.0501 * abs(value) or (math.isinf(shown) and abs(value) > 1.7e308)


class Test:
    """One page in one browser. Each check gives its faults, one line each; none: it holds."""

    def __init__(self, page, results, chromium, out=None):
        self.browser, self.page, self.results, self.out = chromium, page, results, out
        self.said = []
        self.main = "table.champions"  # what is sorted and filtered; without one, the first table of verdicts

    def open(self, size=WIDE, dark=False, script=True):
        b, self.size = self.browser, size
        b.send("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size == NARROW)
        b.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        b.send("Emulation.setScriptExecutionDisabled", value=not script)
        b.open(self.page)
        if script:
            b.run("new Promise((good, bad) => { const until = Date.now() + 240000; const look = () => {"
                  " const at = document.getElementById('self-test');"
                  " if (at && at.dataset.result) good(1); else if (Date.now() > until) good(0); else setTimeout(look, 20); };"
                  " look(); })")

    def quiet(self):
        """No console error, no exception, and no request but for the page itself."""
        faults = []
        self.browser.run("1")  # lets what was under way arrive
        home = "file://" + os.path.abspath(self.page)
        for event in self.browser.events:
            what, p = event.get("method"), event.get("params", {})
            if what == "Runtime.exceptionThrown":
                details = p["exceptionDetails"]
                faults.append("an exception: " + details.get("exception", {}).get("description", details["text"])[:200])
            elif what == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                faults.append("on the console: " + str([a.get("value") for a in p["args"]])[:200])
            elif what == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                faults.append("in the log: " + p["entry"]["text"][:200])
            elif what == "Network.requestWillBeSent":
                url = p["request"]["url"].split("#")[0]
                if url != home and not url.startswith(("data:", "about:")):
                    faults.append("a request leaves the page: " + url[:200])
        return faults

    def self_test(self):
        """The page's own test passes, and has looked at something."""
        got = self.browser.run("(() => { const at = document.getElementById('self-test');"
                               " return at ? [at.dataset.result || 'not run', at.textContent] : ['nowhere', '']; })()")
        self.said.append(got[1].strip())
        return [] if got[0] == "passed" else [f"the self-test: {got[0]}: {got[1][:300]}"]

    def sources(self):
        """Each number's pointer leads to a value of the results that is what the page says."""
        cells = self.browser.run("normcheckPage.cells()")
        faults, compared = [], 0
        for source, text in cells:
            try:
                value = value_at(self.results, source)
            except KeyError:
                # What the results leave out is shown as such.
                if not re.match(r"not run|none judged|no |0$|this build|not kept", text):
                    faults.append(f"{source} is nowhere in the results; the page shows {text[:60]}")
                continue
            if isinstance(value, dict) and not source.endswith("/verdicts"):
                continue  # a part of the page, not a number
            compared += 1
            if source.endswith("largest_finite/error_ulp"):
                text = text.split(";")[0]
            if not agrees(text, value):
                faults.append(f"{source} is {value}, and the page shows {text[:80]}")
        self.said.append(f"{compared} cells agree with the values at their pointers")
        return faults[:10] + ([] if compared > 100 else [f"only {compared} cells have a source"])

    def no_blank(self):
        blank = self.browser.run("Array.from(document.querySelectorAll('td,th')).filter(c => !c.textContent.trim() &&"
                                 " !c.querySelector('svg')).length")
        return [f"{blank} blank cells"] if blank else []

    def fits(self):
        """The page itself never scrolls sideways."""
        wide = self.browser.run("document.documentElement.scrollWidth")
        return [] if wide <= self.size[0] else [f"the page is {wide} px wide in a window of {self.size[0]} px"]

    def legible(self):
        """Text stands out from what is behind it: a ratio of 4.5 at least, by the formula of WCAG 2."""
        worst = self.browser.run("""(() => {
          const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
          const rgb = c => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); return pen.getImageData(0, 0, 1, 1).data; };
          const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
          const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c)[3] > 200) return rgb(c); } return [255, 255, 255]; };
          const kinds = new Map();
          for (const e of document.querySelectorAll('body *')) {
            if (!Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim()) || e.closest('svg,script,style,select')) continue;
            const key = e.tagName + '.' + e.className + '<' + (e.parentElement.className || e.parentElement.tagName);
            if (!kinds.has(key)) kinds.set(key, e);
          }
          let worst = [99, ''];
          for (const [key, e] of kinds) {
            const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
            const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
            if (ratio < worst[0]) worst = [ratio, key];
          }
          return [worst[0], worst[1], kinds.size];
        })()""")
        self.said.append(f"contrast {worst[0]:.1f} at least, over {worst[2]} kinds of text")
        return [] if worst[0] >= 4.5 else [f"hard to read: contrast {worst[0]:.2f} of {worst[1]}"]

    def glyphs(self):
        """A verdict that is not good is told apart by more than its colour."""
        bare = self.browser.run("(() => { const bare = []; for (const [css, of] of [['P', /PASS/], ['F', /FAIL/], ['V', /VOID|VACUOUS/]]) {"
                                " const cells = Array.from(document.querySelectorAll('td.' + css)); if (!cells.length && css !== 'V') bare.push('no ' + css);"
                                " for (const c of cells) if (!/[✓✗○]/.test(getComputedStyle(c, '::before').content)) bare.push(c.textContent);"
                                " for (const c of document.querySelectorAll('td.t')) if (new RegExp('^(' + of.source + ')').test(c.textContent)) bare.push(c.textContent);"
                                " } return bare; })()")
        return [f"{len(bare)} verdicts without a glyph: {bare[:3]}"] if bare else []

    def column(self, table, column):
        return self.browser.run(
            f"(() => {{ const t = document.querySelector('{table}'); const parts = t.querySelectorAll(':scope > tbody.e');"
            " const rows = parts.length ? Array.from(parts, p => p.rows[0]) : Array.from(t.tBodies[0].rows);"
            f" return rows.map(r => r.cells[{column}].innerText.trim()); }})()")

    def sorts(self):
        """A click on a head sorts, another turns it round; what has no number comes last both times."""
        faults = []
        for table, column in ((self.main, 3), ("table.verdicts", 3), (self.main, 0)):
            before = sorted(self.column(table, column))
            for descending in (False, True):
                self.browser.click(f"document.querySelector('{table} thead').rows[0].cells[{column}].querySelector('button')")
                got = self.column(table, column)
                if sorted(got) != before:
                    faults.append(f"sorting {table} loses rows")
                keys = [g if column == 0 else number_in(g) for g in got]
                numbers = [k for k in keys if k == k]
                if keys[:len(numbers)] != numbers:
                    faults.append(f"{table}: what has no number is not last: {got[:8]}")
                if numbers != sorted(numbers, reverse=descending):
                    faults.append(f"{table} column {column} is not sorted {'down' if descending else 'up'}: {got[:8]}")
                if len(set(numbers)) < 3:
                    faults.append(f"{table} column {column} has too little to sort")
        return faults

    def filters(self):
        """What is typed, and the dtype, leave the rows that have them."""
        b, faults = self.browser, []
        rows = (f"(() => {{ const t = document.querySelector('{self.main}'), parts = t.querySelectorAll(':scope > tbody.e');"
                " return (parts.length ? Array.from(parts, p => p.rows[0]) : Array.from(t.tBodies[0].rows))"
                ".map(r => [r.offsetParent !== null, r.innerText, r.cells[1].innerText]); })()")
        tools = f"document.querySelector('{self.main}').closest('.box').previousElementSibling"
        of = len(b.run(rows))
        b.click(f"{tools}.querySelector('input')")
        b.send("Input.insertText", text="two_pass/f32")
        kept = [r for r in b.run(rows) if r[0]]
        if not 0 < len(kept) < of or any("two_pass/f32" not in r[1] for r in kept):
            faults.append(f"the filter leaves {len(kept)} of {of} rows: {[r[1][:40] for r in kept][:3]}")
        status = b.run(f"{tools}.querySelector('[role=status]').textContent")
        if status != f"{len(kept)} of {of} shown":
            faults.append(f"the filter says {status}")
        b.run(f"(() => {{ const s = {tools}.querySelector('select'); s.value = 'bf16'; s.dispatchEvent(new Event('change')); }})()")
        both = [r for r in b.run(rows) if r[0]]
        if len(both) >= len(kept) or any(r[2] != "bf16" for r in both):
            faults.append(f"the filter for bf16 leaves {len(both)} rows")
        b.run(f"(() => {{ const [i, s] = [{tools}.querySelector('input'), {tools}.querySelector('select')]; i.value = s.value = '';"
              " i.dispatchEvent(new Event('input')); })()")
        if sum(r[0] for r in b.run(rows)) != of:
            faults.append("an empty filter hides rows")
        return faults

    def copies(self):
        """The button puts the command beside it, and nothing else, on the clipboard."""
        b = self.browser
        command = f"{self.main} code.cmd" if self.main == "table.champions" else "code.cmd"
        want = b.run(f"document.querySelector('{command}').textContent")
        b.run("navigator.clipboard.writeText('before')")
        b.click(f"document.querySelector('{command}').previousElementSibling")
        got = b.run("new Promise(good => { const until = Date.now() + 60000; const look = async () => {"
                    " const t = await navigator.clipboard.readText();"
                    " if (t !== 'before' || Date.now() > until) good(t); else setTimeout(look, 20); }; look(); })")
        return [] if got == want and got.startswith("build/release/normcheck ") else [f"copied {got[:80]!r} for {want[:80]!r}"]

    def opens_rows(self):
        """A click on an implementation shows its regimes; a source that is named leads to its number."""
        b = self.browser
        seen = "document.querySelector('tbody.e:has(summary)').rows[1].offsetParent !== null"
        before = b.run(seen)
        b.click("document.querySelector('tbody.e summary')")
        faults = [] if not before and b.run(seen) else ["the regimes of a row do not open"]
        if not b.run("document.querySelectorAll('code.ptr').length"):
            self.said.append("no recommendation names a source")
            return faults
        b.click("document.querySelector('code.ptr')")
        if not b.run("document.querySelectorAll('.found').length === 1 && document.querySelector('.found').offsetParent !== null"):
            faults.append("a named source leads nowhere")
        return faults

    def points(self):
        """Pointing at a number names its source."""
        b = self.browser
        b.click(f"document.querySelector('{self.main}').tBodies[0].rows[0].cells[3]")
        got = b.run("document.getElementById('where').textContent")
        return [] if re.fullmatch(r"results\.json /(champions/\d+|entries/\d+/total/largest_finite)/error_ulp", got) else [f"pointing at a number says {got!r}"]

    def labels(self):
        """No label of the plots of cost lies on another, or outside its plot, and there are some."""
        got = self.browser.run("""(() => Array.from(document.querySelectorAll('#cost figure svg'), svg => {
          const frame = svg.getBoundingClientRect();
          const texts = Array.from(svg.querySelectorAll('text'), t => [t.textContent, t.getBoundingClientRect()]);
          const faults = [];
          for (const [i, [a, r]] of texts.entries()) {
            if (r.left < frame.left - 1 || r.right > frame.right + 1) faults.push(a + ' leaves the plot');
            for (const [b, q] of texts.slice(i + 1))
              if (r.left < q.right - 1 && q.left < r.right - 1 && r.top < q.bottom - 2 && q.top < r.bottom - 2) faults.push(a + ' lies on ' + b);
          }
          return [texts.length, faults];
        }))()""")
        if not got:
            self.said.append("no plot of cost")
            return []
        self.said.append(f"{sum(n for n, _ in got)} texts in {len(got)} plots of cost")
        return [f for _, faults in got for f in faults][:5] + (["a plot of cost without words"] if any(n < 8 for n, _ in got) else [])

    def shows_again(self):
        """Pointing at a number of a map or a curve names the command that shows it again, and a click copies it."""
        b, faults = self.browser, []
        for where, key in (("#heat table.heat[data-replay] tr[data-case] td[data-i]", "heat"), ("#panels tr[data-case] td[data-i]", "points")):
            b.run(f"(() => {{ for (let e = document.querySelector('{where}'); e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true; }})()")
            if not b.run(f"!!document.querySelector('{where}')"):
                faults.append(f"nothing to show again in {key}")
                continue
            b.run("navigator.clipboard.writeText('before')")
            b.click(f"document.querySelector('{where}')")
            got = b.run("new Promise(good => { const until = Date.now() + 60000; const look = async () => {"
                        " const t = await navigator.clipboard.readText();"
                        " if (t !== 'before' || Date.now() > until) good(t); else setTimeout(look, 20); }; look(); })")
            if not re.fullmatch(r"build/release/normcheck replay kappa-[\d.e+]+-b?f\d+-\d+x\d+-\d+ .*--impl \S+", got):
                faults.append(f"a click in {key} copies {got[:90]!r}")
        return faults

    def without_script(self):
        """All is there to read, and nothing is offered that would not work."""
        self.open(script=False)
        root = self.browser.send("DOM.getDocument", depth=0)["root"]["nodeId"]
        faults = []
        sections = self.browser.send("DOM.querySelectorAll", nodeId=root, selector="section")["nodeIds"]
        if len(sections) < 11:
            faults.append(f"{len(sections)} sections")
        for node in sections:
            try:
                box = self.browser.send("DOM.getBoxModel", nodeId=node)["model"]
                if box["height"] < 40:
                    faults.append(f"a section is {box['height']} px high without the script")
            except browser.BrowserError:
                faults.append("a section is not shown without the script")
        if self.browser.send("DOM.querySelectorAll", nodeId=root, selector="button,input,select")["nodeIds"]:
            faults.append("something to click that does nothing without the script")
        return faults

    def shot(self, name, top=None):
        if self.out:
            if top:
                self.browser.run(f"document.getElementById('{top}').scrollIntoView()")
            self.browser.screenshot(self.out / f"{name}.png")

    def all(self):
        """{check: faults}"""
        found = {}
        for name, size, dark in (("light", WIDE, False), ("dark", WIDE, True), ("narrow", NARROW, False), ("narrow dark", NARROW, True)):
            self.open(size, dark)
            self.shot(name.replace(" ", "_"))
            for section in ("verdicts", "panels", "heat", "floor", "champions", "cost", "peers"):
                self.shot(f"{name.replace(' ', '_')}_{section}", section)
            for check in (self.self_test, self.no_blank, self.fits, self.legible, self.labels, self.quiet):
                found[f"{name}: {check.__name__}"] = check()
        self.open()
        if not self.browser.run("document.querySelectorAll('table.champions').length"):
            self.main = "table.verdicts"
            self.said.append("no largest known errors: sorting, filtering and copying are tried elsewhere")
        for check in (self.sources, self.glyphs, self.sorts, self.filters, self.copies, self.opens_rows, self.points, self.shows_again, self.quiet):
            found[check.__name__] = check()
        found["without_script"] = self.without_script()
        return found


def put(before, what):
    """Puts `what` in front of `before`."""
    return lambda page: page.replace(before, what + before, 1)


POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n')
# What is spoilt, how, and the check that must say so.
PLANTS = [
    ("a blank cell", lambda p: re.sub(r"(<tr data-from=\"/champions/1\">(?:<td[^>]*>[^<]*){3}<td>)[^<]+", r"\1", p, count=1), "no_blank"),
    ("a blank cell", lambda p: re.sub(r"(<tr data-from=\"/champions/1\">(?:<td[^>]*>[^<]*){3}<td>)[^<]+", r"\1", p, count=1), "self_test"),
    ("another number", lambda p: re.sub(r"(<tr data-from=\"/champions/1\">(?:<td[^>]*>[^<]*){3}<td>)[^<]+", r"\g<1>77.7", p, count=1), "sources"),
    ("numbers of another row", lambda p: p.replace('data-from="/champions/1"', 'data-from="/champions/2"'), "sources"),
    ("a source that is nowhere", lambda p: p.replace('data-from="/champions/1"', 'data-from="/champions/900"'), "sources"),
    ("another number in the sample", lambda p: re.sub(r'(id=sample>.*?/error_ulp":)[^,}]+', r"\g<1>77.7", p, count=1), "self_test"),
    ("a colour alone", lambda p: re.sub(r"\.F::before\{[^}]*\}", "", p, count=1), "glyphs"),
    ("a broken sort", lambda p: p.replace("x < y ? -1 : x > y ? 1 : 0", "0"), "sorts"),
    ("a sort by letters", lambda p: p.replace("if (!isNaN(x) && !isNaN(y)) return", "if (false) return"), "sorts"),
    ("a broken filter", lambda p: p.replace("unit.hidden = !fits", "unit.hidden = false"), "filters"),
    ("a filter without dtype", lambda p: p.replace("(!dtype ||", "(true ||"), "filters"),
    ("a copy of something else", lambda p: p.replace("copy(code.textContent)", "copy('normcheck')"), "copies"),
    ("regimes that stay shut", lambda p: p.replace(".e:has([open])>tr+tr{display:table-row}", ""), "opens_rows"),
    ("a silent pointer", lambda p: p.replace("'results.json ' + source", "''"), "points"),
    ("a label on another", lambda p: re.sub(r"(<section id=cost>.*?<text x=\")[\d.]+(\" y=\")[\d.]+(\" text-anchor=\"(?:start|end)\">[a-z_]{5,})", r"\g<1>60\g<2>22\g<3>", p, count=1, flags=re.S), "labels"),
    ("a map without its inputs", lambda p: re.sub(r" data-case=\"kappa-\*[^\"]*\"", "", p), "shows_again"),
    ("a click that copies nothing", lambda p: p.replace("if (again && await copy(again))", "if (false)"), "shows_again"),
    ("a console error", put("</body>", "<script>console.error('planted')</script>"), "quiet"),
    ("an exception", put("</body>", "<script>throw new Error('planted')</script>"), "quiet"),
    ("a request, without the policy", lambda p: POLICY.sub("", p).replace("</body>", '<img src="http://example.invalid/x.png" alt=x></body>'), "quiet"),
    ("a request against the policy", put("</body>", '<img src="http://example.invalid/x.png" alt=x>'), "quiet"),
    ("a wide block", put("</body>", '<div style="width:900px">wide</div>'), "fits"),
    ("pale text", put("</style>", "td.x{color:#888}"), "legible"),
    ("a page that waits for its script", put("</style>", "section{display:none}"), "without_script"),
]


def plants(page, results, chromium, out):
    """The plants that were not caught, as lines."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    missed = []
    for what, spoil, check in PLANTS:
        spoilt = out / "planted.html"
        changed = spoil(text)
        if changed == text:
            missed.append(f"{what}: the page has nothing to spoil so")
            continue
        spoilt.write_text(changed, encoding="utf-8")
        test = Test(spoilt, results, chromium)
        test.open(NARROW if check == "fits" else WIDE)
        found = getattr(test, check)()
        print(f"  {'caught' if found else 'MISSED'}  {what}, by {check}{': ' + found[0][:90] if found else ''}")
        if not found:
            missed.append(f"{what} is not caught by {check}")
    return missed


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("results", type=pathlib.Path)
    parse.add_argument("--page", type=pathlib.Path)
    parse.add_argument("--writer")
    parse.add_argument("--out", type=pathlib.Path, required=True)
    parse.add_argument("--plants", action="store_true")
    options = parse.parse_args()
    program = browser.find()
    if program is None:
        print("skipped: no Chromium (Debian: apt-get install chromium)")
        return 77
    options.out.mkdir(parents=True, exist_ok=True)
    page = options.page or options.out / "index.html"
    if options.page is None:
        subprocess.run([options.writer, str(options.results), str(page)], check=True)
    size = page.stat().st_size
    results = json.loads(options.results.read_text(encoding="utf-8"))
    with browser.Browser(program) as chromium:
        chromium.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        chromium.send("Emulation.setFocusEmulationEnabled", enabled=True)
        test = Test(page, results, chromium, options.out)
        found = test.all()
        found["under 1.5 MB"] = [] if size < 1_500_000 else [f"{size} bytes"]
        for name, faults in found.items():
            print(f"  {'ok    ' if not faults else 'FAILED'}  {name}" + "".join("\n          " + f for f in faults))
        for line in dict.fromkeys(test.said):
            print("  " + line)
        missed = plants(page, results, chromium, options.out) if options.plants else []
    bad = sum(bool(f) for f in found.values())
    for line in missed:
        print("  FAILED  " + line)
    print(f"{size:,} bytes; {len(found) - bad} of {len(found)} checks hold" +
          (f"; {len(PLANTS) - len(missed)} of {len(PLANTS)} plants caught" if options.plants else "") +
          f"; screenshots in {options.out}")
    return 1 if bad or missed else 0


if __name__ == "__main__":
    sys.exit(main())
