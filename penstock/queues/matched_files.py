"""`tf.train.match_filenames_once`: the files that match a pattern, looked up once."""

from __future__ import annotations

from ..data.calls import dataset_call
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import get_default_graph
from ..ops.records.file_ops import matching_files
from ..variables.graph_keys import GraphKeys
from ..variables.variable import Variable


@dataset_call
def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """A variable with the paths of the files that match a pattern when it is initialised.

    It is one of the local variables: `tf.local_variables_initializer()` looks the files up.

    Args:
        pattern: a scalar or a vector of patterns, as `tf.gfile.Glob` takes them.
        name: the name of the variable; "matching_filenames" without it.

    Returns:
        A `Variable` of dtype string and of shape [None].

    Raises:
        TypeError: `pattern` is not string.

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("1,2"), (folder / "b.csv").write_text("3,4")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     files = tf.train.match_filenames_once(f"{folder}/*.csv")
    ...     session.run(tf.local_variables_initializer())
    ...     print(len(session.run(files)))
    2

    Source: TensorFlow 1.x, `tf.train.match_filenames_once`.
    """
    with get_default_graph().name_scope(name or "matching_filenames") as scope:
        return Variable(matching_files(pattern), trainable=False, validate_shape=False, name=scope,
                        collections=[GraphKeys.LOCAL_VARIABLES])  # fmt: skip
