"""The table of all templates, by name."""

from __future__ import annotations

from typing import Final

from ..convolution.convolution_loop import convolution_loop
from ..convolution.depthwise_loops import depthwise_filter_loop, depthwise_loop
from ..convolution.few_channels_loop import few_channels_loop
from ..convolution.filter_gradient_loop import filter_gradient_loop
from ..convolution.pooling_loops import pool_gradient_loop, pool_loop
from ..products.matrix_product_loop import matrix_product_loop
from .crc32c_loop import crc32c_loop
from .example_fill_loop import fill_examples_loop
from .example_loops import scan_examples_loop
from .gathered_rows_loop import gathered_rows_loop
from .interleave_loops import unzip_loop, zip_loop
from .loop_template import Template
from .nest_loops import NEST_LOOPS
from .number_parsing import bytes_only_loop, numbers_loop
from .partition_loops import count_labels, part_by_lines
from .random_loops import (
    random_ints_loop,
    random_normal_loop,
    random_truncated_loop,
    random_uniform_loop,
    shuffle_order_loop,
)
from .shuffle_buffer_loop import shuffle_buffer_loop
from .sparse_loops import sorted_match_loop, sparse_product_loop
from .stitch_loop import merge
from .stream_compaction import compact, mask_bits
from .strided_rows_loop import strided_rows_loop
from .transpose_loop import transpose_loop
from .woven_rows_loop import woven_rows_loop

TEMPLATES: Final[dict[str, Template]] = {
    each.name: each
    for each in (
        *NEST_LOOPS,
        mask_bits,
        bytes_only_loop,
        convolution_loop,
        count_labels,
        crc32c_loop,
        compact,
        depthwise_filter_loop,
        depthwise_loop,
        few_channels_loop,
        fill_examples_loop,
        filter_gradient_loop,
        gathered_rows_loop,
        matrix_product_loop,
        merge,
        numbers_loop,
        part_by_lines,
        pool_gradient_loop,
        pool_loop,
        random_ints_loop,
        random_normal_loop,
        random_truncated_loop,
        random_uniform_loop,
        scan_examples_loop,
        shuffle_buffer_loop,
        shuffle_order_loop,
        sorted_match_loop,
        sparse_product_loop,
        strided_rows_loop,
        transpose_loop,
        unzip_loop,
        woven_rows_loop,
        zip_loop,
    )
}
