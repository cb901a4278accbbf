"""Ensembles of trees: every row walks down every tree at once, one step for each level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, float32, int64
from ..onnx_node import OnnxNode
from .ml_reads import ML, binary_result, class_labels, transformed_scores
from .onnx_row import OnnxOp
from .values import as_dtype, constant, scalar, sizes, where

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")


@dataclass(slots=True)
class _Trees:
    """Nodes of all trees in arrays; a leaf leads to itself.

    Attributes:
        roots: the first node of each tree.
        feature, split, mode, yes, no, missing: for each node what it compares, how, and where it leads.
        weights: for each node what it gives to each target: 0 for inner nodes.
        members: for each node the values that BRANCH_MEMBER looks for.
    """

    roots: Any
    feature: Any
    split: Any
    mode: Any
    yes: Any
    no: Any
    missing: Any
    weights: Any
    members: dict[int, Any]

    def depth(self) -> int:
        """The most steps to a leaf.

        Raises:
            GraphFormatError: a tree has a circle, or leads out of the nodes.
        """
        count = len(self.feature)
        outside = (self.yes < 0) | (self.yes >= count) | (self.no < 0) | (self.no >= count)
        if outside.any() or (self.feature < 0).any():
            raise GraphFormatError("a tree leads to a node that does not exist")
        front, steps = np.unique(self.roots), 0
        own = np.arange(count)
        while True:
            inner = front[self.yes[front] != own[front]]
            if not len(inner):
                return steps
            steps += 1
            if steps > count:
                raise GraphFormatError("a tree has a circle")
            front = np.unique(np.concatenate([self.yes[inner], self.no[inner]]))


def leaves(x: Tensor, trees: _Trees) -> Tensor:
    """The leaf that each row reaches in each tree: (rows, trees)."""
    rows = sizes(x)[0]
    count = constant(rows) if isinstance(rows, int) else rows
    at = ops.broadcast_to(constant(trees.roots[None]), ops.pack([count, constant(len(trees.roots))]))
    width = sizes(x)[1]
    start = ops.reshape(ops.range(constant(0), count), [-1, 1]) * (constant(width) if isinstance(width, int) else width)
    flat = ops.reshape(x, [-1])
    tables = [constant(t) for t in (trees.feature, trees.yes, trees.no, trees.missing)]
    split = constant(trees.split, x.dtype)
    used = sorted({int(m) for m in trees.mode})
    modes = constant(trees.mode)
    for _ in range(trees.depth()):
        value = ops.gather(flat, start + ops.gather(tables[0], at))
        bound = ops.gather(split, at)
        goes: Tensor | None = None
        for mode in used:
            own = _test(mode, value, bound, at, trees)
            goes = own if goes is None else where(ops.equal(ops.gather(modes, at), constant(mode)), own, goes)
        assert goes is not None
        goes = ops.logical_or(goes, ops.logical_and(ops.is_nan(value), ops.gather(tables[3], at) > constant(0)))
        at = where(goes, ops.gather(tables[1], at), ops.gather(tables[2], at))
    return at


def _test(mode: int, value: Tensor, bound: Tensor, at: Tensor, trees: _Trees) -> Tensor:
    simple = {0: ops.less_equal, 1: ops.less, 2: ops.greater_equal, 3: ops.greater, 4: ops.equal, 5: ops.not_equal}
    if mode in simple:
        return simple[mode](value, bound)
    found = ops.cast(ops.zeros_like(at), bool_)
    for node, members in trees.members.items():
        here = ops.equal(at, constant(node))
        same = ops.reduce_any(ops.equal(ops.expand_dims(value, 2), constant(members, value.dtype)), [2])
        found = ops.logical_or(found, ops.logical_and(here, same))
    return found


def _summed(x: Tensor, trees: _Trees, how: str) -> Tensor:
    """What the trees give together: (rows, targets)."""
    given = ops.gather(ops.constant(trees.weights.astype(np.float32)), leaves(x, trees))
    reductions = {"SUM": ops.reduce_sum, "AVERAGE": ops.reduce_mean, "MIN": ops.reduce_min, "MAX": ops.reduce_max}
    return reductions[how](given, [1])


# ---- the two older operators -------------------------------------------------------------------


def _older(n: OnnxNode, leaf: str, count: int) -> _Trees:
    """Trees from lists of nodes, which name their tree and their number in it."""
    tree, number = n.ints("nodes_treeids"), n.ints("nodes_nodeids")
    where_is = {key: i for i, key in enumerate(zip(tree, number, strict=True))}
    yes, no = n.ints("nodes_truenodeids"), n.ints("nodes_falsenodeids")
    names = [m.decode() for m in n.strings("nodes_modes")]
    size = len(tree)
    own = np.arange(size)
    is_leaf = np.array([m == "LEAF" for m in names])
    try:
        to_yes = np.array([i if is_leaf[i] else where_is[tree[i], yes[i]] for i in range(size)])
        to_no = np.array([i if is_leaf[i] else where_is[tree[i], no[i]] for i in range(size)])
        modes = np.array([0 if m == "LEAF" else _MODES.index(m) for m in names])
    except (KeyError, ValueError) as error:
        found = f"a tree leads to a node that does not exist, or compares in an unknown way: {error}"
        raise GraphFormatError(found) from None
    weights = np.zeros((size, count))
    id_name = "class" if leaf == "class" else "target"
    for t, i, k, w in zip(n.ints(f"{leaf}_treeids"), n.ints(f"{leaf}_nodeids"), n.ints(f"{id_name}_ids"),
                          n.floats(f"{leaf}_weights"), strict=True):  # fmt: skip
        if (t, i) not in where_is or not 0 <= k < count:
            raise GraphFormatError(f"a weight is of node {i} of tree {t} and target {k}, which do not exist")
        weights[where_is[t, i], k] += w
    roots = np.array([own[tree.index(t)] for t in dict.fromkeys(tree)])
    missing = np.array(n.ints("nodes_missing_value_tracks_true", None) or [0] * size)
    return _Trees(roots, np.array(n.ints("nodes_featureids")), np.array(n.floats("nodes_values")), modes, to_yes, to_no,
                  missing, weights, {})  # fmt: skip


def _regressor(n: OnnxNode) -> Tensor:
    x = as_dtype(n.tensor(0), float32)
    count = n.int("n_targets", 1)
    found = _summed(x, _older(n, "target", count), n.text("aggregate_function", "SUM"))
    if "base_values" in n.attributes:
        found = found + constant(n.floats("base_values"), float32)
    return transformed_scores(found, n.text("post_transform", "NONE"))


def _classifier(n: OnnxNode) -> list[Tensor]:
    x = as_dtype(n.tensor(0), float32)
    labels = class_labels(n, "classlabels_int64s")
    ids = sorted(set(n.ints("class_ids")))
    trees = _older(n, "class", len(labels))
    scores = _summed(x, trees, "SUM")
    if "base_values" in n.attributes:
        base = n.floats("base_values")
        scores = scores + constant(base if len(base) == len(labels) else [0.0] * (len(labels) - 1) + base, float32)
    kind = n.text("post_transform", "NONE")
    if len(labels) == 2 and len(ids) == 1:  # one score speaks for the second class
        positive = scores[:, ids[0] : ids[0] + 1]
        if kind == "NONE" and min(n.floats("class_weights")) >= 0:
            both = ops.concat(1, [scalar(positive, 1) - positive, positive])
            chosen = ops.cast(ops.squeeze(positive, [1]) > scalar(positive, 0.5), int64)
            return [ops.gather(ops.constant(labels), chosen), both]
        return binary_result(positive, labels, kind)
    return [ops.gather(ops.constant(labels), ops.argmax(scores, 1)), transformed_scores(scores, kind)]


# ---- TreeEnsemble, since version 5 -------------------------------------------------------------


def _ensemble(n: OnnxNode) -> Tensor:
    """Inner nodes, then leaves, in one list of nodes here."""
    x = n.tensor(0)
    count, targets = len(n.ints("nodes_featureids")), n.int("n_targets", 1)
    leaf_ids, leaf_weights = n.ints("leaf_targetids"), n.array("leaf_weights")
    total = count + len(leaf_ids)
    own = np.arange(total)
    yes, no = own.copy(), own.copy()
    for side, target in (("true", yes), ("false", no)):
        ids, is_leaf = np.array(n.ints(f"nodes_{side}nodeids")), np.array(n.ints(f"nodes_{side}leafs"))
        target[:count] = np.where(is_leaf != 0, ids + count, ids)
    splits = np.zeros(total)
    splits[:count] = n.array("nodes_splits").astype(np.float64)
    modes = np.zeros(total, np.int64)
    modes[:count] = n.array("nodes_modes")
    features = np.zeros(total, np.int64)
    features[:count] = n.ints("nodes_featureids")
    missing = np.zeros(total, np.int64)
    missing[:count] = n.ints("nodes_missing_value_tracks_true", None) or 0
    weights = np.zeros((total, targets))
    if leaf_ids and not 0 <= min(leaf_ids) <= max(leaf_ids) < targets:
        raise GraphFormatError("a leaf is of a target that does not exist")
    weights[count + np.arange(len(leaf_ids)), leaf_ids] = leaf_weights.astype(np.float64)
    roots = np.array(n.ints("tree_roots"))
    if (roots < 0).any() or (roots >= total).any():
        raise GraphFormatError("a tree begins at a node that does not exist")
    trees = _Trees(roots, features, splits, modes, yes, no, missing, weights, _members(n, modes[:count]))
    how = ("AVERAGE", "SUM", "MIN", "MAX")[n.int("aggregate_function", 1)]
    kind = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")[n.int("post_transform", 0)]
    return transformed_scores(as_dtype(_summed(x, trees, how), x.dtype), kind)


def _members(n: OnnxNode, modes: Any) -> dict[int, Any]:
    """The values of each node that looks for members: lists that end with nan."""
    if not (modes == 6).any():
        return {}
    values = n.array("membership_values")
    if values is None:
        raise GraphFormatError("its membership_values are missing")
    found: dict[int, Any] = {}
    current: list[float] = []
    waiting = iter(np.flatnonzero(modes == 6).tolist())
    for value in values.reshape(-1).tolist():
        if np.isnan(value):
            found[next(waiting)] = np.array(current)
            current = []
        else:
            current.append(value)
    return found


TREES = (
    OnnxOp("TreeEnsemble", _ensemble, 5, ML),
    OnnxOp("TreeEnsembleClassifier", _classifier, 1, ML),
    OnnxOp("TreeEnsembleRegressor", _regressor, 1, ML),
)

