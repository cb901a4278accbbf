"""The browser that tests share, and the page in it that holds the interpreter of play pages and all kernels."""

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
def fresh_browser(running_browser: Browser) -> Browser:
    """The browser with windows like new ones, for this module."""
    for is_drawn in (True, False):
        running_browser.draw(is_drawn)
        running_browser.renew()
    return running_browser


@pytest.fixture
def browser(fresh_browser: Browser) -> Browser:
    """A browser whose pages are laid out and never drawn, for all that a page says and where it says it."""
    fresh_browser.draw(False)
    return fresh_browser


@pytest.fixture
def screen(fresh_browser: Browser) -> Browser:
    """A browser whose pages are drawn, for the pointer, animations and windows that change their size."""
    fresh_browser.draw(True)
    return fresh_browser


@pytest.fixture(scope="package")
def kernels() -> Path:
    """A page without anything to see, in which plans run."""
    return kernel_page(Path(__file__).with_name("play_runs.js").read_text("utf-8"))


@pytest.fixture
def page(running_browser: Browser, kernels: Path) -> Browser:
    """The page of kernels, open; each test brings its own data."""
    running_browser.draw(False)
    running_browser.open_once(kernels)
    return running_browser
