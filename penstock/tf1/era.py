"""The era of a program: whether it was written for TensorFlow 0.x or for 1.x.

TensorFlow 1.0 turned the arguments of some functions around: `concat(1, [a, b])` became `concat([a, b], 1)`. So a
program has to be run with the signatures of its time. Signs of it are the order of arguments, their names, and names
that only one of the two had. An order or the name of an argument decides; names decide where there is no such sign.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from .older_names import GONE
from .used_names import Called, ProgramNames

_ONLY_1: Final = (
    "layers", "losses", "metrics", "data", "estimator", "compat.v1", "contrib.data", "contrib.distribute",
    "contrib.legacy_seq2seq", "contrib.rnn.static_rnn", "keras", "math", "linalg", "random", "io", "initializers",
    "nn.softmax_cross_entropy_with_logits_v2", "nn.static_rnn", "nn.leaky_relu",
    "reverse_v2", "contrib.seq2seq.TrainingHelper", "contrib.seq2seq.BasicDecoder", "contrib.seq2seq.dynamic_decode",
    "contrib.rnn.BasicLSTMCell", "contrib.rnn.LSTMCell", "contrib.rnn.GRUCell", "AUTO_REUSE", "spectral",
)  # fmt: skip
"""Names, and namespaces, that came with 1.0 or later."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign: the era that it speaks for, where it is, in which words, whether it is an order of arguments."""

    era: str
    path: str
    line: int
    words: str
    is_order: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.words}"


@dataclass(frozen=True, slots=True)
class Era:
    """The era of a program and why.

    Attributes:
        era: "0" or "1".
        sign: what decided; None if nothing did.
        against: a sign of the other era, as strong; None if there is none.
        matters: whether the program calls a function whose arguments the two eras order differently.
    """

    era: str
    sign: Sign | None
    against: Sign | None
    matters: Called | None

    @property
    def words(self) -> str:
        """The era in words, with its reason."""
        name = f"TensorFlow {self.era}.x"
        if self.sign is None:
            return f"{name} (no sign of an era)"
        if self.against is not None:
            return f"{name}: {self.sign}. But there is a sign of {self.against.era}.x, too: {self.against}"
        return f"{name}: {self.sign}"


def era_of(programs: Iterable[ProgramNames]) -> Era:
    """The era of a program of one or more files; 1.x if nothing speaks for either.

    >>> import ast
    >>> call = ast.parse("tf.concat(1, [a, b])", mode="eval").body
    >>> program = ProgramNames("p.py", calls=[Called("concat", 3, call)])
    >>> str(era_of([program]).sign)
    'p.py:3: tf.concat(1, ...) takes the axis first, as TensorFlow 0.x did'
    """
    signs: list[Sign] = []
    matters = None
    for program in programs:
        for call in program.calls:
            if (judge := _ORDERS.get(_plain(call.name))) is not None:
                if len(call.node.args) > 1:  # names of arguments mean the same in both eras
                    matters = matters or call
                signs += [Sign(*each, is_order=True) for each in _judged(judge, call, program.path)]
        signs += [sign for use in program.uses if (sign := _of_name(use.name, program.path, use.line))]
    strong = [sign for sign in signs if sign.is_order] or signs
    sign = min(strong, key=lambda each: (each.path, each.line), default=None)
    if any(each.era == "1" and "compat.v1" in each.words for each in signs):
        sign = next(each for each in signs if "compat.v1" in each.words)  # it names the signatures that it wants
        return Era("1", sign, None, matters)
    against = next((each for each in strong if sign is not None and each.era != sign.era), None)
    if against is not None:  # both: what more of them say, and 1.x if they are as many
        first = sum(each.era == "0" for each in strong) * 2 > len(strong)
        era = "0" if first else "1"
        sign, against = (sign, against) if sign is not None and sign.era == era else (against, sign)
        return Era(era, sign, against, matters)
    return Era("1" if sign is None else sign.era, sign, against, matters)


def _judged(judge: Judge, call: Called, path: str) -> list[tuple[str, str, int, str]]:
    found = judge(call.node)
    return [] if found is None else [(found[0], path, call.line, f"tf.{call.name}{found[1]}")]


def _plain(name: str) -> str:
    """The name of a function without the path of a file of TensorFlow's that has it."""
    head, _, last = name.rpartition(".")
    if head.startswith("python.ops."):
        return f"nn.{last}" if f"nn.{last}" in _ORDERS else last
    return name


def _of_name(name: str, path: str, line: int) -> Sign | None:
    if name in GONE or any(name.startswith(f"{each}.") for each in ("nn.seq2seq", "python.ops.seq2seq")):
        return Sign("0", path, line, f"tf.{name} is of TensorFlow 0.x", is_order=False)
    if any(name == each or name.startswith(f"{each}.") for each in _ONLY_1):
        return Sign("1", path, line, f"tf.{name} is of TensorFlow 1.x", is_order=False)
    return None


Judge = Callable[[ast.Call], tuple[str, str] | None]


def _keyword(call: ast.Call, names: tuple[str, ...]) -> str | None:
    return next((each.arg for each in call.keywords if each.arg in names), None)


def _by_keywords(old: tuple[str, ...], new: tuple[str, ...], then: Judge) -> Judge:
    """A judge that looks at names of arguments first: `old` are those of 0.x, `new` those of 1.x."""

    def judge(call: ast.Call) -> tuple[str, str] | None:
        if name := _keyword(call, old):
            return "0", f"({name}=...) has a name of TensorFlow 0.x"
        if name := _keyword(call, new):
            return "1", f"({name}=...) has a name of TensorFlow 1.x"
        return then(call)

    return judge


def _is_int(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_list(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.ListComp)


def _concat(call: ast.Call) -> tuple[str, str] | None:
    if not call.args:
        return None
    first = call.args[0]
    if _is_int(first) or (len(call.args) > 1 and _is_list(call.args[1])):
        return "0", f"({ast.unparse(first)}, ...) takes the axis first, as TensorFlow 0.x did"
    if _is_list(first) or (len(call.args) > 1 and _is_int(call.args[1])):
        return "1", "(values, ...) takes the values first, as TensorFlow 1.x does"
    return None


def _split(call: ast.Call) -> tuple[str, str] | None:
    if not call.args:
        return None
    first = call.args[0]
    if _is_int(first):
        return "0", f"({ast.unparse(first)}, ...) takes the axis first, as TensorFlow 0.x did"
    if len(call.args) > 1 and (_is_int(call.args[1]) or _is_list(call.args[1])):
        return "1", f"({ast.unparse(first)}, ...) takes the value first, as TensorFlow 1.x does"
    return None


def _cross_entropy(call: ast.Call) -> tuple[str, str] | None:
    if len(call.args) > 1:
        return "0", "(logits, labels) has no names of arguments, which TensorFlow 1.x wants"
    return None


def _reverse(call: ast.Call) -> tuple[str, str] | None:
    if len(call.args) < 2 or not isinstance(call.args[1], ast.List) or not call.args[1].elts:
        return None
    first = call.args[1].elts[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, bool):
        return "0", "(x, [bools]) says for each dimension whether, as TensorFlow 0.x did"
    return ("1", "(x, [axes]) lists axes, as TensorFlow 1.x does") if _is_int(first) else None


def _sampled(call: ast.Call) -> tuple[str, str] | None:
    """The third argument was `inputs` in 0.x and is `labels` in 1.x: the words of the program tell which it means."""
    texts = [ast.unparse(arg).lower() for arg in call.args[2:4]]
    if len(texts) < 2:
        return None
    is_label = [any(word in text for word in ("label", "target", "y_", "true")) for text in texts]
    if is_label == [True, False]:
        return "1", f"(..., {texts[0]}, {texts[1]}) takes the labels third, as TensorFlow 1.x does"
    if is_label == [False, True]:
        return "0", f"(..., {texts[0]}, {texts[1]}) takes the labels fourth, as TensorFlow 0.x did"
    return None


def _silent(call: ast.Call) -> tuple[str, str] | None:
    return None


_ORDERS: Final[dict[str, Judge]] = {
    "concat": _by_keywords(("concat_dim",), ("axis",), _concat),
    "split": _by_keywords(("split_dim", "num_split"), ("num_or_size_splits", "axis"), _split),
    "reverse": _by_keywords(("dims",), ("axis",), _reverse),
    "nn.softmax_cross_entropy_with_logits": _cross_entropy,
    "nn.sparse_softmax_cross_entropy_with_logits": _cross_entropy,
    "nn.sigmoid_cross_entropy_with_logits": _cross_entropy,
    "nn.nce_loss": _by_keywords((), (), _sampled),
    "nn.sampled_softmax_loss": _sampled,
}  # fmt: skip
"""Functions whose arguments the eras order differently -> what their calls tell."""
