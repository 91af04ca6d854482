"""A headless Chromium, driven by its DevTools protocol: pages from the disk, what they log and fetch, how they look."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import urllib.request
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
import pytest
from PIL import Image

__all__ = ["Tab", "browser"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--force-color-profile=srgb",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
)  # fmt: skip


class Tab:
    """One tab.

    Parameters
    ----------
    connection : to its DevTools
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._number = 0
        self._events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol; events that come meanwhile are kept."""
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            said = json.loads(self._connection.recv(timeout=30))
            if said.get("id") == self._number:
                assert "error" not in said, said
                result: dict[str, Any] = said["result"]
                return result
            self._events.append(said)

    def open(self, path: Path, fragment: str = "", *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Open a file and wait until its script has run."""
        self._events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, still])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + fragment)
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        self.settle()

    def run(self, expression: str) -> Any:
        """Value of a JavaScript expression; promises are waited for."""
        said = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def settle(self) -> None:
        """Wait until what was asked for is painted."""
        frame = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))"
        for _ in range(3):
            self.run(frame)

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = monotonic() + 10
        while not self.run(f"Boolean({expression})"):
            assert monotonic() < end, expression
            self.settle()

    def click(self, selector: str) -> None:
        """Click the first element of a selector, as the mouse does."""
        self.run(
            f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', behavior: 'instant'}})"
        )
        box = self.run(
            f"(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect())"
        )
        self.mouse(*box, pressed=True)

    def mouse(self, x: float, y: float, *, pressed: bool = False) -> None:
        """Move the mouse, and click."""
        for kind in ("mouseMoved", *(("mousePressed", "mouseReleased") if pressed else ())):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)
        self.settle()

    @property
    def complaints(self) -> list[str]:
        """What the page has logged as wrong, and exceptions."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [json.dumps(event["params"])[:300] for event in self._events if event["method"] in kinds]

    @property
    def fetched(self) -> list[str]:
        """Addresses that the page has asked for; data that it carries itself is none."""
        asked = [event["params"] for event in self._events if event["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in asked if not params["request"]["url"].startswith("data:")]

    def nameless(self) -> list[str]:
        """Roles of what can be used or looked at and has no accessible name."""
        roles = {"button", "link", "image", "table", "heading", "slider", "list", "region", "navigation", "group"}
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        needed = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles - {"list", "group"}]
        assert len(needed) > 10
        return [node["role"]["value"] for node in needed if not node.get("name", {}).get("value", "").strip()]

    def picture(self) -> np.ndarray:
        """The whole page, (height, width, 3) uint8."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        self.run("scrollTo({top: 0, behavior: 'instant'})")
        self.settle()
        said = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return np.asarray(Image.open(BytesIO(b64decode(said["data"]))).convert("RGB"))


@contextlib.contextmanager
def browser() -> Iterator[Tab]:
    """Start a browser with one tab; skips the test where there is none."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    from websockets.sync.client import connect

    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"], stderr=subprocess.PIPE, text=True
        )
        try:
            assert process.stderr is not None
            line = next((line for line in process.stderr if "DevTools listening on ws://" in line), None)
            assert line is not None, f"{program} does not start"
            host = line.split("ws://")[1].split("/")[0]
            with urllib.request.urlopen(f"http://{host}/json") as answer:
                tabs = [tab for tab in json.load(answer) if tab["type"] == "page"]
            with connect(tabs[0]["webSocketDebuggerUrl"], max_size=None) as connection:
                yield Tab(connection)
        finally:
            process.terminate()
            process.wait(20)
