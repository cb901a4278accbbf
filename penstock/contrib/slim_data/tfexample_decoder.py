"""`tf.contrib.slim.tfexample_decoder`: the items of serialized examples, each made of features by a handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import (
    FixedLenFeature,
    case,
    cast,
    cond,
    convert_to_tensor,
    decode_raw,
    equal,
    expand_dims,
    image,
    int64,
    logical_or,
    map_fn,
    pack,
    parse_single_example,
    reshape,
    sparse_reshape,
    sparse_tensor_to_dense,
    substr,
    transpose,
    uint8,
)
from ... import SparseTensor as _Sparse
from ... import concat as concat_op
from ... import shape as shape_op
from ... import slice as slice_op
from ...errors import UseError, ValueRuleError

__all__ = [
    "BackupHandler", "BoundingBox", "Image", "ItemHandler", "ItemHandlerCallback", "LookupTensor", "SparseTensor",
    "TFExampleDecoder", "Tensor",
]  # fmt: skip


class ItemHandler:
    """Makes one item of features: a class of it has `tensors_to_item`.

    Args:
        keys: the names of the features, or one of them.

    >>> import penstock as tf
    >>> tf.contrib.slim.tfexample_decoder.ItemHandler("image/height").keys
    ['image/height']

    Source: TensorFlow 1.x, `tf.contrib.slim.tfexample_decoder.ItemHandler`.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = [keys] if isinstance(keys, str) else list(keys)

    @property
    def keys(self) -> list[str]:
        """The names of the features."""
        return self._keys

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The item.

        Args:
            keys_to_tensors: the features by their names.

        Raises:
            NotImplementedError: the class has no such method of its own.
        """
        raise NotImplementedError(f"{type(self).__name__} has no tensors_to_item")


class ItemHandlerCallback(ItemHandler):
    """The item is what a function of the features gives.

    Args:
        keys: the names of the features.
        func: a function of a dictionary of features.
    """

    def __init__(self, keys: Any, func: Callable[[Mapping[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """What the function gives."""
        return self._func(keys_to_tensors)


class BoxesItem(ItemHandler):
    """Boxes of shape [number, 4] from four features with a side of each box.

    Args:
        keys: their names; by default ymin, xmin, ymax and xmax.
        prefix: stands before each name.

    Raises:
        ValueError: there are not four names.
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        sides = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(sides) != 4:
            raise ValueRuleError(f"BoundingBox expects 4 keys but got {len(sides)}")
        super().__init__([prefix + each for each in sides])

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The boxes."""
        sides = [keys_to_tensors[key] for key in self.keys]
        rows = [expand_dims(each.values if isinstance(each, _Sparse) else each, 0) for each in sides]
        return transpose(concat_op(0, rows))


class DenseItem(ItemHandler):
    """A feature as a dense tensor.

    Args:
        tensor_key: its name.
        shape_keys: the names of features with its shape, or with a size for each dimension.
        shape: its shape.
        default_value: what stands where a sparse feature has nothing.

    Raises:
        ValueError: both `shape_keys` and `shape` are given.
    """

    def __init__(
        self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0
    ) -> None:
        if shape_keys is not None and shape is not None:
            raise ValueRuleError("Cannot specify both shape_keys and shape parameters.")
        sizes = [shape_keys] if isinstance(shape_keys, str) else list(shape_keys or ())
        super().__init__([tensor_key, *sizes])
        self._default, self._shape = default_value, shape

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The tensor."""
        tensor, *sizes = [keys_to_tensors[key] for key in self.keys]
        shape = reshape(pack([_dense(each) for each in sizes]), [-1]) if sizes else self._shape
        if isinstance(tensor, _Sparse):
            return _dense(tensor if shape is None else sparse_reshape(tensor, shape), self._default)
        return tensor if shape is None else reshape(tensor, shape)


class LookupTensor(DenseItem):
    """A feature as a dense tensor of what a table says of its values.

    Args:
        tensor_key, shape_keys, shape, default_value: as of `Tensor`.
        table: a lookup table.
    """

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None, default_value: Any = ""
    ) -> None:
        super().__init__(tensor_key, shape_keys, shape, default_value)
        self._table = table

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The values of the table."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """The item of one handler, or of another where the first one's is empty.

    Args:
        handler: the first handler.
        backup: the other.

    Raises:
        ValueError: one of them is no `ItemHandler`.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for name, each in (("Primary", handler), ("Backup", backup)):
            if not isinstance(each, ItemHandler):
                raise ValueRuleError(f"{name} handler is of type {type(each)} instead of ItemHandler")
        super().__init__([*handler.keys, *backup.keys])
        self._handler, self._backup = handler, backup

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The item of one of them."""
        first = self._handler.tensors_to_item(keys_to_tensors)
        is_empty = equal(shape_op(reshape(first, [-1]))[0], 0)
        return cond(is_empty, lambda: self._backup.tensors_to_item(keys_to_tensors), lambda: first)


class SparseItem(ItemHandler):
    """A sparse tensor whose last indices are one feature, its values another.

    Args:
        indices_key, values_key: the names of the two; by default "indices" and "values".
        shape_key: the name of a feature with the shape.
        shape: the shape; by default that of the indices.
        densify: whether the item is dense.
        default_value: what stands in the dense one where there is nothing.
    """

    def __init__(
        self, indices_key: str | None = None, values_key: str | None = None, shape_key: str | None = None,
        shape: Any = None, densify: bool = False, default_value: Any = 0,
    ) -> None:  # fmt: skip
        keys = [indices_key or "indices", values_key or "values"]
        super().__init__([*keys, shape_key] if shape_key else keys)
        self._shape, self._densify, self._default = shape, densify, default_value

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The sparse tensor, or the dense one."""
        places, values, *shapes = [keys_to_tensors[key] for key in self.keys]
        shape = _dense(shapes[0]) if shapes else self._shape or places.dense_shape
        rank = shape_op(places.indices)[1]
        before = slice_op(places.indices, [0, 0], pack([-1, rank - 1]))
        indices = concat_op(1, [before, reshape(cast(places.values, int64), [-1, 1])])
        item = _Sparse(indices, values.values, shape)
        return sparse_tensor_to_dense(item, self._default) if self._densify else item


class ImageItem(ItemHandler):
    """A decoded image: JPEG, PNG, GIF or BMP by its first bytes, or numbers where the format is "raw".

    Args:
        image_key: the name of the feature with the bytes; by default "image/encoded".
        format_key: that of the format; by default "image/format".
        shape: the shape of the image; by default [?, ?, channels].
        channels: the number of channels.
        dtype: the dtype of the item.
        repeated: whether there is a list of images.
        dct_method: as of `tf.image.decode_jpeg`.
    """

    def __init__(
        self, image_key: str | None = None, format_key: str | None = None, shape: Any = None, channels: int = 3,
        dtype: Any = uint8, repeated: bool = False, dct_method: str = "",
    ) -> None:  # fmt: skip
        super().__init__([image_key or "image/encoded", format_key or "image/format"])
        self._shape, self._channels, self._dtype, self._repeated = shape, channels, dtype, repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The image, or the images."""
        encoded, format = (keys_to_tensors[key] for key in self.keys)
        if self._repeated:
            return map_fn(lambda each: self._decoded(each, format), encoded, dtype=self._dtype)
        return self._decoded(encoded, format)

    def _decoded(self, encoded: Any, format: Any) -> Any:
        channels, dtype = self._channels, self._dtype

        def of_jpeg() -> Any:
            return cast(image.decode_jpeg(encoded, channels, dct_method=self._dct_method), dtype)

        def by_bytes() -> Any:
            is_jpeg = equal(substr(encoded, 0, 3), b"\xff\xd8\xff")
            return cond(is_jpeg, of_jpeg, lambda: cast(image.decode_image(encoded, channels), dtype))

        is_raw = logical_or(equal(format, "raw"), equal(format, "RAW"))
        pixels = case([(is_raw, lambda: decode_raw(encoded, dtype))], default=by_bytes, exclusive=True)
        if self._shape is not None:
            return reshape(pixels, self._shape)
        pixels.set_shape([None, None, channels])
        return pixels


class TFExampleDecoder:
    """Decodes serialized examples into items.

    Args:
        keys_to_features: the features by their names, as `tf.parse_single_example` takes them.
        items_to_handlers: an `ItemHandler` for each item, by the item's name.

    Raises:
        TypeError: a handler is no `ItemHandler`.

    >>> import penstock as tf
    >>> slim = tf.contrib.slim
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     example = tf.train.Example(features=tf.train.Features(feature={
    ...         "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))}))
    ...     decoder = slim.tfexample_decoder.TFExampleDecoder(
    ...         {"label": tf.FixedLenFeature([], tf.int64)}, {"number": slim.tfexample_decoder.Tensor("label")})
    ...     (number,) = decoder.decode(example.SerializeToString())
    ...     print(decoder.list_items(), session.run(number))
    ['number'] 3

    Source: TensorFlow 1.x, `tf.contrib.slim.tfexample_decoder.TFExampleDecoder`.
    """

    def __init__(self, keys_to_features: Mapping[str, Any], items_to_handlers: Mapping[str, ItemHandler]) -> None:
        for name, each in items_to_handlers.items():
            if not isinstance(each, ItemHandler):
                raise UseError(f"TFExampleDecoder: the handler of {name!r} is {each!r:.60}; it must be an ItemHandler, "
                               "such as slim.tfexample_decoder.Tensor('label')")  # fmt: skip
        self._features, self._handlers = dict(keys_to_features), dict(items_to_handlers)

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._handlers)

    def decode(self, serialized_example: Any, items: Sequence[str] | None = None) -> list[Any]:
        """The items of one example.

        Args:
            serialized_example: a string scalar.
            items: the names of the wanted items; by default all.

        Returns:
            A list with an item for each name.

        Raises:
            ValueError: there is no such item, or a handler needs a feature that is not described.
        """
        example = parse_single_example(convert_to_tensor(serialized_example), self._features)
        for key, feature in self._features.items():
            if isinstance(feature, FixedLenFeature):
                example[key] = reshape(example[key], feature.shape)
        return [self._item(name, example) for name in (self._handlers if items is None else items)]

    def _item(self, name: str, example: Mapping[str, Any]) -> Any:
        if (handler := self._handlers.get(name)) is None:
            raise ValueRuleError(f"there is no item {name!r}; there are {', '.join(self._handlers)}")
        if missing := [key for key in handler.keys if key not in example]:
            raise ValueRuleError(f"the handler of {name!r} needs the feature {missing[0]!r}, which keys_to_features "
                                 f"lacks; it has {', '.join(example)}")  # fmt: skip
        return handler.tensors_to_item({key: example[key] for key in handler.keys})


def _dense(tensor: Any, default: Any = 0) -> Any:
    return sparse_tensor_to_dense(tensor, default) if isinstance(tensor, _Sparse) else tensor


BoundingBox, Image, SparseTensor, Tensor = BoxesItem, ImageItem, SparseItem, DenseItem
"""TensorFlow's names of the handlers."""
