"""Views of a graph: a table, a picture, a networkx graph, a comparison, a cost.

`Graph` inherits these methods. What they call stands above the nodes and is reached through `graph.common.hooks`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from ..common.hooks import hooks
from ..common.tracebacks import hides_frames_of_methods

if TYPE_CHECKING:
    from ..inspect.graph_diff import GraphDiff
    from ..inspect.text_table import TextTable


@hides_frames_of_methods
class GraphViews:
    """The part of a `Graph` that shows it."""

    def to_networkx(self) -> Any:
        """The graph as a `networkx.MultiDiGraph`: nodes are operation names, edges are tensors and control inputs.

        Returns:
            A new `networkx.MultiDiGraph`.

        Raises:
            ImportError: networkx is not installed; `pip install penstock[networkx]` installs it.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     a = tf.constant(1, name="a")
        ...     b = tf.add(a, a, name="b")
        >>> list(g.to_networkx().edges())
        [('a', 'b'), ('a', 'b')]
        """
        return hooks.to_networkx(self)

    def summary(
        self, scope: str | None = None, *, width: int | None = None, columns: Iterable[str] | None = None
    ) -> TextTable:
        """A table of the nodes: name, op, inputs, dtype, shape and line.

        Args:
            scope: the name of a scope, of which alone the nodes are listed.
            width: the characters of a line; longer cells are cut, names and lines last. None is the width of the
                terminal; where the output is not a terminal, `COLUMNS` of the environment, or 100. 0 cuts nothing.
            columns: which columns, in which order: "name", "op", "inputs", "dtype", "shape", "line", and also "type"
                (dtype and shape), "attributes", "device" and "code" (the text of the line). None is the first six,
                without the inputs and then the lines where names could not be told apart beside them.

        Returns:
            The table: a text that a notebook shows as a table.

        Raises:
            TypeError: `scope` is not a text, or `width` is not an int.
            ValueError: there is no such column, or the width is negative.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g, g.name_scope("s"):
        ...     a = tf.constant(1, name="a")
        >>> print(g.summary("s").split("  line")[0])
        name  op     inputs  dtype  shape
        >>> g.summary(columns=["name", "type", "attributes"])
        name  type      attributes
        s/a   int32 ()  value=1
        """
        if scope is not None and not isinstance(scope, str):
            raise TypeError(f"Graph.summary(scope={scope!r}): a scope is a name such as 'tower'")
        if width is not None and (isinstance(width, bool) or not isinstance(width, int)):
            raise TypeError(f"Graph.summary(width={width!r}): a width is an int, or None")
        if width is not None and width < 0:
            raise ValueError(f"Graph.summary(width={width}): a width is at least 0; 0 cuts nothing")
        found: TextTable = hooks.summary(self, scope, width, columns)
        return found

    def races(self, fetches: Any = None) -> Any:
        """The pairs of operations on one variable that no path orders, of which one writes.

        A run always treats such a pair in the same way: a use sees the value at the start of the run, writes follow
        each other in the order in which they were made.

        Args:
            fetches: what a run fetches, as in `Session.run`; without it, all of the graph but initializers and
                checkpoints, which have runs of their own.

        Returns:
            A sequence of the races that matter, which prints as text: the variable, both lines, what every run does,
            and what to write. Its `rest` has the others, such as the forward pass and the update of one training step.

        Raises:
            TypeError: a fetch of the wrong kind.
            ValueError: a fetch that is not in the graph.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     v = tf.Variable(1.0, name="v")
        ...     more = v.assign_add(1.0, name="more")
        ...     twice = tf.multiply(v, 2.0, name="twice")
        >>> races = graph.races([more, twice])
        >>> len(races), races[0].kind, races[0].outcome
        (1, 'read', 'twice does not see what more writes')
        """
        return hooks.races(self, fetches)

    def partitions(
        self, fetches: Any, feed_dict: Any = None, *, jobs: Mapping[str, Sequence[int]] | None = None
    ) -> Any:
        """The parts into which the devices of operations cut a run: what runs on which worker, and what goes between.

        It needs no cluster. It cuts the graph as it was written: a session on a cluster rewrites it first, and chooses
        a worker for operations whose device names none; here they run where their first operand is.

        Args:
            fetches: what the run fetches, as in `Session.run`.
            feed_dict: what it feeds, values or a list of tensors. Without values, sizes that follow from them are not
                known.
            jobs: the numbers of the workers of each job, as in `SessionConfig.jobs`. None is one job, "worker".

        Returns:
            A sequence of partitions that prints as text. Its `crossing` is the number of bytes that go from place to
            place, `crossings` lists the values, `waits` is how many of them come one after the other.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch that is not in the graph.
            InvalidArgumentError: a device names a job or a task that is not there.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     with tf.device("/job:worker/task:0"):
        ...         table = tf.Variable(tf.zeros([500]), name="table")
        ...         total = tf.reduce_sum(table, name="total")
        ...     with tf.device("/job:worker/task:1"):
        ...         half = tf.divide(total, 2.0, name="half")
        >>> print(graph.partitions(half))
        2 partitions, 4 bytes cross
          0  worker 0: table, total
          1  worker 1: half
          total:0 goes from worker 0 to worker 1: 4 bytes
        """
        return hooks.partitions(self, fetches, feed_dict, jobs)

    def diff(self, other: Self) -> GraphDiff:
        """What differs between this graph and `other`, by node name: `+` for added, `-` for gone, `~` for changed.

        Args:
            other: another graph.

        Returns:
            A `GraphDiff`: data that prints as text.

        Raises:
            TypeError: `other` is not a Graph.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     a = tf.constant(1, name="a")
        >>> print(tf.Graph().diff(g))
        + a  Const  int32 ()
        """
        if not isinstance(other, GraphViews):
            raise TypeError(f"Graph.diff({other!r}): a graph is compared with a Graph, not with {type(other).__name__}")
        found: GraphDiff = hooks.diff(self, other)
        return found

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        fetches: Any = None,
        feeds: Mapping[Any, Any] | Sequence[Any] | None = None,
        session: Any = None,
        depth: int | None = None,
        hide: str | Iterable[str] = (),
        repeats: Literal["fold", "each"] | None = None,
        title: str = "",
        colour: str = "kind",
        constants: Literal["labels", "boxes"] | None = None,
        direction: Literal["auto", "down", "right"] = "auto",
        full_names: bool = False,
        scale: float | None = None,
        play: bool = False,
        context: Literal["cut", "dim"] | None = None,
        opset: int | None = None,
    ) -> Path:
        """Writes the graph to a file, in the form that the suffix names.

        Args:
            path: a path that ends with .html (an interactive page), .svg, .png, .pdf, .dot, .mmd, .graphml, .txt or
                .picture.json (pictures), .json, .pb or .pbtxt (the graph itself, as `tf.save_graph` writes it), .py (a
                program that builds the graph again, as `graph`), or .onnx (what a run of `fetches` computes, as
                `tf.save_onnx` writes it).
                .png and .pdf need the extra `penstock[pictures]`.
            fetches: tensors, operations or names, alone or in lists, tuples and dicts. They are marked, and what they
                do not need is left out; see `context`.
            feeds: what a run is fed, as in `Session.run`; a page (.html) then shows the stages from the graph to the
                plan and one recorded run of `fetches`. With a list of tensors it shows the stages alone. Of a model
                (.onnx) they are its inputs.
            session: the `Session` of that run; without it a new one, in which variables have their initial
                values.
            depth: scopes nested deeper than this are closed: with 0 each is one box. None closes those for which there
                is no room: a still drawing fits a screen of 1400 x 1000 if closing scopes can achieve it.
            hide: patterns of names, such as "tower/*"; such operations and scopes are left out.
            repeats: what a still picture does with rows of scopes that are equal inside, such as step, step_1, step_2:
                "fold" draws one, labelled "step x3", "each" draws all. None folds drawings (.svg, .png, .pdf, .dot,
                .mmd, .txt) and leaves data (.graphml, .picture.json) as they are. A page folds them and can open them.
            title: the title of the picture.
            colour: the meaning of the colours: "kind", "type" (of the op), "dtype" or "device". A page offers all of
                them and opens with this one.
            constants: "labels" writes each constant as a line in the boxes that read it, "boxes" draws it as a box.
                None is "labels", and "boxes" in .graphml and .picture.json, which hold every node.
            direction: the way in which arrows point, "down" or "right"; "auto" takes the one that fits a screen better.
            full_names: whether a text tree (.txt) shows full names, `dense/kernel`, instead of their last parts.
            scale: for .png, the pixels for one unit of the SVG; 2 by default.
            play: whether a page (.html) computes: a reader edits cells of feeds, constants and variables, and sees what
                changes. `feeds` gives each placeholder a value to begin with, variables begin with those of `session`,
                without it with their initial values. For small graphs: at most 20,000 numbers.
            context: what becomes of nodes that no fetch needs: "cut" leaves them out, "dim" draws them grey. None is
                "cut", and "dim" in .graphml and .picture.json, which hold every node. A page with `feeds` shows all
                nodes at its first stage.
            opset: the version of ONNX's operators, for .onnx.

        Returns:
            The path.

        Raises:
            ImportError: .png or .pdf without the extra `penstock[pictures]`.
            TypeError: an option is of another type.
            ValueError: another suffix, or a value that an option does not take; with `play`, a placeholder without a
                value, or a graph that is too large.
            OSError: the file cannot be written.

        >>> import pathlib, tempfile, penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     a = tf.constant(1, name="a")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(g.export(pathlib.Path(folder, "graph.svg")).name)
        graph.svg
        """
        made: Path = hooks.export(
            "Graph.export", self, path,
            fetches=fetches, feeds=feeds, session=session, depth=depth, hide=hide, repeats=repeats, title=title,
            colour=colour, constants=constants, direction=direction, full_names=full_names, scale=scale,
            play=play, context=context, opset=opset,
        )  # fmt: skip
        return made

    def cost(self, fetches: Any = None, **sizes: Any) -> Any:
        """What a run would compute, move and hold, estimated without running it.

        Args:
            fetches: what the run fetches; without it, the whole graph.
            sizes: the sizes of named dimensions, such as `batch=64`.

        Returns:
            A `Cost`: flops, bytes and peak memory in all and for each step; it prints as a table.

        Raises:
            ValueError: a fetch is not in the graph, a name is not that of a dimension, or a size is not an int.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     y = tf.exp(tf.placeholder(tf.float32, ["batch"], name="x"), name="y")
        >>> graph.cost(y, batch=64).flops
        1280
        """
        return hooks.cost(self, fetches, **sizes)

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")
