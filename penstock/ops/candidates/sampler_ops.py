"""The nodes of candidate samplers: from the true classes of a batch to a few classes drawn from all.

Each gives (sampled_candidates, true_expected_count, sampled_expected_count): the classes; how often each true class is
expected among them; how often each of them is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, NotFoundError, ValueRuleError
from ...graph.declare.op_declaration import OpDef, Samples, op, sample
from ...graph.declare.shared_docs import named
from ...graph.declare.signature import Attr, Flag, Int, Operand, TensorLike, as_float, at_least
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import bits_of, float32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import dims_of, listed, require_rank
from ..declare.string_arguments import Text
from ..random.philox import Position, random_words
from ..random.random_kernels import WORD_FLOPS
from . import range_samplers
from .word_stream import WordSource, WordStream

_Classes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int64), prefer=int64)]
_Count: TypeAlias = Annotated[int, Attr(at_least(1))]
_Shard: TypeAlias = Annotated[int, Attr(at_least(0))]
_RESULTS: Final = (int64, float32, float32)
_NAMES: Final = "->sampled_candidates,true_expected_count,sampled_expected_count"
_BLOCKS_OF_A_CANDIDATE: Final = 512
"""Random blocks that TensorFlow reserves for each class that is drawn."""
_FLOPS: Final = WORD_FLOPS
"""Of each result: a random word for a class; for a count a log, which costs as much."""


def _float(value: Any) -> float:
    return float(np.float32(as_float(value)))


def _floats(value: Any) -> tuple[float, ...]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"must be a list of Python numbers, not {value!r:.80}")
    return tuple(map(_float, value))


_Float: TypeAlias = Annotated[float, Attr(_float)]
_Floats: TypeAlias = Annotated[Any, Attr(_floats)]


def _range_sampler(type: str, name: str) -> OpDef[..., list[Tensor]]:
    """The node of a sampler that knows of its classes only how many there are."""

    @op(
        type,
        graphdef=f"num_true num_sampled unique range_max seed seed2 {_NAMES}",
        out=_RESULTS,
        host_only=True,
        fresh=True,
        flops=_FLOPS,
    )
    @named(f"{name}_sampler_op", public=f"{name}_candidate_sampler")
    def function(
        true_classes: _Classes,
        num_true: _Count,
        num_sampled: _Count,
        unique: Flag,
        range_max: _Count,
        seed: Int = 0,
        seed2: Int = 0,
        name: str | None = None,
    ) -> list[Tensor]:
        """The op behind `{public}`."""

    return function


uniform_sampler_op = _range_sampler("UniformCandidateSampler", "uniform")
log_uniform_sampler_op = _range_sampler("LogUniformCandidateSampler", "log_uniform")
learned_unigram_sampler_op = _range_sampler("LearnedUnigramCandidateSampler", "learned_unigram")


@op(
    "FixedUnigramCandidateSampler",
    graphdef=(
        "num_true num_sampled unique range_max vocab_file distortion num_reserved_ids num_shards "
        f"shard unigrams seed seed2 {_NAMES}"
    ),
    out=_RESULTS,
    host_only=True,
    fresh=True,
    flops=_FLOPS,
)
def fixed_unigram_sampler_op(
    true_classes: _Classes,
    num_true: _Count,
    num_sampled: _Count,
    unique: Flag,
    range_max: _Count,
    vocab_file: Text = "",
    distortion: _Float = 1.0,
    num_reserved_ids: Int = 0,
    num_shards: _Count = 1,
    shard: _Shard = 0,
    unigrams: _Floats = (),
    seed: Int = 0,
    seed2: Int = 0,
    name: str | None = None,
) -> list[Tensor]:
    """The op behind `fixed_unigram_candidate_sampler`."""


@op(
    "AllCandidateSampler",
    graphdef=f"num_true num_sampled unique seed seed2 {_NAMES}", out=_RESULTS, host_only=True, fresh=True, flops=1,
)  # fmt: skip
def all_sampler_op(
    true_classes: _Classes,
    num_true: _Count,
    num_sampled: _Count,
    unique: Flag,
    seed: Int = 0,
    seed2: Int = 0,
    name: str | None = None,
) -> list[Tensor]:
    """The op behind `all_candidate_sampler`."""


def _sampler_shape(true_classes: Tensor, num_true: int, num_sampled: int, *rest: Any) -> list[TensorShape]:
    require_rank(true_classes, 2, 0, "True classes are a row for each example: tf.expand_dims(labels, 1) of a vector.")
    rows = dims_of(true_classes, 2)[0]
    batch = unknown("the shape of true_classes is not known", true_classes) if rows is None else rows
    return [shape_of([num_sampled]), shape_of([batch, num_true]), shape_of([num_sampled])]


def _draws(true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, *rest: Any) -> int:
    if true_classes.ndim != 2:
        raise InvalidArgumentError(message=f"true_classes must be a matrix, got shape {listed(true_classes.shape)}")
    if true_classes.shape[1] != num_true:
        raise InvalidArgumentError(message=f"true_classes must have num_true columns, expected: "
                                           f"{true_classes.shape[1]} was: {num_true}")  # fmt: skip
    if unique and num_sampled > range_max:
        raise InvalidArgumentError(message=f"Sampler's range is too small: {num_sampled} different classes are wanted "
                                           f"of {range_max}")  # fmt: skip
    wrong = true_classes[(true_classes < 0) | (true_classes >= range_max)]
    if wrong.size:
        raise InvalidArgumentError(message=f"`true_candidate` out of range [0, {range_max}), received {wrong[0]}")
    return num_sampled * _BLOCKS_OF_A_CANDIDATE


def _drawn(
    sampler: range_samplers.RangeSampler, stream: WordStream, true_classes: Any, num_sampled: int, unique: bool
) -> list[Any]:
    sampled, draws = range_samplers.sample_batch(sampler, stream, num_sampled, unique)
    return [sampled, *[range_samplers.expected_counts(sampler.probability(each), num_sampled, draws)
                       for each in (true_classes, sampled)]]  # fmt: skip


Drawing: TypeAlias = Callable[..., list[Any]]
"""(stream of words, what the op has kept, arguments) -> the three results."""


def _of_range(sampler: Callable[[int], range_samplers.RangeSampler]) -> Drawing:
    def drawing(
        stream: WordStream, kept: Any, true_classes: Any, num_true: int, num_sampled: int, unique: bool,
        range_max: int, *_: int
    ) -> list[Any]:  # fmt: skip
        return _drawn(sampler(range_max), stream, true_classes, num_sampled, unique)

    return drawing


def kernel_of(drawing: Drawing, source: WordSource = random_words) -> Callable[..., list[Any]]:
    """A kernel whose random words come from a source."""

    def kernel(xp: Any, at: Position, *arguments: Any) -> list[Any]:
        return drawing(WordStream(at, source), at.memory, *arguments)

    return kernel


uniform_drawing = _of_range(range_samplers.UniformSampler)
log_uniform_drawing = _of_range(range_samplers.LogUniformSampler)


# ---- learned unigrams ---------------------------------------------------------------------------


def learned_unigram_counts(memory: Any, true_classes: Any, *arguments: Any) -> Any:
    """How often each class was a true one, and once more."""
    range_max = arguments[3]
    seen = np.bincount(true_classes.reshape(-1), minlength=range_max)
    return (np.ones(range_max, np.int64) if memory is None else memory) + seen


learned_unigram_sampler_op.remembers_rule = learned_unigram_counts


def learned_unigram_drawing(
    stream: WordStream, kept: Any, true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    *_: int
) -> list[Any]:  # fmt: skip
    """By the counts of the calls before."""
    weights = np.ones(range_max, np.int64) if kept is None else kept
    return _drawn(range_samplers.UnigramSampler(weights), stream, true_classes, num_sampled, unique)


# ---- fixed unigrams -----------------------------------------------------------------------------


def check_unigrams(vocab_file: Any, unigrams: Any) -> None:
    """Raise unless there is exactly one source of unigrams.

    Raises:
        ValueRuleError: there is none, or there are two.
    """
    if bool(vocab_file) == (len(unigrams) > 0):
        raise ValueRuleError("Must provide exactly one of vocab_file and unigrams; "
                             f"{'both are' if vocab_file else 'none is'} given")  # fmt: skip


@fixed_unigram_sampler_op.draws
def fixed_unigram_draws(true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
                        *more: Any) -> int:  # fmt: skip
    """As for the others; and the weights fit the range."""
    sampler = _sampler_of(*more[:6])
    if sampler.count != range_max:
        raise InvalidArgumentError(message=f"range_max is {range_max}, but there are {sampler.count} unigrams with the "
                                           "reserved ids; the two must be equal")  # fmt: skip
    if unique and sampler.positive_count < num_sampled:
        raise InvalidArgumentError(message=f"Sampler's range is too small: {num_sampled} different classes are wanted, "
                                           f"and {sampler.positive_count} have a weight")  # fmt: skip
    return _draws(true_classes, num_true, num_sampled, unique, range_max)


def fixed_unigram_drawing(
    stream: WordStream, kept: Any, true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    *more: Any
) -> list[Any]:  # fmt: skip
    """By the weights of a list or a file."""
    return _drawn(_sampler_of(*more[:6]), stream, true_classes, num_sampled, unique)


def _sampler_of(
    vocab_file: bytes, distortion: float, reserved: int, shards: int, shard: int, unigrams: tuple[float, ...]
) -> range_samplers.FixedUnigramSampler:
    weights = unigrams
    if vocab_file:
        path = os.fsdecode(vocab_file)
        try:
            changed = os.stat(path).st_mtime_ns
        except OSError as error:
            raise NotFoundError(message=f"vocab_file {path!r} cannot be read: {error.strerror}") from None
        weights = _weights_in_file(path, changed)
    return range_samplers.fixed_unigram_sampler(weights, distortion, reserved, shards, shard)


@lru_cache(16)
def _weights_in_file(path: str, changed: int) -> tuple[float, ...]:
    """The last column of each line of a file of comma-separated values."""
    weights = []
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            try:
                weights.append(float(np.float32(line.rstrip("\n").rpartition(",")[2])))
            except ValueError:
                raise InvalidArgumentError(message=f"Wrong vocabulary format at line: {line.rstrip()!r:.80} of {path!r}"
                                           ) from None  # fmt: skip
    return tuple(weights)


# ---- all classes --------------------------------------------------------------------------------


@all_sampler_op.draws
def all_draws(true_classes: Any, num_true: int, num_sampled: int, unique: bool, *seeds: int) -> int:
    """TensorFlow reserves blocks, of which it uses none."""
    return _draws(true_classes, num_true, num_sampled, unique, num_sampled)


@all_sampler_op.kernel
def all_kernel(
    xp: Any, at: Position, true_classes: Any, num_true: int, num_sampled: int, unique: bool, *seeds: int
) -> list[Any]:
    """Each class once."""
    ones = [np.ones(shape, np.float32) for shape in (true_classes.shape, num_sampled)]
    return [np.arange(num_sampled, dtype=np.int64), *ones]


# ---- samples ------------------------------------------------------------------------------------


def _range_samples(rng: np.random.Generator) -> Samples:
    classes = rng.integers(0, 20, (3, 2))
    yield sample(classes, 2, 5, True, 20, 3, 4)
    yield sample(classes, 2, 5, False, 20, 3, 4)
    yield sample(classes[:0, :1], 1, 3, True, 32, 3, 4)


@fixed_unigram_sampler_op.samples
def fixed_unigram_samples(rng: np.random.Generator) -> Samples:
    """Two lists of weights."""
    classes, weights = rng.integers(0, 6, (3, 2)), rng.random(6).tolist()
    yield sample(classes, 2, 4, True, 6, "", 1.0, 0, 1, 0, weights, 3, 4)
    yield sample(classes, 2, 9, False, 6, "", 0.75, 2, 1, 0, weights[:4], 3, 4)
    yield sample(classes[:0], 2, 3, True, 6, "", 1.0, 0, 1, 0, weights, 3, 4)


@all_sampler_op.samples
def all_samples(rng: np.random.Generator) -> Samples:
    """Some and no true classes."""
    yield sample(rng.integers(0, 6, (3, 2)), 2, 6, True, 3, 4)
    yield sample(np.zeros((0, 1), np.int64), 1, 4, True, 3, 4)


_OF_RANGE: Final = (uniform_sampler_op, log_uniform_sampler_op, learned_unigram_sampler_op)
for _each in _OF_RANGE:
    _each.draws(_draws)
    _each.samples(_range_samples)
_ALL: Final[tuple[Any, ...]] = (*_OF_RANGE, fixed_unigram_sampler_op, all_sampler_op)
DRAWINGS: Final = {
    "UniformCandidateSampler": uniform_drawing,
    "LogUniformCandidateSampler": log_uniform_drawing,
    "LearnedUnigramCandidateSampler": learned_unigram_drawing,
    "FixedUnigramCandidateSampler": fixed_unigram_drawing,
}
"""Of the samplers that draw; `runtime.kernels.fast_candidates` gives them compiled words."""
for _sampler in _ALL:
    if _sampler.type in DRAWINGS:
        _sampler.kernel(kernel_of(DRAWINGS[_sampler.type]))
    _sampler.shape(_sampler_shape)
    _sampler.no_gradient("it gives random classes, and counts that do not depend on floats")
