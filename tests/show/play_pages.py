"""The computing part of the play page in a browser: plans sent to it, results that come back, and their comparison."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.shapes.dtypes import as_dtype, of_numpy
from penstock.show.play.play_plan import plan_data
from penstock.show.play.play_scripts import play_script
from penstock.show.play.play_values import tensor_data

from .browser import Browser

_PAGE = """<!DOCTYPE html><meta charset="utf-8"><title>kernels</title><script>
"use strict";
{{script}}
function runCase({ plan, feeds, state, recorded }) {
  const frame = newFrame(plan, recorded || null);
  plan.feeds.forEach(([, slot], i) => (frame.values[slot] = tensorFromData(feeds[i])));
  plan.state.forEach(([name, kind, slot]) => (frame.values[slot] = tensorFromData(state[name])));
  let failed = null;
  try {
    failed = finish(runPlan(frame));
  } catch (error) {
    return { crash: String(error.stack || error) };
  }
  if (failed !== null) return { error: frame.errors.get(failed), step: failed };
  const given = (slot) => (frame.values[slot] ? tensorToData(frame.values[slot]) : null);
  return { fetches: plan.fetches.map(given), written: plan.written.map(([, slot]) => given(slot)) };
}
document.documentElement.dataset.ready = "yes";
</script>"""


def kernel_page(more: str = "") -> Path:
    """A page with the interpreter, all kernels and one more script, and nothing to see."""
    path = Path(tempfile.mkdtemp(prefix="penstock-play-"), "kernels.html")
    path.write_text(_PAGE.replace("{{script}}", play_script() + more), "utf-8")
    return path


def case_of(fetches: Sequence[tf.Tensor], feeds: Mapping[tf.Tensor, Any], as_written: bool = True) -> dict[str, Any]:
    """A plan with what it is fed, as the page takes it."""
    config = tf.SessionConfig(threads=1)
    with tf.Session(graph=fetches[0].graph, config=config.as_written() if as_written else config) as session:
        plan = session.plan(list(fetches), feeds)
    by_name = {tensor.name: value for tensor, value in feeds.items()}
    fed = [tensor_data(np.asarray(by_name[name])) for name, _ in plan.user_feeds]
    return {"plan": plan_data(plan), "feeds": fed, "state": {}}


def in_page(browser: Browser, cases: Sequence[Any], script: str = "return arguments[0].map(runCase)") -> list[Any]:
    """What the page makes of all cases, some at a time."""
    found: list[Any] = []
    batch: list[Any] = []
    size = 0
    for case in cases:
        batch.append(case)
        size += len(json.dumps(case))
        if size > 2_000_000:
            found += browser.run(script, batch)
            batch, size = [], 0
    return found + (browser.run(script, batch) if batch else [])


def array_of(data: Mapping[str, Any]) -> Any:
    """The array of a tensor that came back."""
    dtype, items = as_dtype(data["dtype"]), data["data"]
    if dtype.is_string:
        flat = np.empty(len(items), object)
        flat[:] = [base64.b64decode(t["base64"]) if isinstance(t, dict) else t.encode("ascii") for t in items]
    elif dtype.is_complex:
        pairs = np.array([[float(a), float(b)] for a, b in items], np.float64).reshape(-1, 2)
        flat = np.ascontiguousarray(pairs.astype(dtype.real_dtype.np)).view(dtype.np).reshape(-1)
    elif dtype.is_floating:
        flat = np.array([float(each) for each in items], np.float64).astype(dtype.np)
    else:
        flat = np.array([int(each) for each in items], object).astype(dtype.np)
    return flat.reshape(data["shape"])


def difference(got: Any, want: Any, ulps: float = 0.0, near: float = 0.0) -> str:
    """How a result differs from Python's; "" if it does not.

    ulps: so many units in the last place of Python's number may lie between (of complex numbers: of their size).
    near: the error that is allowed as a part of the largest number of the array, for sums.
    """
    want = np.asarray(want) if not isinstance(want, bytes) else np.array(want, object)
    if of_numpy(want.dtype) is not of_numpy(got.dtype) or got.shape != want.shape:
        return f"{got.dtype} {got.shape} instead of {want.dtype} {want.shape}"
    if want.dtype.kind in "Obiu":
        is_equal = np.asarray(got == want)
    else:
        is_equal = _are_close(got, want, ulps, near)
    if is_equal.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~np.atleast_1d(is_equal))[0])
    place = at if want.ndim else ()
    return f"{got[place]!r} instead of {want[place]!r} at {list(place)}"


def _are_close(got: Any, want: Any, ulps: float, near: float) -> Any:
    if want.dtype.kind == "c":
        real, imag = (_are_close(getattr(got, p), getattr(want, p), 0, 0) for p in ("real", "imag"))
        with np.errstate(all="ignore"):
            size = np.abs(want)
            allowed = ulps * np.spacing(size) + near * _largest(size)
            same = (real & imag) | (bool(ulps or near) & np.isnan(got) & np.isnan(want))  # C leaves the other part open
            return same | (np.abs(got.astype(np.complex128) - want.astype(np.complex128)) <= allowed)
    wide = np.float64
    step = _spacing(want)
    a, b = got.astype(wide), want.astype(wide)
    with np.errstate(all="ignore"):
        same = (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))
        if not ulps and not near:
            return same
        return same | (np.isfinite(b) & (np.abs(a - b) <= ulps * step + near * _largest(np.abs(b))))


def _largest(sizes: Any) -> float:
    finite = sizes[np.isfinite(sizes)]
    return float(finite.max()) if finite.size else 0.0


def _spacing(array: Any) -> Any:
    """The distance to the next number of the array's dtype."""
    with np.errstate(all="ignore"):
        if array.dtype.itemsize == 2 and array.dtype.kind != "f":  # bfloat16: 8 bits where float32 has 24
            return np.spacing(np.abs(array.astype(np.float32))).astype(np.float64) * 2**16
        return np.spacing(np.abs(array)).astype(np.float64)
