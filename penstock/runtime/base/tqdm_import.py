"""The import of tqdm, when a progress bar is asked for. No other module imports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...graph.lazy_import import load


def new_bar(total: int, options: Mapping[str, Any]) -> Any:
    """A tqdm bar of `total` steps.

    Raises:
        ImportError: tqdm is not installed.
    """
    try:
        load("tqdm.auto")
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "progress_bar: the package tqdm is not installed; run `pip install penstock[progress]`"
        ) from None
    return tqdm(**{"total": total, "unit": "step", **options})
