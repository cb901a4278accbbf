"""The public functions of `penstock` whose arguments differ from TensorFlow 1.x's; `penstock.compat.v1` has its own."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

import builtins
from collections.abc import Sequence
from ..graph.model.nodes import Tensor
from ..graph.declare.signature import TensorLike
from typing import TYPE_CHECKING as _TYPE_CHECKING
if _TYPE_CHECKING:
    from .. import nn as nn

def shape(input: TensorLike, name: str | None = None) -> Tensor:
    """The shape of `input`.

    Args:
        input: any dtype and shape.

    Returns:
        A vector of dtype int32 with one size for each dimension of `input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    ...     print(session.run(tf.shape(t)))
    [2 2 3]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def size(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of elements of `input`: the product of its sizes.

    Args:
        input: any dtype and shape.

    Returns:
        A scalar of dtype int32.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    ...     print(session.run(tf.size(t)))
    12

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Slices of `params` along dimension 0: out[i..., :] = params[indices[i...], :].

    Args:
        params: any dtype, rank 1 or higher.
        indices: int16, int32 or int64, any shape, entries in [0, params.shape[0]).

    Returns:
        A tensor of shape indices.shape + params.shape[1:] with the dtype of `params`.

    Raises:
        TypeError: `indices` has another dtype.
        ValueError: `params` is a scalar.
        InvalidArgumentError (when run): an index is out of range and the slices have elements.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     params = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.gather(params, 2)))
    ...     print(session.run(tf.gather(params, [2, 0, 1])))
    ...     print(tf.gather(params, [[0, 1], [2, 2]]).shape)
    [5 6]
    [[5 6]
     [1 2]
     [3 4]]
    (2, 2, 2)

    Source: TensorFlow 0.x, Slicing and Joining.
    """

def gather_nd(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Slices of `params` at index vectors: out[b..., :] = params[indices[b..., 0], ..., indices[b..., K-1], :].

    Args:
        params: any dtype, rank 1 or higher.
        indices: int16, int32 or int64, shape batch + [K] with K at most the rank of `params`. Each vector of K indices
            lies inside the first K dimensions of `params`.

    Returns:
        A tensor of shape indices.shape[:-1] + params.shape[K:] with the dtype of `params`.

    Raises:
        TypeError: `indices` has another dtype.
        ValueError: `indices` is a scalar, or K is larger than the rank of `params`.
        InvalidArgumentError (when run): an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     params = tf.constant([["a", "b"], ["c", "d"]])
    ...     print(session.run(tf.gather_nd(params, [[0, 0], [1, 1]])))
    ...     print(session.run(tf.gather_nd(params, [[1], [0]])))
    [b'a' b'd']
    [[b'c' b'd']
     [b'a' b'b']]

    Source: TensorFlow 1.x, `tf.gather_nd`.
    """

def concat(concat_dim: TensorLike, values: Sequence[TensorLike], name: str | None = 'concat') -> Tensor:
    """The tensors of `values`, one after the other along dimension `concat_dim`. A single tensor is returned as it is.

    Args:
        concat_dim: an int32 or int64 scalar in [-rank, rank).
        values: a list of tensors of one dtype and of rank 1 or higher, which agree in all sizes but that of
            `concat_dim`.

    Returns:
        A tensor with the dtype of the values and their shape, with their sizes along `concat_dim` added up.

    Raises:
        TypeError: dtypes differ, or the arguments stand in the order of TensorFlow 1.x.
        ValueError: known shapes do not fit, `concat_dim` is out of range, or the list is empty.
        InvalidArgumentError (when run): shapes do not fit, or `concat_dim` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t1 = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     t2 = tf.constant([[7, 8, 9], [10, 11, 12]])
    ...     print(session.run(tf.concat(0, [t1, t2])).tolist())
    ...     print(session.run(tf.concat(1, [t1, t2])).tolist())
    ...     print(session.run([tf.shape(tf.concat(0, [t1, t2])), tf.shape(tf.concat(1, [t1, t2]))]))
    [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
    [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]
    [array([4, 3], dtype=int32), array([2, 6], dtype=int32)]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def stack(x: Sequence[TensorLike], axis: int = 0, name: str | None = None) -> Tensor:
    """The tensors of `x`, joined along a new dimension `axis`.

    Args:
        x: a list or tuple of at least one tensor, all of one dtype and one shape.
        axis: the place of the new dimension, a Python int in [-(rank + 1), rank + 1).

    Returns:
        A tensor with the dtype of the values and their shape with len(x) inserted at `axis`.

    Raises:
        TypeError: `x` is a single tensor, dtypes differ, or `axis` is not an int.
        ValueError: the list is empty, `axis` is out of range, or known shapes differ.
        InvalidArgumentError (when run): shapes differ, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x1, x2, x3 = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]]), tf.constant([[5.0, 6.0]])
    ...     print(session.run(tf.stack([x1, x2, x3], axis=0)).tolist())
    ...     print(session.run(tf.stack([x1, x2, x3], axis=-2)).tolist())
    [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]
    [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]

    Source: Paddle, `paddle.stack`.
    """

def expand_dims(input: TensorLike, dim: TensorLike, name: str | None = None) -> Tensor:
    """`input` with a dimension of size 1 inserted at `dim`.

    Args:
        input: any dtype and shape.
        dim: an int32 or int64 tensor of one element in [-1 - rank, rank]. A negative one counts from the end; -1
            appends.

    Returns:
        A tensor with the dtype of `input` and its shape with a 1 inserted at `dim`.

    Raises:
        TypeError: `dim` is not int.
        ValueError: `dim` is known and out of range, or has several elements.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t, t2 = tf.constant([1, 2]), tf.zeros([2, 3, 5])
    ...     for wider in [tf.expand_dims(t, d) for d in (0, 1, -1)] + [tf.expand_dims(t2, d) for d in (0, 2, 3)]:
    ...         print(session.run(tf.shape(wider)))
    [1 2]
    [2 1]
    [2 1]
    [1 2 3 5]
    [2 3 1 5]
    [2 3 5 1]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def squeeze(input: TensorLike, squeeze_dims: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """`input` without its dimensions of size 1: without all of them, or without those listed.

    Args:
        input: any dtype and shape.
        squeeze_dims: an int or a list of ints in [-rank, rank). None (the default) or [] means all dimensions of size
            1.

    Returns:
        A tensor with the dtype of `input` and its shape without those sizes of 1.

    Raises:
        TypeError: `squeeze_dims` is neither an int nor a list of ints.
        ValueError: a listed dimension does not exist or is known not to be 1.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.ones([1, 2, 1, 3, 1, 1])
    ...     print(session.run(tf.shape(tf.squeeze(t))), session.run(tf.shape(tf.squeeze(t, [2, 4]))))
    [2 3] [1 2 3 1]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def split(split_dim: TensorLike, num_split: int, value: TensorLike, name: str | None = 'split') -> list[Tensor]:
    """`value` cut into `num_split` tensors of equal size along dimension `split_dim`.

    Args:
        split_dim: an int32 scalar in [-rank, rank).
        num_split: a Python int that divides the size of that dimension.
        value: any dtype, rank 1 or higher.

    Returns:
        A list of `num_split` tensors with the dtype of `value` and its shape with the size of `split_dim` divided by
        `num_split`.

    Raises:
        TypeError: `num_split` is a tensor, `split_dim` is not int32, or the arguments stand in the order of TensorFlow
            1.x.
        ValueError: `split_dim` is out of range, the known size is not divisible, or `num_split` is below 1.
        InvalidArgumentError (when run): `split_dim` is out of range, or the size is not divisible.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     value = tf.zeros([5, 30])
    ...     split0, split1, split2 = tf.split(1, 3, value)
    ...     print(session.run(tf.shape(split0)))
    [ 5 10]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def pad(input: TensorLike, paddings: TensorLike, name: str | None = None) -> Tensor:
    """`input` with zeros added before and after its elements along each dimension.

    Args:
        input: any dtype and shape. The zero of bool is False, that of string is the empty string.
        paddings: int32 or int64 of shape (rank of input, 2). Along dimension i, paddings[i, 0] zeros are added before
            the elements and paddings[i, 1] after them.

    Returns:
        A tensor with the dtype of `input` and its shape, each size plus its two paddings.

    Raises:
        TypeError: `paddings` is not int.
        ValueError: the shape of `paddings` does not fit, or a known entry is negative.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.pad([[1, 1], [2, 2]], [[1, 1], [2, 2]])))
    ...     print(session.run(tf.pad([[1, 1], [2, 2]], [[2, 1], [1, 2]])))
    [[0 0 0 0 0 0]
     [0 0 1 1 0 0]
     [0 0 2 2 0 0]
     [0 0 0 0 0 0]]
    [[0 0 0 0 0]
     [0 0 0 0 0]
     [0 1 1 0 0]
     [0 2 2 0 0]
     [0 0 0 0 0]]

    Source: TensorFlow 0.x, Tensor Transformations, whose example shows the result of the second call.
    """

def reverse(tensor: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """`tensor` with each dimension i reversed for which dims[i] is True.

    Args:
        tensor: any dtype, rank 8 or less.
        dims: a bool vector with one entry for each dimension.

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `dims` is not bool.
        ValueError: `dims` is not a vector, its known length is not the rank, or the rank is above 8.
        InvalidArgumentError (when run): the length of `dims` is not the rank.
        UnimplementedError (when run): the rank is above 8.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.reshape(tf.range(24), [1, 2, 3, 4])
    ...     print(session.run(tf.reverse(t, [False, False, False, True]))[0, 0])
    ...     print(session.run(tf.reverse(t, [False, True, False, False]))[0, 0])
    ...     print(session.run(tf.reverse(t, [False, False, True, False]))[0, 0])
    [[ 3  2  1  0]
     [ 7  6  5  4]
     [11 10  9  8]]
    [[12 13 14 15]
     [16 17 18 19]
     [20 21 22 23]]
    [[ 8  9 10 11]
     [ 4  5  6  7]
     [ 0  1  2  3]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def reverse_sequence(input: TensorLike, seq_lengths: TensorLike, seq_dim: int, name: str | None = None) -> Tensor:
    """`input` with the first seq_lengths[i] elements of slice i reversed along dimension `seq_dim`.

    With n = seq_lengths[i], out[i, ..., t, ...] is input[i, ..., n - 1 - t, ...] for t < n, else input[i, ..., t, ...].

    Args:
        input: any dtype, rank 2 or higher.
        seq_lengths: an int32 or int64 vector of input.shape[0] entries in [0, input.shape[seq_dim]].
        seq_dim: the dimension to reverse, a Python int other than 0.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `seq_lengths` or `seq_dim` is not int.
        ValueError: known ranks or lengths do not fit.
        InvalidArgumentError (when run): ranks or lengths do not fit, or `seq_dim` is 0 or negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     input = tf.reshape(tf.range(32), [4, 8])
    ...     print(session.run(tf.reverse_sequence(input, [7, 2, 3, 5], 1)))
    [[ 6  5  4  3  2  1  0  7]
     [ 9  8 10 11 12 13 14 15]
     [18 17 16 19 20 21 22 23]
     [28 27 26 25 24 29 30 31]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def transpose(a: TensorLike, perm: TensorLike | None = None, name: str | None = 'transpose') -> Tensor:
    """`a` with its dimensions permuted: dimension i of the result is dimension perm[i] of `a`.

    Args:
        a: any dtype and shape.
        perm: an int32 or int64 vector that names each dimension once; a negative entry counts from the end. None (the
            default) reverses the order.

    Returns:
        A tensor with the dtype of `a` and its shape in the order of `perm`.

    Raises:
        TypeError: `perm` is not int.
        ValueError: `perm` is not a vector, its known length is not the rank, or a known entry is out of range.
        InvalidArgumentError (when run): the length does not fit, or an entry is out of range or occurs twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print(session.run(tf.transpose(x)).tolist(), session.run(tf.transpose(x, perm=[1, 0])).tolist())
    ...     b = tf.constant([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]])
    ...     print(session.run(tf.transpose(b, perm=[0, 2, 1])).tolist())
    [[1, 4], [2, 5], [3, 6]] [[1, 4], [2, 5], [3, 6]]
    [[[1, 4], [2, 5], [3, 6]], [[7, 10], [8, 11], [9, 12]]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str | bytes = ',',
    use_quote_delim: builtins.bool = True,
    na_value: str | bytes = '',
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of lines of comma-separated values (RFC 4180).

    Args:
        records: strings of any shape, each of them one line, without the end of the line.
        record_defaults: for each column the value of empty fields, which also states the dtype: a float32, float64,
            int32, int64 or string tensor. It is a scalar or a vector of one value; an empty vector means that the
            field must not be empty.
        field_delim: the character between fields.
        use_quote_delim: True (the default) reads "..." as one field, with "" for a quote in it; False takes quotes as
            any other characters.
        na_value: a further string that means an empty field.
        select_cols: the columns to return, in increasing order; None (the default) means all.

    Returns:
        A list with a tensor for each column, with the shape of `records` and the dtype of its default.

    Raises:
        TypeError: a dtype is another one.
        ValueError: there are no defaults, one has more than one value, `field_delim` is not one character, or
            `select_cols` does not increase or has another length than `record_defaults`.
        InvalidArgumentError (when run): a line has another number of fields, a field is not a number or is missing,
            a quote stands inside a field, or a default has more than one value.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_csv(['1,"a, b"', ",c"], [[-1], [""]])))
    [array([ 1, -1], dtype=int32), array([b'a, b', b'c'], dtype=object)]

    Source: TensorFlow 1.x, `tf.decode_csv`.
    """
