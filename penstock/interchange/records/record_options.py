"""How a record file is compressed: `TFRecordOptions`, and zlib's compressor for it.

With the same settings the compressed bytes are TensorFlow's: its memory level is 9, where Python's is 8.
"""

from __future__ import annotations

import zlib
from typing import Any, Final

from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames_of_init

_MEMORY_LEVEL: Final = 9
_NUMBERS: Final = {"compression_level": (-1, 9), "mem_level": (1, 9), "compression_strategy": (0, 4)}
"""The least and the greatest value of zlib's settings."""


class TFRecordCompressionType:
    """How a record file is compressed: NONE, ZLIB or GZIP.

    >>> import penstock as tf
    >>> tf.python_io.TFRecordCompressionType.GZIP
    2
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


@hides_frames_of_init
class TFRecordOptions:
    """How a record file is compressed.

    Args:
        compression_type: a `TFRecordCompressionType`, another `TFRecordOptions`, or "", "ZLIB" or "GZIP".
        flush_mode: ignored, as are the sizes of buffers and the compression method: what is written is the same.
        input_buffer_size: ignored.
        output_buffer_size: ignored.
        window_bits: the base two logarithm of the bytes that zlib looks back over, 9 to 15; None means 15.
        compression_level: from 0, none, to 9, most; None or -1 means zlib's own choice.
        compression_method: ignored; there is only one.
        mem_level: how much memory zlib uses, 1 to 9; None means 9.
        compression_strategy: zlib's strategy, 0 to 4; None means 0.

    Raises:
        ValueError: a value is none of these.

    >>> import penstock as tf
    >>> tf.python_io.TFRecordOptions("GZIP").compression_type
    'GZIP'

    Source: TensorFlow 1.15, `tf.python_io.TFRecordOptions`.
    """

    compression_type_map = {  # noqa: RUF012  # a dictionary, as TensorFlow's
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.compression_type = compression_of(compression_type)
        """"", "ZLIB" or "GZIP"."""
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy
        for name, (least, most) in (*_NUMBERS.items(), ("window_bits", (-15, 47))):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or not least <= value <= most):
                raise ValueRuleError(f"{name} {value!r:.60}: it is an int from {least} to {most}")

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of a compression.

        Args:
            options: a `TFRecordOptions`, a `TFRecordCompressionType`, a name or None.

        Returns:
            "", "ZLIB" or "GZIP".

        Raises:
            ValueError: it is something else.

        >>> import penstock as tf
        >>> tf.python_io.TFRecordOptions.get_compression_type_string(tf.python_io.TFRecordCompressionType.ZLIB)
        'ZLIB'
        """
        return compression_of(options)


def compression_of(compression: Any) -> str:
    """The name of a compression that a program gives: "", "GZIP" or "ZLIB".

    Raises:
        ValueRuleError (a ValueError): it is another value.
    """
    if isinstance(compression, TFRecordOptions):
        return compression_of(compression.compression_type)
    names = {None: "", 0: "", "": "", 1: "ZLIB", "ZLIB": "ZLIB", 2: "GZIP", "GZIP": "GZIP"}
    compression_name = names.get(compression) if isinstance(compression, (int, str, type(None))) else None
    if compression_name is None:
        raise ValueRuleError(f"compression {compression!r:.60}: it is None, 'ZLIB', 'GZIP' or a TFRecordOptions")
    return compression_name


def packer_of(options: Any) -> Any:
    """zlib's compressor for the options of a writer; None where nothing is compressed.

    Raises:
        ValueRuleError (a ValueError): the options are none.
    """
    kind = compression_of(options)
    if not kind:
        return None
    settings = options if isinstance(options, TFRecordOptions) else TFRecordOptions(kind)
    bits = 15 if settings.window_bits is None else settings.window_bits
    if kind == "GZIP" and 0 < bits < 16:
        bits += 16
    try:
        return zlib.compressobj(
            -1 if settings.compression_level is None else settings.compression_level,
            zlib.DEFLATED,
            bits,
            _MEMORY_LEVEL if settings.mem_level is None else settings.mem_level,
            settings.compression_strategy or 0,
        )
    except (zlib.error, ValueError):
        raise ValueRuleError(f"window_bits {bits}: zlib takes 9 to 15") from None
