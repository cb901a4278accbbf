"""RNN, GRU and LSTM: loops over the time, with ONNX's order of gates.

    x (time, batch, input)    W (directions, gates * hidden, input)    R (directions, gates * hidden, hidden)
    y (time, directions, batch, hidden)    last states (directions, batch, hidden)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, int64
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from .activation_reads import elu, hard_sigmoid
from .flow_reads import looped
from .onnx_row import OnnxOp
from .values import as_dtype, constant, scalar, sizes, vector, where

Activation = Callable[[Tensor], Tensor]
_USUAL_ALPHA = {"leakyrelu": 0.01, "thresholdedrelu": 1.0, "hardsigmoid": 0.2, "elu": 1.0, "scaledtanh": 1.0,
                "affine": 1.0}  # fmt: skip
_USUAL_BETA = {"hardsigmoid": 0.5, "scaledtanh": 1.0, "affine": 0.0}


def _activation(name: str, alpha: float | None, beta: float | None) -> Activation:
    key = name.lower()
    a = _USUAL_ALPHA.get(key, 1.0) if alpha is None else alpha
    b = _USUAL_BETA.get(key, 0.0) if beta is None else beta
    table: dict[str, Activation] = {
        "sigmoid": ops.sigmoid,
        "tanh": ops.tanh,
        "relu": ops.relu,
        "softplus": ops.softplus,
        "softsign": lambda x: x / (scalar(x, 1) + ops.abs(x)),
        "elu": lambda x: elu(x, a),
        "leakyrelu": lambda x: where(x < scalar(x, 0), scalar(x, a) * x, x),
        "thresholdedrelu": lambda x: where(x > scalar(x, a), x, ops.zeros_like(x)),
        "hardsigmoid": lambda x: hard_sigmoid(x, a, b),
        "scaledtanh": lambda x: scalar(x, a) * ops.tanh(scalar(x, b) * x),
        "affine": lambda x: scalar(x, a) * x + scalar(x, b),
    }
    if key not in table:
        raise UnsupportedOnnx(f"its activation {name!r} has no counterpart here")
    return table[key]


def _activations(n: OnnxNode, usual: Sequence[str], directions: int) -> list[list[Activation]]:
    names = [s.decode() for s in n.strings("activations", [])] or [*usual] * directions
    alphas, betas = n.floats("activation_alpha", []), n.floats("activation_beta", [])
    made = []
    for name in names:
        key = name.lower()
        alpha = alphas.pop(0) if alphas and key in _USUAL_ALPHA else None
        beta = betas.pop(0) if betas and key in _USUAL_BETA else None
        made.append(_activation(name, alpha, beta))
    each = len(usual)
    return [made[i * each : (i + 1) * each] for i in range(directions)]


Step = Callable[[Sequence[Tensor], Sequence[Tensor]], list[Tensor]]
"""From what the input gives to the gates, in parts, and the states, the next states."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """What a cell does in one direction.

    Attributes:
        step: one step of it.
        parts: how many gates each part of the input's share has.
        bias: what is added to the input's share, before the loop.
    """

    step: Step
    parts: Sequence[int]
    bias: Tensor | None


def _clipped(n: OnnxNode) -> Activation:
    limit = n.float("clip", 0.0)
    if not limit:
        return lambda x: x
    return lambda x: ops.minimum(ops.maximum(x, scalar(x, -limit)), scalar(x, limit))


def _recurrent(n: OnnxNode, usual: Sequence[str], states: int, cell: Callable[..., _Cell]) -> list[Tensor]:
    """All directions of a node."""
    x, w, r = n.tensor(0), n.tensor(1), n.tensor(2)
    layout = n.int("layout", 0)
    if layout:
        x = ops.transpose(x, [1, 0, 2])
    direction = n.text("direction", "forward")
    count = 2 if direction == "bidirectional" else 1
    hidden = known_size(n.int("hidden_size", None) or sizes(r)[2], "the number of its hidden units is")
    batch = sizes(x)[1]
    lengths = as_dtype(n.tensor(4), int64) if n.has(4) else None
    functions = _activations(n, usual, count)
    outs, lasts = [], []
    for d in range(count):
        back = direction == "reverse" or d == 1
        bias = n.tensor(3)[d] if n.has(3) else None
        first = []
        for s in range(states):
            place = 5 + s
            if n.has(place):
                given = n.tensor(place)
                own_first = given[:, d] if layout else given[d]
                first.append(ops.reshape(own_first, vector([batch, hidden])))
            else:
                first.append(ops.fill(vector([batch, hidden]), scalar(x, 0)))
        own = cell(n, r[d], bias, functions[d], hidden, d)
        y, last = _over_time(own.step, _shares(own, x, w[d], hidden), first, lengths, back)
        outs.append(y)
        lasts.append(last)
    y = ops.stack(outs, axis=1)
    joined = [ops.stack([last[s] for last in lasts], axis=0) for s in range(states)]
    if layout:
        return [ops.transpose(y, [2, 0, 1, 3]), *[ops.transpose(t, [1, 0, 2]) for t in joined]]
    return [y, *joined]


def _shares(cell: _Cell, x: Tensor, w: Tensor, hidden: int) -> list[Tensor]:
    """The input's share of the gates, which needs no loop: a product for all times."""
    time, batch, inputs = sizes(x)
    flat = ops.reshape(x, vector([-1, inputs]))
    start, shares = 0, []
    for gates in cell.parts:
        own = slice(start * hidden, (start + gates) * hidden)
        start += gates
        wide = ops.matmul(flat, ops.transpose(w[own] if len(cell.parts) > 1 else w))
        if cell.bias is not None:
            wide = wide + cell.bias[own]
        shares.append(ops.reshape(wide, vector([time, batch, gates * hidden])))
    return shares


def _over_time(
    step: Step, rows: Sequence[Tensor], first: list[Tensor], lengths: Tensor | None, back: bool
) -> tuple[Tensor, list[Tensor]]:
    """Outputs for each time, and the last states; an ended sequence gives 0 and keeps its states."""
    if lengths is not None:
        return _ragged(step, rows, first, lengths, back)

    def body(*inputs: Tensor) -> list[Tensor]:
        made = step(inputs[len(first) :], inputs[: len(first)])
        return [*made, ops.identity(made[0])]

    found = looped(first, body, None, lambda *inputs: constant(True, bool_), rows, back)
    return found[len(first)], found[: len(first)]


def _ragged(
    step: Step, rows: Sequence[Tensor], first: list[Tensor], lengths: Tensor, back: bool
) -> tuple[Tensor, list[Tensor]]:
    size = sizes(rows[0])[0]
    times = ops.range(constant(0), constant(size) if isinstance(size, int) else size)

    def body(*inputs: Tensor) -> list[Tensor]:
        states, time = inputs[: len(first)], inputs[-1]
        made = step(inputs[len(first) : -1], states)
        goes = ops.expand_dims(time < lengths, 1)
        kept = [where(goes, new, old) for new, old in zip(made, states, strict=True)]
        return [*kept, where(goes, made[0], ops.zeros_like(made[0]))]

    found = looped(first, body, None, lambda *inputs: constant(True, bool_), [*rows, times], back)
    return found[len(first)], found[: len(first)]


# ---- the cells ---------------------------------------------------------------------------------


def _both(bias: Tensor | None, size: int) -> Tensor | None:
    """The biases of the input and of the state, where they are added to the same."""
    return None if bias is None else bias[:size] + bias[size:]


def _rnn(
    n: OnnxNode, r: Tensor, bias: Tensor | None, functions: list[Activation], hidden: int, direction: int
) -> _Cell:
    clip, turned = _clipped(n), ops.transpose(r)

    def step(rows: Sequence[Tensor], states: Sequence[Tensor]) -> list[Tensor]:
        return [functions[0](clip(rows[0] + ops.matmul(states[0], turned)))]

    return _Cell(step, (1,), _both(bias, hidden))


def _lstm(
    n: OnnxNode, r: Tensor, bias: Tensor | None, functions: list[Activation], hidden: int, direction: int
) -> _Cell:
    """Gates: input, output, forget, cell; peepholes: input, output, forget."""
    clip = _clipped(n)
    peep = n.tensor(7)[direction] if n.has(7) else None
    f, g, h = functions
    coupled = n.int("input_forget", 0)
    turned = ops.transpose(r)

    def step(rows: Sequence[Tensor], states: Sequence[Tensor]) -> list[Tensor]:
        before, cell = states
        i, o, forget, new = ops.split(1, 4, rows[0] + ops.matmul(before, turned))
        if peep is not None:
            own = peep
            i = i + own[:hidden] * cell
            forget = forget + own[2 * hidden :] * cell
        i = f(clip(i))
        forget = scalar(i, 1) - i if coupled else f(clip(forget))
        after = forget * cell + i * g(clip(new))
        if peep is not None:
            o = o + peep[hidden : 2 * hidden] * after
        return [f(clip(o)) * h(after), after]

    return _Cell(step, (4,), _both(bias, 4 * hidden))


def _gru(
    n: OnnxNode, r: Tensor, bias: Tensor | None, functions: list[Activation], hidden: int, direction: int
) -> _Cell:
    """Gates: update, reset, hidden. The reset comes after the state's product with the weights, or before."""
    late = n.int("linear_before_reset", 0)
    own = _both(bias, 3 * hidden)
    if not late:
        return _Cell(_early_reset(n, r, functions, hidden), (2, 1), own)
    inner = None
    if bias is not None and own is not None:
        inner = bias[5 * hidden :]
        own = ops.concat(0, [own[: 2 * hidden], bias[2 * hidden : 3 * hidden]])
    return _Cell(_late_reset(n, r, inner, functions, hidden), (3,), own)


def _early_reset(n: OnnxNode, r: Tensor, functions: list[Activation], hidden: int) -> Step:
    clip, (f, g) = _clipped(n), functions
    first, second = ops.transpose(r[: 2 * hidden]), ops.transpose(r[2 * hidden :])

    def step(rows: Sequence[Tensor], states: Sequence[Tensor]) -> list[Tensor]:
        before = states[0]
        update, reset = ops.split(1, 2, f(clip(rows[0] + ops.matmul(before, first))))
        new = g(clip(rows[1] + ops.matmul(reset * before, second)))
        return [(scalar(update, 1) - update) * new + update * before]

    return step


def _late_reset(n: OnnxNode, r: Tensor, bias: Tensor | None, functions: list[Activation], hidden: int) -> Step:
    """bias: of the hidden gate, within the reset."""
    clip, (f, g), turned = _clipped(n), functions, ops.transpose(r)

    def step(rows: Sequence[Tensor], states: Sequence[Tensor]) -> list[Tensor]:
        before = states[0]
        update, reset, inner = ops.split(1, 3, ops.matmul(before, turned))
        from_update, from_reset, from_inner = ops.split(1, 3, rows[0])
        update, reset = f(clip(from_update + update)), f(clip(from_reset + reset))
        new = g(clip(from_inner + reset * (inner if bias is None else inner + bias)))
        return [(scalar(update, 1) - update) * new + update * before]

    return step


RECURRENT = (
    OnnxOp("GRU", lambda n: _recurrent(n, ("Sigmoid", "Tanh"), 1, _gru), 7),
    OnnxOp("LSTM", lambda n: _recurrent(n, ("Sigmoid", "Tanh", "Tanh"), 2, _lstm), 7),
    OnnxOp("RNN", lambda n: _recurrent(n, ("Tanh",), 1, _rnn), 7),
)
