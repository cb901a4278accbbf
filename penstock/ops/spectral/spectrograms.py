"""Spectrograms: a signal cut into frames, weighted by windows, and what brings it back; the scale of pitches."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from ...errors import DTypeError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_int
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import as_dtype, float32
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..create.creation import fill, ones
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite
from ..elementwise.arithmetic import maximum
from ..elementwise.casting import cast
from ..elementwise.transcendental import cos
from ..index.gathering import gather
from ..linalg.matrix_functions import tensordot
from ..move.concat_stack import concat
from ..move.reshaping import reshape
from ..move.tile_pad import pad
from ..move.transpose_reverse import transpose
from .real_fourier import irfft, rfft

PUBLIC_NAMES = {
    "signal": (
        "frame hamming_window hann_window inverse_stft inverse_stft_window_fn linear_to_mel_weight_matrix "
        "mfccs_from_log_mel_spectrograms overlap_and_add stft"
    ),
}

Window = Callable[..., Tensor]


def _int(label: str, value: Any) -> int:
    known = value if isinstance(value, int) else known_int(convert_to_tensor(value))
    if known is None or known < 1:
        raise ValueRuleError(f"{label} is {value!r}; it must be an int above 0 that is known before a run")
    return int(known)


def _raised_cosine(length: Any, periodic: bool, dtype: DTypeLike, height: float) -> Tensor:
    if known_int(convert_to_tensor(length)) == 1:
        return ones([1], dtype)
    count = convert_to_tensor(length)
    period = cast(count - 1 + int(periodic) * (1 - count % 2), as_dtype(dtype))
    return height - (1 - height) * cos(2 * pi * cast(range_op(count), as_dtype(dtype)) / period)


@composite("hann_window")
def hann_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Hann window: one arch of a raised cosine, (window_length,).

    Args:
        window_length: an int.
        periodic: whether one period of an even length ends before its last 0, as spectrograms want it.
        dtype: of floats.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.signal.hann_window(4)))
    [0.  0.5 1.  0.5]

    Source: TensorFlow 1.x, `tf.signal.hann_window`.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5)


@composite("hamming_window")
def hamming_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Hamming window: a raised cosine that ends at 0.08, (window_length,).

    Args:
        window_length: an int.
        periodic: whether one period of an even length ends before its last value, as spectrograms want it.
        dtype: of floats.

    Source: TensorFlow 1.x, `tf.signal.hamming_window`.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54)


@composite("frame")
def frame(
    signal: TensorLike, frame_length: int, frame_step: int, pad_end: bool = False, pad_value: float = 0, axis: int = -1,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """An axis cut into frames that overlap: (..., samples, ...) becomes (..., frames, frame_length, ...).

    Args:
        signal: of any dtype.
        frame_length: the samples of a frame, an int.
        frame_step: the samples between the starts of two frames, an int.
        pad_end: whether frames that begin in the signal and end behind it count; `pad_value` fills them.
        pad_value: a scalar.
        axis: the axis of the samples.

    Raises:
        ValueError: a length is not an int above 0, or there is no such axis.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.signal.frame([1, 2, 3, 4, 5], 3, 2)))
    [[1 2 3]
     [3 4 5]]

    Source: TensorFlow 1.x, `tf.signal.frame`.
    """
    x = convert_to_tensor(signal)
    length, step, rank = _int("frame_length", frame_length), _int("frame_step", frame_step), x.shape.ndims
    if rank is None or not -rank <= axis < rank:
        raise ShapeError(f"frame(axis={axis}): the signal has shape {x.shape}, which must be known and have that axis")
    place = axis % rank
    size: Any = x.shape[place].value
    size = shape_op(x)[place] if size is None else size
    count = -(-size // step) if pad_end else 1 + (size - length) // step
    count = max(count, 0) if isinstance(count, int) else maximum(count, 0)
    if pad_end:
        missing = length + step * (count - 1) - size
        missing = max(missing, 0) if isinstance(missing, int) else maximum(missing, 0)
        filler = shape_op(x)
        tail = concat(0, [filler[:place], [missing], filler[place + 1 :]])
        x = concat(place, [x, fill(tail, cast(convert_to_tensor(pad_value), x.dtype))])
    starts: Any = np.arange(count, dtype=np.int32) if isinstance(count, int) else range_op(count)
    indices = starts[:, None] * step + np.arange(length, dtype=np.int32)
    last = [*range(place), *range(place + 1, rank), place]
    moved = x if place == rank - 1 else transpose(x, last)
    rows = gather(transpose(moved, [rank - 1, *range(rank - 1)]), indices)  # (frames, frame_length, ...)
    return transpose(rows, [*range(2, 2 + place), 0, 1, *range(2 + place, rank + 1)])


@composite("overlap_and_add")
def overlap_and_add(signal: TensorLike, frame_step: int, name: str | None = None) -> Tensor:
    """A signal of frames, added where they overlap: (..., frames, frame_length) becomes (..., samples).

    Args:
        signal: frames; their number of axes and `frame_length` are known.
        frame_step: the samples between the starts of two frames, an int.

    Raises:
        ValueError: fewer than two axes, or `frame_length` is not known.

    Source: TensorFlow 1.x, `tf.signal.overlap_and_add`.
    """
    x = convert_to_tensor(signal)
    rank = x.shape.ndims
    if rank is None or rank < 2 or x.shape[-1].value is None:
        raise ShapeError(f"overlap_and_add: signal has shape {x.shape}; it must be (..., frames, frame_length) with a "
                         "frame_length that is known")  # fmt: skip
    step, length = _int("frame_step", frame_step), x.shape[-1].value
    parts = -(-length // step)
    before: list[list[int]] = [[0, 0]] * (rank - 1)
    x = pad(x, [*before, [0, parts * step - length]])
    total: Any = None
    for part in range(parts):
        piece = pad(x[..., part * step : (part + 1) * step], [*before[:-1], [part, parts - 1 - part], [0, 0]])
        total = piece if total is None else total + piece
    outer: Any = [shape_op(x)[place] if size is None else size for place, size in enumerate(x.shape.as_list()[:-2])]
    samples = reshape(total, [*outer, -1])
    frames = x.shape[-2].value
    end = ((shape_op(x)[-2] if frames is None else frames) - 1) * step + length
    return samples[..., :end]


@composite("stft")
def stft(
    signals: TensorLike, frame_length: int, frame_step: int, fft_length: int | None = None,
    window_fn: Window | None = hann_window, pad_end: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The short-time Fourier transform: (..., samples) becomes complex, (..., frames, fft_length // 2 + 1).

    Args:
        signals: float32.
        frame_length: the samples of a window, an int.
        frame_step: the samples between the starts of two windows, an int.
        fft_length: the size of the transform; the least power of 2 that holds a frame if it is left out.
        window_fn: a function of a length and dtype= that gives the weights of a frame; None for no weights.
        pad_end: whether zeros complete the last frames.

    Raises:
        ValueError: a length is not an int above 0.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.signal.stft(tf.zeros([2, 100]), frame_length=20, frame_step=10).shape)
    (2, 9, 17)

    Source: TensorFlow 1.x, `tf.signal.stft`.
    """
    x, length = convert_to_tensor(signals), _int("frame_length", frame_length)
    if not x.dtype.is_floating:
        raise DTypeError(f"signals are {x.dtype}, and a transform takes floats; write tf.cast(signals, tf.float32) and "
                         "divide 16-bit samples by 32768")  # fmt: skip
    frames = frame(x, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=x.dtype)
    return rfft(frames, [_power(length) if fft_length is None else fft_length])


def _power(length: int) -> int:
    return 1 << (length - 1).bit_length()


@composite("inverse_stft")
def inverse_stft(
    stfts: TensorLike, frame_length: int, frame_step: int, fft_length: int | None = None,
    window_fn: Window | None = hann_window, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signals of spectrograms: (..., frames, fft_length // 2 + 1) becomes (..., samples).

    Args:
        stfts: complex64.
        frame_length: the samples of a window, an int.
        frame_step: the samples between the starts of two windows, an int.
        fft_length: the size of the transform; the least power of 2 that holds a frame if it is left out.
        window_fn: the weights of a frame; `inverse_stft_window_fn` gives those that bring a signal back.

    Source: TensorFlow 1.x, `tf.signal.inverse_stft`.
    """
    length = _int("frame_length", frame_length)
    size = _power(length) if fft_length is None else _int("fft_length", fft_length)
    frames = irfft(stfts, [size])[..., :length]
    if length > size:
        frames = pad(frames, [*[[0, 0]] * ((frames.shape.ndims or 1) - 1), [0, length - size]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: int, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """The window for `inverse_stft` that undoes the one of `stft`.

    Args:
        frame_step: the samples between the starts of two windows, an int.
        forward_window_fn: the window of `stft`.
        name: the name of its operations.

    Source: TensorFlow 1.x, `tf.signal.inverse_stft_window_fn`.
    """
    step = _int("frame_step", frame_step)

    def window(frame_length: int, dtype: DTypeLike = float32) -> Tensor:
        length = _int("frame_length", frame_length)
        forward = forward_window_fn(length, dtype=dtype)
        parts = -(-length // step)
        squares = reshape(pad(forward * forward, [[0, parts * step - length]]), [parts, step])
        sums = sum((squares[part] for part in range(1, parts)), squares[0])
        return forward / concat(0, [sums] * parts)[:length]

    return window


@hides_frames
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20, num_spectrogram_bins: int = 129, sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0, upper_edge_hertz: float = 3800.0, dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Weights from frequencies to pitches on the mel scale: (num_spectrogram_bins, num_mel_bins).

    Args:
        num_mel_bins: the number of pitches.
        num_spectrogram_bins: the number of frequencies, fft_length // 2 + 1.
        sample_rate: samples in a second.
        lower_edge_hertz: where the lowest pitch begins.
        upper_edge_hertz: where the highest pitch ends.
        dtype: of floats.
        name: the name of the constant.

    Raises:
        ValueError: the edges are not between 0 and half the sample rate, or not in order.

    Source: TensorFlow 1.x, `tf.signal.linear_to_mel_weight_matrix`.
    """
    if not 0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2 or num_mel_bins < 1:
        raise ValueRuleError(f"linear_to_mel_weight_matrix: lower_edge_hertz={lower_edge_hertz} and upper_edge_hertz="
                             f"{upper_edge_hertz} must be in this order between 0 and sample_rate / 2 = "
                             f"{sample_rate / 2}, with num_mel_bins={num_mel_bins} above 0")  # fmt: skip

    def mel(hertz: Any) -> Any:
        return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)

    pitches = mel(np.linspace(0.0, sample_rate / 2, num_spectrogram_bins))[1:, None]
    edges = np.linspace(mel(lower_edge_hertz), mel(upper_edge_hertz), num_mel_bins + 2)
    rising = (pitches - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - pitches) / (edges[2:] - edges[1:-1])
    weights = np.pad(np.maximum(0.0, np.minimum(rising, falling)), [[1, 0], [0, 0]])
    return constant(weights.astype(as_dtype(dtype).np), name=name or "linear_to_mel_weight_matrix")


@composite("mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """The cepstral coefficients of pitches: (..., num_mel_bins) stays that shape.

    Args:
        log_mel_spectrograms: logarithms of floats; the last size is known.

    Raises:
        ValueError: the last size is not known, or 0.

    Source: TensorFlow 1.x, `tf.signal.mfccs_from_log_mel_spectrograms`.
    """
    x = convert_to_tensor(log_mel_spectrograms)
    size = None if x.shape.ndims is None else x.shape[-1].value
    if not size:
        raise ShapeError(f"num_mel_bins must be known and positive, and the tensor has shape {x.shape}")
    waves = 2 * np.cos(pi / size * np.outer(np.arange(size) + 0.5, np.arange(size))) / np.sqrt(2.0 * size)
    return tensordot(x, constant(waves.astype(x.dtype.np)), 1)
