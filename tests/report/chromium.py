"""A real browser for tests: Chromium, driven by its own chromedriver over the W3C WebDriver protocol (plain HTTP)."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Newest names first; on Debian the packages are chromium and chromium-driver.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVERS = ("chromedriver", "chromium.chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Home": "\ue011",
    "End": "\ue010",
    "Shift": "\ue008",
}


class BrowserError(AssertionError):
    """What the driver answered instead of a result."""


def find_browser() -> tuple[str, str] | None:
    """Return the paths of browser and driver, or None if one is missing."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    driver = next((path for name in DRIVERS if (path := shutil.which(name))), None)
    return None if browser is None or driver is None else (browser, driver)


class Browser:
    """One page in a browser window."""

    def __init__(self, address: str, session: str) -> None:
        self._base = f"{address}/session/{session}"

    def _call(self, method: str, path: str, **body: Any) -> Any:
        return call(method, self._base + path, body if method == "POST" else None)

    def open(self, page: Path) -> None:
        self._call("POST", "/url", url=page.resolve().as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a function body in the page and return its value."""
        return self._call("POST", "/execute/sync", script=script, args=list(arguments))

    def run_later(self, script: str, *arguments: Any) -> Any:
        """Run a function body that answers by calling its last argument."""
        return self._call("POST", "/execute/async", script=script, args=list(arguments))

    def find(self, selector: str) -> dict[str, str]:
        return self._call("POST", "/element", using="css selector", value=selector)

    def click(self, selector: str) -> None:
        self._call("POST", f"/element/{self.find(selector)[ELEMENT]}/click")

    def type(self, selector: str, text: str) -> None:
        self._call("POST", f"/element/{self.find(selector)[ELEMENT]}/value", text=text)

    def clear(self, selector: str) -> None:
        self._call("POST", f"/element/{self.find(selector)[ELEMENT]}/clear")

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is; "Shift+Tab" holds the first."""
        actions: list[dict[str, str]] = []
        for key in keys:
            parts = [KEYS.get(part, part) for part in key.split("+")]
            actions += [{"type": "keyDown", "value": part} for part in parts]
            actions += [{"type": "keyUp", "value": part} for part in reversed(parts)]
        self._call("POST", "/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def devtools(self, command: str, **parameters: Any) -> Any:
        return self._call("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def resize(self, width: int, height: int) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def emulate(self, *, scheme: str = "light", media: str = "screen") -> None:
        """Show the page as on a screen or on paper, light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", media=media, features=features)

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        picture = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(picture["data"]))

    def print_pdf(self) -> bytes:
        return base64.b64decode(self.devtools("Page.printToPDF", printBackground=False)["data"])

    def log(self, kind: str) -> list[dict[str, Any]]:
        """Return what was logged since the last call: "browser" for the console, "performance" for the network."""
        return list(self._call("POST", "/se/log", type=kind))

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for since the last call.

        The browser's own first page asks for pictures of its own (chrome:, data:), if it is slow to go away.
        """
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [address for address in asked if not address.startswith(("chrome:", "data:"))]


def call(method: str, address: str, body: dict[str, Any] | None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data=data, method=method, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        with error:
            value = json.load(error)["value"]
        raise BrowserError(f"{value['error']}: {value['message']}") from None


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    """Start driver and browser with an empty profile, and end them."""
    found = find_browser()
    assert found is not None
    browser, driver = found
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(address)
            capabilities = {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": browser, "args": [*FLAGS, f"--user-data-dir={profile}"]},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }
            session = call("POST", f"{address}/session", {"capabilities": {"alwaysMatch": capabilities}})
            try:
                page = Browser(address, session["sessionId"])
                page.devtools("Network.enable")
                yield page
            finally:
                call("DELETE", f"{address}/session/{session['sessionId']}", None)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_for(address: str) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            if call("GET", f"{address}/status", None)["ready"]:
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
