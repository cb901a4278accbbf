"""What the docstring of an op says below `Returns:` of shape and dtype is so for every sample of the op."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.declare.op_declaration import OpDef

from .docstring_parts import parts_of
from .helpers import every_case
from .op_samples import Array, Call, calls

PUBLIC = {name: op for name, op in vars(tf).items() if isinstance(op, OpDef) and name in tf.__all__}
DTYPES = "bool|u?int(?:8|16|32|64)|b?float(?:16|32|64)|complex(?:64|128)|string"


class Sizes:
    """A shape in an expression of a docstring: `x.shape + [3]`, `x.shape[1:]`, `x.shape * multiples`."""

    def __init__(self, sizes: Iterable[int]) -> None:
        self.sizes = list(sizes)

    def __iter__(self) -> Iterator[int]:
        return iter(self.sizes)

    def __add__(self, other: Iterable[int]) -> "Sizes":
        return Sizes([*self, *other])

    def __radd__(self, other: Iterable[int]) -> "Sizes":
        return Sizes([*other, *self])

    def __mul__(self, other: Iterable[int]) -> "Sizes":
        return Sizes(size * factor for size, factor in zip(self, other, strict=True))

    def __getitem__(self, key: slice) -> "Sizes":
        return Sizes(self.sizes[key])


class Argument:
    """An array in such an expression."""

    def __init__(self, array: Array) -> None:
        self.shape = Sizes(array.shape)
        self.values = array.reshape(-1).tolist()

    def __iter__(self) -> Any:
        return iter(self.values)

    def __index__(self) -> int:
        return int(self.values[0])


def argument(value: Any) -> Any:
    """An array, or a list of arrays or of sizes, in such an expression."""
    if isinstance(value, list) and all(isinstance(each, np.ndarray) for each in value):
        return [Argument(each) for each in value]
    return Argument(np.array(value, object))


def arguments(call: Call) -> dict[str, Any]:
    """The arguments of a call by parameter."""
    return dict(zip(call.op.parameters, call.values, strict=False))


def dtype_claimed(returns: str, given: dict[str, Any]) -> str | None:
    """The name of the dtype that the text gives the result, None if it gives none that can be told from a sample."""
    if returns.startswith("Two"):
        return None
    if found := re.search(rf"dtype ({DTYPES})\b", returns):
        return found[1]
    if (found := re.search(r"dtype `(\w+)`", returns)) and given[found[1]] is not None:
        return str(tf.as_dtype(given[found[1]]).name)
    if found := re.search(r"dtype of (?:the )?`?(\w+)", returns):
        like = given.get({"inputs": "inputs", "values": "values"}.get(found[1], found[1]))
    else:
        like = next(iter(given.values()), None) if re.search(r"\b(its|their) dtype\b", returns) else None
    first = like[0] if isinstance(like, list) and like else like
    return str(tf.as_dtype(first.dtype).name) if isinstance(first, np.ndarray) else None


def shape_claimed(returns: str, given: dict[str, Any]) -> list[int] | None:
    """The shape that the text gives the result, -1 for any size; None if it cannot be computed from a sample."""
    if any(given[name] is None for name in re.findall(r"`(\w+)`", returns.split(". ")[0]) if name in given):
        return None  # it depends on an argument that this sample leaves out
    alike = r"A tensor with the shape(?: and dtype)? of `(\w+)`(?: and `\w+`)?(?:\.| and |, or )"
    if found := re.match(alike, returns):
        return list(given[found[1]].shape)
    if found := re.match(r"A tensor with the broadcast shape of `(\w+)` and `(\w+)`", returns):
        return list(np.broadcast_shapes(given[found[1]].shape, given[found[2]].shape))
    if returns.startswith("A scalar"):
        return []
    found = re.match(r"A tensor of shape (.*?)(?: with the dtype| and dtype|\.$|\. )", returns)
    if found is None:
        return None
    names = {name: argument(value) for name, value in given.items() if isinstance(value, np.ndarray | list)}
    try:
        sizes = eval(found[1].replace("`", ""), {"len": len, "max": len}, names)
    except (SyntaxError, NameError):
        return None  # a formula with a word of its own, such as [M] or "rest"
    return [-1 if size is None else int(size) for size in sizes]


@every_case("name", PUBLIC)
def test_a_result_has_the_shape_and_dtype_that_the_docstring_tells(name: str) -> None:
    returns = parts_of(PUBLIC[name].__doc__ or "").returns
    for call in calls(PUBLIC[name]):
        if call.op.facts.must_feed:
            continue
        with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
            results = session.run(call.build())
        given = arguments(call)
        for result in results:
            array = np.asarray(result)
            if (dtype := dtype_claimed(returns, given)) is not None:
                assert tf.as_dtype(array.dtype).name == dtype, (call, returns)
            if (shape := shape_claimed(returns, given)) is not None:
                assert len(shape) == array.ndim, (call, returns)
                assert all(want in (-1, size) for want, size in zip(shape, array.shape, strict=True)), (call, returns)


def test_most_docstrings_say_it_in_a_form_that_is_checked() -> None:
    dtypes, shapes = set(), set()
    for name, op in PUBLIC.items():
        returns = parts_of(op.__doc__ or "").returns
        for call in calls(op):
            given = arguments(call)
            dtypes |= {name} if dtype_claimed(returns, given) else set()
            shapes |= {name} if shape_claimed(returns, given) is not None else set()
    assert len(dtypes) >= 0.9 * len(PUBLIC), sorted(PUBLIC.keys() - dtypes)
    assert len(shapes) >= 0.7 * len(PUBLIC), sorted(PUBLIC.keys() - shapes)


def test_claims_are_read_from_the_text() -> None:
    given = {"x": np.zeros((3, 2), "f4"), "n": np.array([4, 5])}
    assert shape_claimed("A tensor of shape x.shape[1:] + [7] with the dtype of `x`.", given) == [2, 7]
    assert shape_claimed("A tensor with the shape and dtype of `x`.", given) == [3, 2]
    assert shape_claimed("A tensor of shape `n` and dtype bool.", given) == [4, 5]
    assert shape_claimed("A tensor of shape [M] + x.shape.", given) is None
    assert dtype_claimed("A tensor with the shape and dtype of `x`.", given) == "float32"
    assert dtype_claimed("A tensor of shape `n` and dtype bool.", given) == "bool"
