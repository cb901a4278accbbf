"""einsum: sums of products of elements, described by an equation of index labels.

Each node takes one operand or two. A pair is multiplied as a batch of matrices: labels of both operands and the result
count batches, labels of both operands alone are summed over, the others are rows or columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from string import ascii_letters
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import COMPLEX, FLOATS, INT32_64, Attr, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, merge_dims, unknown
from ...graph.shapes.shape import TensorShape, broadcast, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite
from ..declare.shape_checks import listed
from ..declare.string_arguments import as_bytes
from .matmul import matrix_product

PUBLIC_NAMES = {"start linalg": "einsum"}

_TERM = re.compile(r"[A-Za-z]*(\.\.\.[A-Za-z]*)?")
_Factors: TypeAlias = Annotated[Sequence[TensorLike], Operand("T", FLOATS | COMPLEX | INT32_64, many=True)]
Labels: TypeAlias = list[Any]
"""The label of each dimension: a letter, or -1 - i for the dimension of an ellipsis that is number i from its end."""


def _equation(value: Any) -> str:
    return _normal(as_bytes(value).decode("ascii", "backslashreplace"))


@op("Einsum", graphdef="N=#inputs T=inputs equation")
def einsum_op(inputs: _Factors, equation: Annotated[str | bytes, Attr(_equation)], name: str | None = None) -> Tensor:
    """The sum of products that `equation` describes, of one tensor or two."""


@einsum_op.shape
def einsum_op_shape(inputs: Sequence[Tensor], equation: str) -> TensorShape:
    terms, result = _terms(equation)
    if len(inputs) != len(terms):
        raise ValueRuleError(f'Got {len(inputs)} inputs for equation "{equation}", expecting {len(terms)}',
                             cure="The equation has a term for each input, with commas between them.")  # fmt: skip
    for i, (tensor, term) in enumerate(zip(inputs, terms, strict=True)):
        _check_rank(tensor, term, i, equation)
    if any(tensor.shape.raw is None and "." in term for tensor, term in zip(inputs, terms, strict=True)):
        return unknown_rank("the number of dimensions of an ellipsis is not known", inputs[0])
    sizes: dict[Any, Dim] = {}
    for i, (tensor, term) in enumerate(zip(inputs, terms, strict=True)):
        _note_sizes(sizes, tensor, _labels(term, tensor.shape.ndims or 0), i)
    return _result_shape(sizes, result, equation, inputs[0])


@einsum_op.kernel
def einsum_op_kernel(xp: Any, inputs: Sequence[Any], equation: str) -> Any:
    terms, result = _terms(equation)
    labels = [_checked_labels(array.shape, term, equation) for array, term in zip(inputs, terms, strict=True)]
    sizes = _sizes_in_run(inputs, labels)
    wide = [_widened(array) for array in inputs]
    out = _labels(result, len(result.replace(".", "")) + _broadcast_rank(sizes))
    if "." not in result and _broadcast_rank(sizes):
        raise InvalidArgumentError(message=f"the result of {equation} has no place for the dimensions of ...")
    if len(wide) == 1:
        made = _alone(xp, wide[0], labels[0], out)
    else:
        made = _together(xp, wide[0], wide[1], labels[0], labels[1], out, sizes)
    return made.astype(inputs[0].dtype, copy=False)


@einsum_op.fails
def einsum_op_fails(inputs: Sequence[Tensor], equation: str) -> str | None:
    known = all(tensor.shape.is_known for tensor in inputs)
    return None if known else "whether the sizes fit is not known before the run"


@einsum_op.gradient("each operand: einsum of g and the other operand")
def einsum_op_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    inputs, equation = op.args
    terms, result = _terms(equation)
    return [partial(gradient_of_operand, ops, inputs, terms, result, place, g) for place in range(len(inputs))]


@einsum_op.samples
def einsum_op_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((2, 3)).astype("f4"), rng.random((3, 4)).astype("f4")], "ij,jk->ki")
    yield sample([rng.random((2, 1, 3, 3)), rng.random((5, 3))], "...ii,...i->i...")
    yield sample([np.arange(6).reshape(2, 3)], "ij->j")
    yield sample([np.zeros((0, 2), "c8"), np.zeros((2,), "c8")], "ab,b->")


# ---- the equation -------------------------------------------------------------------------------


def _normal(equation: str) -> str:
    """The equation without blanks, and with the result that it leaves out."""
    text = equation.replace(" ", "")
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    if not all(_TERM.fullmatch(term) for term in [*terms, result]):
        raise ValueRuleError(f"Subscripts have incorrect format: {equation}",
                             cure="Write a letter for each dimension, as in 'ij,jk->ik'.")  # fmt: skip
    letters = Counter(left.replace(".", "").replace(",", ""))
    if not arrow:
        result = "..." * ("." in left) + "".join(sorted(letter for letter, count in letters.items() if count == 1))
    for letter, count in Counter(result.replace(".", "")).items():
        if count > 1:
            raise ValueRuleError(f"Output subscripts contain a label appearing more than once: {equation}")
        if letter not in letters:
            raise ValueRuleError(f"Output subscripts contain the label {letter} not present in the input subscripts.",
                                 cure="Every letter of the result is a dimension of some input.")  # fmt: skip
    return f"{left}->{result}"


def _terms(equation: str) -> tuple[list[str], str]:
    left, _, result = equation.partition("->")
    return left.split(","), result


def _labels(term: str, rank: int) -> Labels:
    """The label of each of `rank` dimensions."""
    before, dots, after = term.partition("...")
    inner = rank - len(before) - len(after)
    return [*before, *[-1 - i for i in reversed(range(inner if dots else 0))], *after]


def _broadcast_rank(sizes: dict[Any, Any]) -> int:
    """How many dimensions the ellipses stand for, by the sizes of all labels."""
    return max([0, *[-label for label in sizes if isinstance(label, int)]])


def _axes(inputs: Sequence[Tensor], equation: str) -> Axes | None:
    terms, result = _terms(equation)
    if any(tensor.shape.raw is None for tensor in inputs):
        return None
    given = [_labels(term, len(t.shape.raw or ())) for term, t in zip(terms, inputs, strict=True)]
    rank = _broadcast_rank(dict.fromkeys(label for labels in given for label in labels))
    for labels, tensor in zip(given, inputs, strict=True):
        for axis, dim in enumerate(tensor.shape.raw or ()):
            if dim == 1 and isinstance(labels[axis], int):
                labels[axis] = None  # a dimension of an ellipsis of size 1 is repeated
    return given, [_labels(result, rank + len(result.replace(".", "")))]


einsum_op.distributes(labelled(_axes, "sum"))


# ---- shapes -------------------------------------------------------------------------------------


def _check_rank(tensor: Tensor, term: str, operand: int, equation: str) -> None:
    rank, letters = tensor.shape.ndims, len(term.replace(".", ""))
    if rank is not None and (rank < letters if "." in term else rank != letters):
        least = "at least " if "." in term else ""
        raise ShapeError(f"Shape must be {least}rank {letters} but is rank {rank} for input {operand} and equation: "
                         f"{equation}", operand=operand)  # fmt: skip


def _note_sizes(sizes: dict[Any, Dim], tensor: Tensor, labels: Labels, operand: int) -> None:
    """Note the size of each label; ShapeError where a label has two."""
    for dim, (label, size) in enumerate(zip(labels, tensor.shape.raw or (), strict=False)):
        known = sizes.get(label, size)
        try:
            if isinstance(label, int):  # the dimensions of an ellipsis are broadcast
                (sizes[label],) = broadcast(shape_of((known,)), shape_of((size,)), tensor).raw or (size,)
            else:
                sizes[label] = merge_dims(known, size)
        except ShapeError as error:
            raise error.with_operand(operand=operand, dim=dim, cure="A letter stands for one size.") from None


def _result_shape(sizes: dict[Any, Dim], result: str, equation: str, first: Tensor) -> TensorShape:
    rank = _broadcast_rank(sizes)
    if rank and "." not in result:
        raise ShapeError(
            f"Shape must be at most rank 0 but is rank {rank} for einsum equation '{equation}' without "
            "ellipsis (...) in the output subscripts where input(s) have non-empty broadcasting shape"
        )
    labels = _labels(result, rank + len(result.replace(".", "")))
    reason = "the size of a label is not known before the run"
    return shape_of(sizes[label] if label in sizes else unknown(reason, first) for label in labels)


# ---- the run ------------------------------------------------------------------------------------


def _checked_labels(shape: Sequence[int], term: str, equation: str) -> Labels:
    letters = len(term.replace(".", ""))
    if len(shape) < letters if "." in term else len(shape) != letters:
        raise InvalidArgumentError(
            message=f"an input of shape {listed(shape)} does not fit the labels {term!r} of {equation}"
        )
    return _labels(term, len(shape))


def _sizes_in_run(inputs: Sequence[Any], labels: Sequence[Labels]) -> dict[Any, int]:
    sizes: dict[Any, int] = {}
    for array, each in zip(inputs, labels, strict=True):
        for label, size in zip(each, array.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known != size and not (isinstance(label, int) and 1 in (known, size)):
                raise InvalidArgumentError(
                    message=f"Expected dimension {known} for label {label} of the input shaped "
                    f"{listed(array.shape)} but got dimension {size}"
                )
            sizes[label] = size if known == 1 else known
    return sizes


def _widened(array: Any) -> Any:
    """16-bit floats as float32: products are summed in it."""
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


def _reduced(xp: Any, array: Any, labels: Labels, keep: Labels) -> tuple[Any, Labels]:
    """The diagonal of repeated labels, and the sum over labels that are not kept."""
    labels = list(labels)
    for label, count in Counter(labels).items():
        for _ in range(count - 1):
            first = labels.index(label)
            second = labels.index(label, first + 1)
            array = array.diagonal(axis1=first, axis2=second)
            labels = [other for i, other in enumerate(labels) if i not in (first, second)] + [label]
    dropped = tuple(i for i, label in enumerate(labels) if label not in keep)
    if dropped:
        array = xp.sum(array, axis=dropped, dtype=array.dtype)
    return array, [label for label in labels if label in keep]


def _alone(xp: Any, array: Any, labels: Labels, out: Labels) -> Any:
    reduced, left = _reduced(xp, array, labels, out)
    return xp.asarray(reduced).transpose([left.index(label) for label in out]).copy()  # memory of its own


def _row_major(xp: Any, array: Any) -> Any:
    return xp.ascontiguousarray(array) if array.ndim else array  # of a scalar it would make a vector


def _together(xp: Any, a: Any, b: Any, a_labels: Labels, b_labels: Labels, out: Labels, sizes: dict[Any, int]) -> Any:
    # BLAS sums in an order that depends on strides: row-major operands give the same bits for every layout.
    a, a_labels = _reduced(xp, _row_major(xp, a), a_labels, [*b_labels, *out])
    b, b_labels = _reduced(xp, _row_major(xp, b), b_labels, [*a_labels, *out])
    batch = [label for label in out if label in a_labels and label in b_labels]
    free = [label for label in out if label not in batch]
    if free and free[0] in b_labels:  # the rows of the result come from its first label
        a, b, a_labels, b_labels = b, a, b_labels, a_labels
    summed = [label for label in a_labels if label in b_labels and label not in batch]
    rows = [label for label in free if label in a_labels]
    columns = [label for label in free if label in b_labels]
    left = _matrix(a, a_labels, batch, rows, summed, sizes)
    right = _matrix(b, b_labels, batch, columns, summed, sizes).swapaxes(-1, -2)
    product = matrix_product(xp, left, right) if summed else left * right
    order = [*batch, *rows, *columns]
    return product.reshape([sizes[label] for label in order]).transpose([order.index(label) for label in out])


def _matrix(array: Any, labels: Labels, batch: Labels, free: Labels, summed: Labels, sizes: dict[Any, int]) -> Any:
    """The array as a batch of matrices with the free labels along rows and the summed ones along columns."""
    at_end = bool(free) and labels[-1:] == free[-1:]  # then rows and columns are exchanged in a view, without a copy
    order = [*batch, *summed, *free] if at_end else [*batch, *free, *summed]
    turned = array.transpose([labels.index(label) for label in order])
    shape = [turned.shape[i] for i in range(len(batch))]
    rows, columns = (int(np.prod([sizes[label] for label in group], dtype=np.int64)) for group in (free, summed))
    made = turned.reshape([*shape, columns, rows] if at_end else [*shape, rows, columns])
    return made.swapaxes(-1, -2) if at_end else made


# ---- the call -----------------------------------------------------------------------------------


@composite("einsum")
def einsum(equation: str, *inputs: TensorLike, name: str | None = None) -> Tensor:
    """Sums of products of elements: "ij,jk->ik" means out[i, k] = sum over j of inputs[0][i, j] * inputs[1][j, k].

    Args:
        equation: a letter for each dimension of each input, inputs separated by commas, and behind "->" the letters of
            the result; letters that are not there are summed over. A letter twice in one input takes the diagonal.
            "..." stands for further dimensions, which are broadcast. Without "->" the result has "..." and the letters
            that occur once, in alphabetical order.
        inputs: tensors of floats, complex numbers, int32 or int64, all of one dtype. Of more than two the pair with
            the smallest result is multiplied first.

    Returns:
        A tensor with the dtype of the inputs; its shape has the sizes of the letters behind "->".

    Raises:
        TypeError: an input has another dtype, or they differ.
        ValueError: the equation is malformed or does not fit the number of inputs, a rank does not fit, or a letter
            has two known sizes.
        InvalidArgumentError (when run): a rank does not fit, or a letter has two sizes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.einsum("ij,jk->ik", [[1, 2], [3, 4]], [[5, 6], [7, 8]])))
    ...     print(session.run(tf.einsum("ii->i", [[1, 2], [3, 4]])))
    [[19 22]
     [43 50]]
    [1 4]

    Source: TensorFlow 1.x, `tf.einsum`.
    """
    if not isinstance(equation, str):
        raise DTypeError(f"equation must be a Python string, not a {type(equation).__name__}")
    terms, result = _terms(_equation(equation))
    if len(inputs) != len(terms):
        raise ValueRuleError(f'Got {len(inputs)} inputs for equation "{equation}", expecting {len(terms)}',
                             cure="The equation has a term for each input, with commas between them.")  # fmt: skip
    tensors = [convert_to_tensor(each) for each in inputs]
    while len(tensors) > 2:
        i, j = _best_pair(tensors, terms, result)
        kept = "".join(term for k, term in enumerate(terms) if k not in (i, j)) + result
        pair = [tensors.pop(j), tensors.pop(i)][::-1]
        labels = [terms.pop(j), terms.pop(i)][::-1]
        terms.append(_joined(labels[0], labels[1], kept))
        tensors.append(einsum_op(pair, f"{labels[0]},{labels[1]}->{terms[-1]}"))
    return einsum_op(tensors, f"{','.join(terms)}->{result}")


def _joined(a: str, b: str, kept: str) -> str:
    """The labels of a product: those of its operands that others or the result have too."""
    letters = dict.fromkeys((a + b).replace(".", ""))
    return "..." * ("." in a + b) + "".join(letter for letter in letters if letter in kept)


def _best_pair(tensors: Sequence[Tensor], terms: Sequence[str], result: str) -> tuple[int, int]:
    """The two operands whose product is smallest; unknown sizes count as 100."""
    sizes: dict[str, int] = {}
    for tensor, term in zip(tensors, terms, strict=True):
        dims = tensor.shape.raw or ()
        for label, size in zip(_labels(term, len(dims)), dims, strict=False):
            sizes[label] = size if isinstance(size, int) else sizes.get(label, _USUAL)

    def elements(pair: tuple[int, int]) -> int:
        kept = "".join(term for k, term in enumerate(terms) if k not in pair) + result
        joined = _joined(terms[pair[0]], terms[pair[1]], kept).replace(".", "")
        return int(np.prod([sizes.get(label, _USUAL) for label in joined], dtype=object))

    return min(((i, j) for j in range(len(terms)) for i in range(j)), key=elements)


_USUAL = 100


# ---- the gradient --------------------------------------------------------------------------------


_DOTS = "..."


def gradient_of_operand(
    ops: Any, inputs: Sequence[Tensor], terms: Sequence[str], result: str, place: int, g: Tensor
) -> Tensor:
    """The gradient of operand number `place` of einsum("terms -> result").

    It is the sum of products of `g` and the other operand over the labels that this one has not. A label that only this
    operand has was summed: its gradient repeats. A label that it has twice took a diagonal: its gradient has only that.
    """
    if _DOTS not in result:  # then the ellipses of the operands have no dimensions
        terms = [term.replace(_DOTS, "") for term in terms]
    term = terms[place]
    others = [(inputs[i], terms[i]) for i in range(len(terms)) if i != place]
    around = set(result).union(*[set(other) for _, other in others])
    counts = Counter(term.replace(_DOTS, ""))
    kept = [label for label in counts if label in around]
    dots = _DOTS if _DOTS in result else ""
    left = ",".join([result, *[other for _, other in others]])
    value = ops.einsum(f"{left}->{dots}{''.join(kept)}", g, *[ops.conj(other) for other, _ in others])
    before, _, after = term.partition(_DOTS) if _DOTS in term else (term, "", "")
    shape, rank = ops.shape(inputs[place]), ops.rank(inputs[place])
    value, labels = _completed(ops, value, dots, kept, before + after, _Sizes(shape, rank, len(before), len(after)))
    if dots and _DOTS not in term:
        return ops.reduce_sum(value, ops.range(0, ops.rank(value) - len(labels)))
    if not dots:
        return value
    inner = ops.concat(0, [shape[len(before) : rank - len(after)], shape[: len(before)], shape[rank - len(after) :]])
    repeated, _ = ops.broadcast_gradient_args(inner, ops.shape(value))
    summed = ops.reshape(ops.reduce_sum(value, repeated), inner)
    names = ascii_letters[: len(labels)]
    order = f"{names[: len(before)]}{_DOTS}{names[len(before) :]}"
    return ops.einsum(f"{_DOTS}{names}->{order}", summed)


class _Sizes:
    """The sizes of the labelled dimensions of an operand, which may have an ellipsis among them."""

    def __init__(self, shape: Tensor, rank: Tensor, before: int, after: int) -> None:
        self._shape, self._rank, self._before, self._after = shape, rank, before, after

    def of(self, number: int) -> Any:
        """The size of label number `number`."""
        if number < self._before:
            return self._shape[number]
        return self._shape[self._rank - (self._before + self._after - number)]


def _completed(
    ops: Any, value: Tensor, dots: str, kept: Sequence[str], wanted: str, sizes: _Sizes
) -> tuple[Tensor, str]:
    """`value`, whose labels are `kept`, with a dimension for each label of `wanted`, in its order."""
    names = dict(zip(kept, kept, strict=True))  # label -> its name in `value`
    free = (letter for letter in ascii_letters if letter not in wanted)
    have, labels = list(kept), ""
    for number, label in enumerate(wanted):
        if label not in names:  # only this operand has it
            ones = ops.fill([sizes.of(number)], ops.constant(1, value.dtype))
            value = ops.einsum(f"{dots}{''.join(have)},{label}->{dots}{''.join(have)}{label}", value, ones)
            have.append(label)
            names[label] = label
        elif label in labels:  # a second time: the diagonal of two dimensions
            twin = next(free)
            eye = ops.eye(sizes.of(number), dtype=value.dtype)
            value = ops.einsum(f"{dots}{''.join(have)},{label}{twin}->{dots}{''.join(have)}{twin}", value, eye)
            have.append(twin)
            labels += twin
            continue
        labels += label
    if "".join(have) != labels:
        value = ops.einsum(f"{dots}{''.join(have)}->{dots}{labels}", value)
    return value, labels
