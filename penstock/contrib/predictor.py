"""`tf.contrib.predictor`: a saved model, or a graph that runs, as a function from arrays to arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..api.missing_names import add_hints as _add_hints
from ..errors import ValueRuleError
from ..graph.model.nodes import Graph
from ..runtime.session.session import Session
from ..train.saved_models import model_constants as names
from ..train.saved_models.model_loading import load


class Predictor:
    """Calls the results of a model by their names in a signature.

    Attributes:
        session: the session in which the model runs, which is the caller's to close.
        feed_tensors: a dict from names to the tensors that are fed.
        fetch_tensors: a dict from names to the tensors that are fetched.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None])
    ...     double = tf.contrib.predictor.Predictor(session, {"x": x}, {"y": x * 2.0})
    ...     print(double({"x": [1.0, 2.5]}))
    {'y': array([2., 5.], dtype=float32)}

    Source: TensorFlow 1.x, `tf.contrib.predictor`.
    """

    def __init__(self, session: Session, feed_tensors: Mapping[str, Any], fetch_tensors: Mapping[str, Any]) -> None:
        self.session = session
        self.feed_tensors, self.fetch_tensors = dict(feed_tensors), dict(fetch_tensors)

    @property
    def graph(self) -> Graph:
        """The graph of the model."""
        return self.session.graph

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """The results for these inputs.

        Args:
            input_dict: a dict from the names of inputs to arrays; those that are left out are not fed.

        Returns:
            A dict from the names of results to arrays.

        Raises:
            ValueError: a name is that of no input.
        """
        unknown = sorted({*input_dict} - {*self.feed_tensors})
        if unknown:
            raise ValueRuleError(f"Got unexpected keys in input_dict: {', '.join(map(repr, unknown))}. "
                                 f"The model takes {', '.join(map(repr, sorted(self.feed_tensors)))}")  # fmt: skip
        feeds = {self.feed_tensors[name]: value for name, value in input_dict.items()}
        results: dict[str, Any] = self.session.run(self.fetch_tensors, feeds)
        return results


def from_saved_model(
    export_dir: str | os.PathLike[str],
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | Iterable[str] | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """Loads a saved model, and gives a function of its inputs.

    Args:
        export_dir: the folder of the model.
        signature_def_key: which of its signatures; "serving_default" if nothing is given.
        signature_def: a `SignatureDef` instead.
        input_names, output_names: dicts from names to the names of tensors, instead of a signature; both are given.
        tags: of the graph in the model, in a text with commas or a list; "serve" if None.
        graph: the graph to load into; a new one if None.
        config: a `tf.ConfigProto` or `SessionConfig` of the session.

    Returns:
        A function with the attributes of `Predictor`; it takes a dict of arrays and returns a dict of arrays.

    Raises:
        ValueError: a signature and names are given, or only one of `input_names` and `output_names`, or there is no
            such signature.
        NotFoundError: there is no model in the folder.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...         x = tf.placeholder(tf.float32, [None])
    ...         tf.saved_model.simple_save(session, folder + "/model", {"x": x}, {"y": x + 1.0})
    ...     predict = tf.contrib.predictor.from_saved_model(folder + "/model")
    ...     print(predict({"x": [1.0]})["y"])
    [2.]

    Source: TensorFlow 1.x, `tf.contrib.predictor.from_saved_model`.
    """
    if (input_names is None) != (output_names is None):
        raise ValueRuleError("from_saved_model: input_names and output_names must both be given, or neither")
    if sum(each is not None for each in (signature_def_key, signature_def, input_names)) > 1:
        raise ValueRuleError("from_saved_model: give one of signature_def_key, signature_def, and input_names with "
                             "output_names")  # fmt: skip
    wanted = names.SERVING.split(",") if tags is None else tags.split(",") if isinstance(tags, str) else [*tags]
    session = Session(graph=Graph() if graph is None else graph, config=config)
    with session.graph.as_default():
        model = load(session, wanted, export_dir)
    if input_names is None or output_names is None:
        key = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY if signature_def_key is None else signature_def_key
        if signature_def is None and key not in model.signature_def:
            session.close()
            raise ValueRuleError(f"Got signature_def_key {key!r}. Available signatures are "
                                 f"{', '.join(map(repr, sorted(model.signature_def)))}")  # fmt: skip
        signature = model.signature_def[key] if signature_def is None else signature_def
        input_names = {name: info.name for name, info in signature.inputs.items()}
        output_names = {name: info.name for name, info in signature.outputs.items()}
    return Predictor(session, _tensors(session.graph, input_names), _tensors(session.graph, output_names))


def _tensors(graph: Graph, named: Mapping[str, str]) -> dict[str, Any]:
    return {name: graph.get_tensor_by_name(tensor) for name, tensor in named.items()}


__all__ = ["Predictor", "from_saved_model"]

_add_hints(__name__)
