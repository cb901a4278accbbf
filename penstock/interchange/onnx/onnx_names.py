"""Names of ONNX as names here."""

from __future__ import annotations

import re


def clean_label(name: str) -> str:
    """A name that is allowed here, as close to a name of ONNX as it can be; scopes stay scopes."""
    parts = [re.sub(r"[^A-Za-z0-9_.-]+", "_", part)[:200].strip("_.-") for part in name.split("/")[:20]]
    return "/".join(part for part in parts if part)
