"""Browsers that tests share: one for all pages, and one for the play page, which holds the interpreter and all kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import Browser
from .play_pages import kernel_page


@pytest.fixture(scope="package")
def running_browser() -> Iterator[Browser]:
    """The browser that `browser` shares; its start takes about a second."""
    found = Browser()
    yield found
    found.close()


@pytest.fixture(scope="module")
def browser(running_browser: Browser) -> Browser:
    """A browser with a window of this module's own."""
    running_browser.renew()
    return running_browser


@pytest.fixture(scope="package")
def page() -> Iterator[Browser]:
    """A page without anything to see, in which plans run; each test brings its own data."""
    found = Browser()
    found.open(kernel_page(Path(__file__).with_name("play_runs.js").read_text("utf-8")))
    yield found
    found.close()
