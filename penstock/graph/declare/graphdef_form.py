"""The node of a GraphDef that an op is, as its declaration says: `graphdef="T=x Tidx=axis keep_dims=keepdims/False"`.

The inputs of the node are those of the op, in their order; the words are its attributes, each with where its value
comes from. In front may stand the type of the node, with a colon, if it is not the op's: `"Pack: N=#x T=x axis"`.

| word | the attribute's value |
|---|---|
| `Tidx=axis` | of an operand its dtype, of an attribute its value |
| `axis` | the same, where both have one name |
| `N=#x` | how many tensors the operand `x` has |
| `T=*x` | the dtypes of these tensors |
| `Tout=result` | the dtype of the result |
| `axis:0` | always the same: a number, a bool or a dtype; the op is this node only where it has that value |
| `index_type:int32?` | as before, but not written: files of former versions do not have it |

`->values,indices` says what the op definition calls the results; without it the only one is called `output`.

`/False` behind a word is the value that a file may leave out, where the signature has no default or another one.
Source: TensorFlow's op definitions (core/ops/*.cc).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final, Literal

from ..common.near_names import did_you_mean
from ..common.quick_dataclass import dataclass
from ..shapes.dtypes import as_dtype

MISSING: Final = object()
"""The default of an attribute that a file must have."""

Source = Literal["parameter", "count", "dtypes", "result", "constant"]
_SIGNS: dict[str, Source] = {"#": "count", "*": "dtypes"}
_WORDS = {"False": False, "True": True, "''": b""}


@dataclass(frozen=True, slots=True)
class FormAttribute:
    """An attribute of the node.

    Attributes:
        name: in the file.
        source: where its value comes from.
        parameter: the op's parameter, for "parameter", "count" and "dtypes".
        value: for "constant".
        default: what it is where a file leaves it out; MISSING where the signature decides.
        is_written: whether files that are written have it.
    """

    name: str
    source: Source
    parameter: str = ""
    value: Any = None
    default: Any = MISSING
    is_written: bool = True


@dataclass(frozen=True, slots=True)
class GraphDefForm:
    """A node of a GraphDef.

    Attributes:
        type: its type.
        attributes: its attributes.
        results: what its results are called; () if the declaration does not say it.
    """

    type: str
    attributes: tuple[FormAttribute, ...]
    results: tuple[str, ...] = ()


@cache
def graphdef_form(type: str, text: str) -> GraphDefForm:
    """The form that a declaration says.

    Args:
        type: of the op.
        text: as above.

    Raises:
        ValueError: a word is none of those above.

    >>> form = graphdef_form("Stack", "Pack: N=#x axis")
    >>> form.type, [(each.name, each.source, each.parameter) for each in form.attributes]
    ('Pack', [('N', 'count', 'x'), ('axis', 'parameter', 'axis')])
    """
    head, colon, rest = text.partition(": ")
    words, arrow, called = (rest if colon else head).partition("->")
    results = tuple(called.strip().split(",")) if arrow else ()
    if not all(name.isidentifier() for name in results):
        raise ValueError(f"{called!r} are no names of results, as in ->values or ->values,indices")
    return GraphDefForm(head if colon else type, tuple([_attribute(word) for word in words.split()]), results)


def check_graphdef(type: str, text: str, parameters: Collection[str]) -> None:
    """Checks a declaration from outside.

    Raises:
        TypeError: a word cannot be read, or names no parameter.
    """
    try:
        form = graphdef_form(type, text)
    except ValueError as error:
        raise TypeError(f"graphdef={text!r}: {error}") from None
    for each in form.attributes:
        if each.parameter and each.parameter not in parameters:
            raise TypeError(f"graphdef={text!r}: there is no parameter {each.parameter!r}"
                            f"{did_you_mean(each.parameter, parameters)}")  # fmt: skip


def _attribute(word: str) -> FormAttribute:
    said, _, default = word.partition("/")
    name, colon, constant = said.partition(":")
    left_out = _literal(default) if default else MISSING
    if colon:
        value = _literal(constant.rstrip("?"))
        return FormAttribute(name, "constant", "", value, left_out, is_written=not constant.endswith("?"))
    name, equals, where = said.partition("=")
    if where == "result":
        return FormAttribute(name, "result", default=left_out)
    parameter = (where if equals else name).lstrip("#*")
    if not name.isidentifier() or not parameter.isidentifier():
        raise ValueError(f"{word!r} is none of the forms attr, attr=parameter, attr=#parameter, attr=*parameter, "
                         "attr=result and attr:constant")  # fmt: skip
    return FormAttribute(name, _SIGNS.get(where[:1], "parameter"), parameter, default=left_out)


def _literal(word: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    return int(word) if word.lstrip("-").isdigit() else as_dtype(word)
