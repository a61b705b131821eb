"""A headless Chromium driven over a pipe (the DevTools protocol), with nothing but the standard library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class BrowserError(RuntimeError):
    """The browser ended, did not answer in time, or refused a command."""


def find():
    """The path of a Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """One browser with one page. It resolves no name and reaches no host."""

    def __init__(self, program, deadline_s=300):
        self.deadline_s = deadline_s
        self.profile = tempfile.mkdtemp(prefix="normcheck-browser-")
        # The browser reads fd 3 and writes fd 4. Both are taken here, so that no pipe lies on them.
        held = [os.open(os.devnull, os.O_RDWR)]
        while held[-1] < 4:
            held.append(os.open(os.devnull, os.O_RDWR))
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:1", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage",
            "--disable-extensions", "--hide-scrollbars", f"--user-data-dir={self.profile}", "about:blank"]

        def wire():
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        self.log = open(os.path.join(self.profile, "log"), "wb")
        self.process = subprocess.Popen(arguments, preexec_fn=wire, pass_fds=(3, 4),
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        for fd in (to_browser, from_browser, *held):
            os.close(fd)
        self.buffer = b""
        self.next_id = 0
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")

    def _message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise BrowserError(f"no answer within {self.deadline_s} s")
            part = os.read(self.into, 1 << 16)
            if not part:
                self.log.flush()
                with open(self.log.name, "rb") as log:
                    said = log.read()[-400:].decode(errors="replace")
                raise BrowserError(f"the browser ended: {said}")
            self.buffer += part
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def send(self, method, **params):
        """One command, and its answer; events that come meanwhile are kept in `events`."""
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        until = time.monotonic() + self.deadline_s
        while True:
            answer = self._message(until)
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        """The first event of that name since the last navigation."""
        until = time.monotonic() + self.deadline_s
        seen = 0
        while True:
            for event in self.events[seen:]:
                if event.get("method") == method:
                    return event
            seen = len(self.events)
            self.events.append(self._message(until))

    def open(self, path):
        """Opens a file and waits until all of it is loaded; forgets earlier events."""
        self.send("Page.navigate", url="about:blank")
        self.send("Runtime.evaluate", expression="1")
        self.events.clear()
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        """The value of an expression, a promise awaited."""
        got = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in got:
            details = got["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return got["result"].get("value")

    def click(self, script):
        """A true click of the mouse in the middle of the element that the expression names."""
        at = self.run(f"(() => {{ const e = {script}; e.scrollIntoView({{block: 'center', inline: 'center'}});"
                      " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1],
                      button="none" if kind == "mouseMoved" else "left", clickCount=0 if kind == "mouseMoved" else 1)

    def screenshot(self, path, whole=False):
        got = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(got["data"]))

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(timeout=10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
