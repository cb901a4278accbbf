"""What the networks share: how their calls are reported, the dict of what layers give, the last layers of some."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from ...graph.model.nodes import Tensor
from ...ops.declare.composite import all_or_nothing, reported_as_call
from ...ops.move.reshaping import squeeze
from ...variables.constant_initializers import zeros_initializer
from ...variables.variable_scope_block import variable_scope
from ..framework import arg_scope
from ..layer_functions.layer_utilities import convert_collection_to_dict
from ..layers import conv2d, dropout

Points: TypeAlias = dict[str, Tensor]
Network: TypeAlias = Callable[..., tuple[Tensor, Points]]


def public_network(name: str, image_size: int | None = None) -> Callable[[Network], Network]:
    """A decorator for functions that build a network: a call that fails adds nothing, and is reported by its name.

    image_size: the side of the images for which the network was made, its `default_image_size`.
    """

    def decorate(function: Network) -> Network:
        function.__name__ = function.__qualname__ = name

        @reported_as_call(name)
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> tuple[Tensor, Points]:
            return all_or_nothing([*args, *kwargs.values()], lambda: function(*args, **kwargs))

        if image_size is not None:
            call.default_image_size = image_size  # type: ignore[attr-defined]  # as TensorFlow's functions have it
        return call

    return decorate


@contextmanager
def collected(
    scope: Any, default_name: str, inputs: Any, layers: list[Any], reuse: Any = None
) -> Iterator[tuple[Any, str]]:
    """The scope of a network in which layers note their outputs; gives the scope and the name of the collection."""
    with variable_scope(scope, default_name, [inputs], reuse=reuse) as whole:
        collection = f"{whole.original_name_scope}_end_points"
        with arg_scope(layers, outputs_collections=collection):
            yield whole, collection


def classified(
    net: Tensor, whole: Any, collection: str, window: list[int], num_classes: int, is_training: Any,
    dropout_keep_prob: float, spatial_squeeze: bool,
) -> tuple[Tensor, Points]:  # fmt: skip
    """The three last layers: 4096, 4096 and `num_classes` channels, with dropout between them."""
    net = conv2d(net, 4096, window, padding="VALID", scope="fc6")
    net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
    net = conv2d(net, 4096, [1, 1], scope="fc7")
    net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
    net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                 biases_initializer=zeros_initializer(), scope="fc8")  # fmt: skip
    points = convert_collection_to_dict(collection)
    if spatial_squeeze:
        net = squeeze(net, [1, 2], name="fc8/squeezed")
        points[f"{whole.name}/fc8"] = net
    return net, points
