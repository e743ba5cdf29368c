"""Make the pictures of a report that README.md and the pages show: `python docs/pictures.py DEMO-OUTPUT/report.html`.

They are of the report that `arcwise demo` writes, in the browser of the tests (Debian: chromium, chromium-driver). What
a picture shows of the page, its cut-off and its numbers of edges, is written into it as a comment; a test compares
that with what the demo finds now.
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image, PngImagePlugin

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"
WIDTH, HEIGHT, COLOURS, SCALE = 1240, 900, 256, 0.8
BOX = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.y + scrollY, box.height];"


def picture(browser: Any, selector: str, most: int) -> Image.Image:
    """Return what a part of the page looks like, cut off below `most` pixels."""
    top, height = browser.run(BOX, selector)
    clip = {"x": 0, "y": top - 6, "width": WIDTH, "height": min(height + 12, most), "scale": SCALE}
    taken = browser.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    return Image.open(io.BytesIO(base64.b64decode(taken["data"])))


def save(made: Image.Image, path: Path, comment: str) -> None:
    """Write a picture of few colours, with what it shows as a comment."""
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", comment)
    made.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, pnginfo=text, optimize=True)


def main(report: Path) -> None:
    """Open a report, and write its first screen and its table."""
    sys.path.insert(0, str(ROOT / "tests" / "report"))
    from chromium import open_browser  # type: ignore[import-not-found]

    with open_browser() as browser:
        browser.resize(WIDTH, HEIGHT)
        browser.emulate()
        browser.open(report)
        shown = browser.text("#status")
        save(picture(browser, "body", HEIGHT), FIGURES / "report-network.png", shown)
        browser.run("document.querySelector('#edges details').open = true")
        save(picture(browser, "#edges", 780), FIGURES / "report-edges.png", shown)
    print(shown)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
