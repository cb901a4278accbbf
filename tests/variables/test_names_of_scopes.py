"""Names of variables and operations in nested scopes are those of TensorFlow, for recorded programs."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import penstock
from penstock.compat import v1

from ..golden_extra.variable_scope_programs import PROGRAMS

RECORDED = json.loads((Path(__file__).parents[1] / "golden_extra" / "variable_scopes.json").read_text("utf-8"))
OTHER_NAMES = {
    "a_custom_getter_makes_two": ("AddV2", "Add"),
}
"""Where TensorFlow 2.21 says another word than TensorFlow 1 and Penstock."""


def said_by(tf: ModuleType, name: str) -> tuple[list[Any], type[BaseException] | None]:
    """What a program says, and the class of the error that it ends with."""
    said: list[Any] = []
    with tf.Graph().as_default():
        try:
            PROGRAMS[name](tf, lambda *values: said.append(list(values)))
        except Exception as error:
            return said, type(error)
    return said, None


def test_every_program_is_recorded() -> None:
    assert list(RECORDED) == list(PROGRAMS)


@pytest.mark.parametrize("tf", [penstock, v1], ids=["penstock", "compat.v1"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_names_of_tensorflow(tf: ModuleType, name: str) -> None:
    said, error = said_by(tf, name)
    expected = RECORDED[name]["said"]
    if name in OTHER_NAMES:
        theirs, ours = OTHER_NAMES[name]
        expected = json.loads(json.dumps(expected).replace(f'"{theirs}"', f'"{ours}"'))
    assert json.loads(json.dumps(said)) == expected
    if RECORDED[name]["error"] is None:
        assert error is None, error
    else:
        wanted = getattr(builtins, RECORDED[name]["error"])
        assert error is not None and issubclass(error, wanted)
