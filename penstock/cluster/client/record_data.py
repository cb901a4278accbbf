"""Records of steps as plain data, as workers send them, and back."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

from ...runtime.observe.run_record import BodyRecord, ResultRecord, StepRecord
from ...runtime.observe.value_summary import Histogram, Image, Summary

Data = list[Any]


def step_data(step: StepRecord, start: float) -> Data:
    """What is sent of a record; `start` is when the step began, on the worker's clock."""
    return [step.node, step.op, step.device, start, step.duration, step.bytes, step.held,
            [_result_data(r) for r in step.results], step.kernel, step.launches, step.promotion,
            [_body_data(body) for body in step.inside]]  # fmt: skip


def step_from(data: Sequence[Any]) -> StepRecord:
    """The record that `step_data` described."""
    node, op, device, start, duration, size, held, results, kernel, launches, promotion, inside = data
    return StepRecord(node, op, device, start, duration, size, held, tuple([_result_from(r) for r in results]), kernel,
                      launches, promotion, (), tuple([_body_from(body) for body in inside]))  # fmt: skip


def _body_data(body: BodyRecord) -> Data:
    steps = [step_data(step, step.start) for step in body.steps]
    return [body.part, body.iteration, body.seconds, [_result_data(r) for r in body.feeds], steps]


def _body_from(data: Sequence[Any]) -> BodyRecord:
    part, iteration, seconds, feeds, steps = data
    return BodyRecord(part, iteration, seconds, tuple([_result_from(r) for r in feeds]),
                      tuple([step_from(step) for step in steps]))  # fmt: skip


def _result_data(result: ResultRecord) -> Data:
    value = None if result.value is None else _summary_data(result.value)
    return [result.name, result.dtype, list(result.shape), result.bytes, value]


def _result_from(data: Sequence[Any]) -> ResultRecord:
    name, dtype, shape, size, value = data
    return ResultRecord(name, dtype, tuple(shape), size, None if value is None else _summary_from(value))


def _summary_data(value: Summary) -> Data:
    histogram = image = None
    if (found := value.histogram) is not None:
        histogram = [plain_number(found.low), plain_number(found.high), list(found.counts), found.stride]
    if (drawn := value.image) is not None:
        pixels = base64.b64encode(drawn.pixels).decode("ascii")
        image = [drawn.height, drawn.width, drawn.channels, pixels, plain_number(drawn.low), plain_number(drawn.high)]
    numbers = [plain_number(each) for each in (value.minimum, value.maximum, value.mean, value.std)]
    bad = None if value.first_bad is None else [int(each) for each in value.first_bad]
    return [value.size, value.preview, *numbers, int(value.nans), int(value.infs),
            None if value.zeros is None else int(value.zeros), bad, histogram, image, value.brief,
            bool(value.is_bool), value.holds]  # fmt: skip


def _summary_from(data: Sequence[Any]) -> Summary:
    size, preview, low, high, mean, std, nans, infs, zeros, bad, histogram, image, brief, is_bool, holds = data
    counted = thumbnail = None
    if histogram is not None:
        counted = Histogram(number_from(histogram[0]), number_from(histogram[1]), tuple(histogram[2]), histogram[3])
    if image is not None:
        height, width, channels, pixels, black, white = image
        thumbnail = Image(height, width, channels, base64.b64decode(pixels), number_from(black), number_from(white))
    low, high, mean, std = [number_from(each) for each in (low, high, mean, std)]
    return Summary(size, preview, low, high, mean, std, nans, infs, zeros,
                   None if bad is None else tuple(bad), counted, thumbnail, brief, is_bool, holds)  # fmt: skip


def plain_number(value: Any) -> Any:
    """An element as JSON can hold it, with its kind where that is no plain number or text."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, complex):
        return {"complex": [plain_number(value.real), plain_number(value.imag)]}
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    return value if not isinstance(value, float) or math.isfinite(value) else {"float": str(value)}


def number_from(value: Any) -> Any:
    """The element that `plain_number` wrote."""
    if not isinstance(value, dict):
        return value
    if "complex" in value:
        return complex(*[number_from(each) for each in value["complex"]])
    return value["bytes"].encode("latin-1") if "bytes" in value else float(value["float"])
