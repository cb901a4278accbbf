"""A headless Chromium, driven through chromedriver's plain HTTP protocol (WebDriver), with no package in between."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
    # Each page is a file of this disk: no process is kept ready for the next site, no extension runs beside it.
    "--disable-features=SpareRendererForSitePerProcess,BackForwardCache,PaintHolding,Translate,OptimizationHints,MediaRouter",
    "--disable-site-isolation-trials",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-breakpad",
)
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine
FRAME = 143
"""The height of tabs and address bar."""
FOLLOW = """for (const fragment of arguments) {
    if (location.hash === new URL(fragment, location).hash) continue;
    const gone = new Promise(done => addEventListener('hashchange', done, {once: true}));
    location.hash = fragment;
    await gone;
}"""
"""Goes to other fragments of the page, one after another, as links in it do."""
KEYS = {
    "Escape": "\ue00c",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Up": "\ue013",
    "Down": "\ue015",
    "Left": "\ue012",
    "Right": "\ue014",
}


def _started_driver() -> tuple[subprocess.Popen[str], str]:
    """A driver that listens, and its port.

    It takes a free port of one family of addresses and then asks for the same one of the other, which a test beside may
    have taken meanwhile; then it ends.
    """
    said: list[str] = []
    for _ in range(5):
        assert DRIVER is not None
        driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert driver.stdout is not None
        for line in driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                return driver, port[1]
            said.append(line)
        driver.stdout.close()
        driver.wait()
    raise RuntimeError(f"chromedriver ended before it listened: {''.join(said)}")


class Browser:
    """One window. `run` evaluates JavaScript in the page; what it returns comes back as data.

    The page fills the screen: to draw tabs and an address bar around it took as long as to draw the page.

    width, height: of a window that would have those.
    """

    def __init__(self, width: int = 1440, height: int = 900) -> None:
        assert CHROMIUM is not None and DRIVER is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._driver, port = _started_driver()
        try:
            self._url = f"http://127.0.0.1:{port}"
            screen = f"{width}x{height - FRAME}"
            extra = ["--kiosk", f"--screen-info={{{screen}}}", f"--user-data-dir={self._profile.name}"]
            options = {"binary": CHROMIUM, "args": [*_FLAGS, *extra], "excludeSwitches": ["enable-automation"]}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            made = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self._session = f"/session/{made['sessionId']}"
            self.version: str = made["capabilities"]["browserVersion"]
            self._opened = 0
            self._path: Path | None = None
            self._size = {"width": width, "height": height - FRAME, "deviceScaleFactor": 1, "mobile": False}
            self._other: tuple[str, Path | None] | None = None
            self._is_drawn = True
            self.show_nothing()
            self.prefer()
            self.requests()  # those of the page for new tabs
        except BaseException:
            self._stop()
            raise

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with _DIRECT.open(request, timeout=120) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode(errors='replace')[:2000]}") from None

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until the page says that it is drawn."""
        self._opened += 1
        self._path = path
        query = f"?{self._opened}" if fragment else ""  # so that it is loaded anew
        self._send("POST", self._session + "/url", {"url": path.as_uri() + query + fragment})
        for _ in range(2_400):  # two minutes, which only a page that is broken takes
            if self.run("return document.documentElement.dataset.ready === 'yes'"):
                return
            time.sleep(0.05)
        raise AssertionError(f"{path.name} did not get ready; the console says {self.log('browser')}")

    def open_once(self, path: Path) -> None:
        """The page of a file as it was left, where it is the one that is open."""
        if self._path != path:
            self.open(path)

    def open_again(self, path: Path) -> None:
        """The page of a file with what it shows at first, without loading it where it is the one that is open.

        For tests of what it shows, not where: its place, its scale and its colours are those that were left.
        """
        if self._path == path:
            self.run("document.activeElement.blur(); document.getElementById('reset')?.click()")  # of a play page
            self.follow("#colour=", "#")
        else:
            self.open(path)

    def follow(self, *fragments: str) -> None:
        """Go to other fragments of the page that is open, one after another, as links in it do."""
        self.run(FOLLOW, *fragments)

    def back(self) -> None:
        """Press the button that goes back."""
        self._send("POST", self._session + "/back", {})

    def forward(self) -> None:
        """Press the button that goes forward."""
        self._send("POST", self._session + "/forward", {})

    def frame(self, id: str | None) -> None:
        """What follows happens in the frame with this id; with None in the whole page again."""
        made = None
        if id is not None:
            made = self._send("POST", self._session + "/element", {"using": "css selector", "value": f"#{id}"})
        self._send("POST", self._session + "/frame", {"id": made})

    def renew(self) -> None:
        """Go on as in a window that has just been opened: its size, its media, its history and the notes.

        A new window takes thirty times as long.
        """
        self._path = None
        if self._is_drawn:
            self.command("Emulation.clearDeviceMetricsOverride")
        else:
            self.command("Emulation.setDeviceMetricsOverride", **self._size)
        self.command("Page.resetNavigationHistory")
        self.prefer()
        for kind in ("browser", "performance"):
            self.log(kind)

    def draw(self, is_drawn: bool) -> None:
        """What follows happens in a window that is drawn, or in one beside it, laid out as that is and never drawn.

        Pages say the same in both. Where nothing is drawn, a key takes a third of the time and a page two thirds. But
        there is no pointer, no frame of an animation, and a page does not hear that its size has changed.
        """
        if is_drawn == self._is_drawn:
            return
        if self._other is None:
            target = {"url": "about:blank", "hidden": True, "background": True}
            made = self.command("Target.createTarget", **target)["targetId"]
            self._other = (made, None)
        handle, path = self._other
        self._other = (self._send("GET", self._session + "/window"), self._path)
        self._send("POST", self._session + "/window", {"handle": handle})
        self._is_drawn, self._path = is_drawn, path

    def prefer(self, dark: bool = False, motion: bool = False) -> None:
        """What pages are told that their reader prefers, from now on: a dark scheme, changes that are animated.

        Without these a page is at rest as soon as a click has been answered.
        """
        wanted = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "no-preference" if motion else "reduce",
        }
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.command("Emulation.setEmulatedMedia", features=features)

    def visit(self, path: Path) -> None:
        """Load a file that says nothing of being drawn, such as a picture."""
        self._path = None
        self._send("POST", self._session + "/url", {"url": path.as_uri()})

    def show_nothing(self) -> None:
        """An empty page."""
        self._path = None
        self._send("POST", self._session + "/url", {"url": "about:blank"})

    def run(self, script: str, *arguments: object) -> Any:
        """The value that `script` returns in the page."""
        return self._send("POST", self._session + "/execute/sync", {"script": script, "args": list(arguments)})

    def run_each(self, *scripts: tuple[object, ...]) -> list[Any]:
        """The values of several scripts, each with its arguments, one after another without a frame in between.

        To draw a frame takes longer than what most scripts do.
        """
        texts = list(dict.fromkeys(str(script[0]) for script in scripts))
        functions = ",".join(f"async function () {{{text}\n}}" for text in texts)  # a page may refuse texts as code
        values: list[Any] = self.run(
            f"""const scripts = [{functions}], values = [];
                for (const [at, ...rest] of arguments[0]) values.push(await scripts[at](...rest));
                return values""",
            [[texts.index(str(script[0])), *script[1:]] for script in scripts],
        )
        return values

    def keys(self, *pressed: str) -> None:
        """Press keys one after another, names as in KEYS or single letters; "Shift+Enter" holds the first one."""
        actions = []
        for key in pressed:
            *held, last = key.split("+") if len(key) > 1 else [key]
            values = [KEYS.get(each, each) for each in (*held, last)]
            actions += [{"type": "keyDown", "value": value} for value in values]
            actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self._perform([{"type": "key", "id": "keyboard", "actions": actions}])

    def paste(self, text: str) -> None:
        """Write a text where the cursor is, at once: a page answers each key that is pressed."""
        self.command("Input.insertText", text=text)

    def click(self, x: float, y: float) -> None:
        """Click at a place in the window."""
        move = {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}
        actions = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._perform([{"type": "pointer", "id": "mouse", "actions": actions}])

    def hover(self, x: float, y: float) -> None:
        """Move the mouse to a place in the window."""
        move = {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}
        self._perform([{"type": "pointer", "id": "mouse", "actions": [move]}])

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press at one place, move to another, and let go."""
        first, last = ({"type": "pointerMove", "duration": 20, "x": x, "y": y} for x, y in (start, end))
        actions = [first, {"type": "pointerDown", "button": 0}, last, {"type": "pointerUp", "button": 0}]
        self._perform([{"type": "pointer", "id": "mouse", "actions": actions}])

    def wheel(self, x: int, y: int, by: int) -> None:
        """Turn the wheel over a place."""
        actions = [{"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by, "duration": 0}]
        self._perform([{"type": "wheel", "id": "wheel", "actions": actions}])

    def _perform(self, sources: Sequence[dict[str, Any]]) -> None:
        self._send("POST", self._session + "/actions", {"actions": list(sources)})

    def command(self, name: str, **parameters: object) -> Any:
        """Call a method of the browser's DevTools protocol."""
        return self._send("POST", f"{self._session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width: int, height: int) -> None:
        """Give the page a window of this size, which may be narrower than the browser's own."""
        self.command("Emulation.setDeviceMetricsOverride", **{**self._size, "width": width, "height": height})
        if self._is_drawn:
            self.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What the browser noted since it was asked last: "browser" for the console, "performance" for events."""
        found: list[dict[str, Any]] = self._send("POST", self._session + "/se/log", {"type": kind})
        return found

    def requests(self) -> list[str]:
        """The addresses that were asked for since this was asked last."""
        events = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, path: Path) -> None:
        """Write a screenshot."""
        path.write_bytes(base64.b64decode(self._send("GET", self._session + "/screenshot")))

    def close(self) -> None:
        """End the browser and its driver."""
        try:
            self._send("DELETE", self._session)
        finally:
            self._stop()

    def _stop(self) -> None:
        self._driver.terminate()
        self._driver.wait(20)
        if self._driver.stdout is not None:
            self._driver.stdout.close()
        self._profile.cleanup()
