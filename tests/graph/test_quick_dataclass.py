"""The quick `dataclass` makes what the standard one makes; classes that a first run loads are made by it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

import pytest

from penstock.graph.common import quick_dataclass

if sys.version_info[:2] > (3, 13):
    pytest.skip("such a Python has the standard decorator", allow_module_level=True)

CLASSES: Final = {
    "defaults": """
class Kind:
    x: int
    y: str = "a"
    z: dict[str, int] = field(default_factory=dict)
    w: tuple[int, ...] = ()
    of_all: ClassVar[int] = 3
""",
    "apart": """
class Kind:
    x: int
    hidden: int = field(default=1, repr=False, compare=False)
    later: list[int] = field(default_factory=list, init=False)
    unset: int = field(init=False, compare=False, repr=False)
    named: int = field(default=4, kw_only=True)
    last: int = 5
""",
    "hashed apart": """
class Kind:
    x: int
    unhashed: int = field(default=6, hash=False)
    uncompared: int = field(default=7, compare=False, hash=True)
""",
    "own methods": """
class Kind:
    x: int
    y: int = 2

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("less than 0")

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7
""",
    "no fields": "class Kind: pass",
    "one field": """
class Kind:
    x: object

    @property
    def twice(self) -> object:
        return [self.x, self.x]
""",
}
SETTINGS: Final[list[dict[str, bool]]] = [
    {},
    {"slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True},
    {"frozen": True},  # by day with fields that are hashed apart
    {"slots": True, "repr": False},
    {"frozen": True, "slots": True, "kw_only": True},
]


def _kind(text: str, decorator: Callable[..., Any], settings: dict[str, bool], base: type = object) -> Any:
    """The class `Kind` of a module of its own, in which `Base` is a class that it may inherit."""
    module = ModuleType("module_of_kind")
    head = "from __future__ import annotations\nfrom dataclasses import field\nfrom typing import ClassVar\n"
    words = ", ".join(f"{name}={value}" for name, value in settings.items())
    vars(module).update(decorator=decorator, Base=base)
    sys.modules["module_of_kind"] = module
    exec(f"{head}@decorator({words})\n{text.lstrip()}", vars(module))
    return vars(module)["Kind"]


def _outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


def _told(decorator: Callable[..., Any], text: str, settings: dict[str, bool], signature_first: bool) -> list[object]:
    """What can be seen of a class, and of values of it."""
    kind = _kind(text, decorator, settings)
    seen: list[object] = []
    if signature_first:
        seen.append(str(inspect.signature(kind)))
    first = _outcome(lambda: kind(1))
    values = [first, _outcome(lambda: kind(x=1)), _outcome(lambda: kind(x=-2)), _outcome(kind)]
    seen += [repr(value) if settings.get("repr", True) else "" for value in values]
    seen += [str(inspect.signature(kind)), kind.__match_args__, kind.__qualname__, kind.__module__]
    seen += [[(f.name, f.type, f.init, f.repr, f.compare, f.hash, f.kw_only) for f in dataclasses.fields(kind)]]
    seen += [a == b for a in values for b in values]
    seen += [_outcome(lambda v=v: hash(v) == hash(copy.copy(v))) for v in values]  # type: ignore[misc]
    if settings.get("frozen") and settings.get("eq", True):
        seen += [_outcome(lambda v=v: hash(v)) for v in values]  # type: ignore[misc]
    seen += [kind.__hash__ is None, hasattr(first, "__dict__"), getattr(kind, "__slots__", None)]
    seen += [_outcome(lambda: setattr(first, "x", 5))]
    if not settings.get("slots"):  # the standard one of Python 3.11 has a TypeError of its own there
        seen.append(_outcome(lambda: setattr(first, "other", 5)))
    seen += [_outcome(lambda: delattr(first, "x")), _outcome(lambda: kind(1, 2, 3, 4, 5, 6))]
    again: Any = _outcome(lambda: kind(x=9))
    seen += [_outcome(lambda: vars(pickle.loads(pickle.dumps(again)))), _outcome(lambda: copy.copy(again).x)]
    seen += [_outcome(lambda: dataclasses.replace(again, x=4).x), _outcome(lambda: dataclasses.asdict(again))]
    seen.append(inspect.signature(kind.__init__).return_annotation)

    class Further(kind):  # type: ignore[misc, valid-type]
        def __init__(self, more: int) -> None:
            super().__init__(x=more)
            object.__setattr__(self, "more", more)

    seen += [str(inspect.signature(Further)), _outcome(lambda: Further(3).x)]
    seen.append(_outcome(lambda: setattr(Further(3), "another", 1)) if not settings.get("slots") else None)
    below = _kind("class Kind(Base):\n    added: int = 8", decorator, settings, kind)
    seen.append(getattr(below, "__slots__", None))
    return [*seen, str(inspect.signature(below)), _outcome(lambda: repr(below(x=1).added))]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("text", CLASSES.values(), ids=CLASSES)
def test_a_quick_dataclass_is_a_standard_one(text: str, settings: dict[str, bool]) -> None:
    quick: Callable[..., Any] = quick_dataclass.dataclass
    for signature_first in (False, True):
        standard = _told(dataclasses.dataclass, text, settings, signature_first)
        assert _told(quick, text, settings, signature_first) == standard


@pytest.mark.parametrize(
    "text", ["class Kind:\n    x: int = 1\n    y: int", "class Kind:\n    x: list[int] = []"], ids=["order", "shared"]
)
def test_a_wrong_class_is_refused(text: str) -> None:
    for decorator in (dataclasses.dataclass, quick_dataclass.dataclass):
        with pytest.raises((TypeError, ValueError)):
            _kind(text, decorator, {})


def test_what_only_the_standard_one_has_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Kind\.x: InitVar\[int\] needs dataclasses\.dataclass"):
        _kind("class Kind:\n    x: InitVar[int]", quick_dataclass.dataclass, {})


def test_classes_of_a_first_run_are_quick() -> None:
    program = """
import dataclasses
slow = []
process = dataclasses._process_class
dataclasses._process_class = lambda cls, *rest: slow.append(cls.__module__ + "." + cls.__name__) or process(cls, *rest)
import penstock.compat.v1 as tf
x = tf.placeholder(tf.float32, [4, 8, 8, 3])
filters = tf.Variable(tf.truncated_normal([3, 3, 3, 4]))
loss = tf.reduce_mean(tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), 2, 2, "SAME"))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(step, {x: [[[[1.0] * 3] * 8] * 8] * 4})
print([name for name in slow if name.startswith("penstock.")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['penstock.graph.common.quick_dataclass._Specimen']"
