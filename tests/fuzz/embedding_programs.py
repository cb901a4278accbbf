"""Random programs over large vocabularies: candidate samplers, sampled losses, embeddings in parts, sparse gradients
through clipping and every optimizer, and variables cut by partitioners. The same text builds them in TensorFlow, whose
side this module is, too:

    python -m tests.fuzz.embedding_programs 0 600 out.npz
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

RUNS = 3
Results = dict[str, Any]


def results(tf: Any, seed: int) -> Results:
    """What the runs of a program give.

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        seed: the program.
    """
    rng = np.random.RandomState(seed)
    tf.set_random_seed(int(rng.randint(1000)))
    kinds: tuple[Callable[..., Results], ...] = (_samplers, _losses, _lookups, _lookups, _partitions)
    return {f"{seed}/{key}": value for key, value in kinds[seed % len(kinds)](tf, rng).items()}


# ---- samplers -----------------------------------------------------------------------------------


def _samplers(tf: Any, rng: Any) -> Results:
    sampled, classes = _sampler(tf, rng, int(rng.choice([1, 2, 3, 8, 31, 1000])), int(rng.randint(1, 4)), None)
    hits = tf.nn.compute_accidental_hits(classes, sampled[0], int(classes.shape[1]), seed=1)
    found: Results = {}
    with tf.Session() as session:
        for run in range(RUNS):
            for number, value in enumerate(session.run([*sampled, *hits])):
                found[f"{run}/{number}"] = value
    return found


def _sampler(tf: Any, rng: Any, count: int, num_true: int, classes: Any) -> tuple[list[Any], Any]:
    """(what a sampler gives, its true classes)"""
    unique = bool(rng.rand() < 0.5)
    wanted = int(rng.randint(1, 40))
    wanted = min(wanted, max(1, count // 2)) if unique else wanted
    seed = None if rng.rand() < 0.3 else int(rng.randint(100))
    if classes is None:
        classes = rng.randint(0, count, [int(rng.randint(0, 6)), num_true]).astype("i8")
    kind = int(rng.randint(5))
    if kind < 3:
        name = ("uniform", "log_uniform", "learned_unigram")[kind]
        return getattr(tf.nn, f"{name}_candidate_sampler")(classes, num_true, wanted, unique, count, seed=seed), classes
    if kind == 3 or count > 100:
        reserved = int(rng.randint(0, 2)) if count > 2 else 0
        weights = (rng.rand(count - reserved) + 0.05).astype("f4").tolist()
        options = {"unigrams": weights, "num_reserved_ids": reserved, "distortion": float(rng.choice([1.0, 0.75, 0.0]))}
        return tf.nn.fixed_unigram_candidate_sampler(classes, num_true, wanted, unique, count, seed=seed,
                                                     **options), classes  # fmt: skip
    return tf.nn.all_candidate_sampler(classes, num_true, count, unique, seed=seed), classes


# ---- losses -------------------------------------------------------------------------------------


def _losses(tf: Any, rng: Any) -> Results:
    count, width, num_true = int(rng.randint(6, 60)), int(rng.randint(1, 6)), int(rng.randint(1, 4))
    strategy = ("mod", "div")[rng.randint(2)]
    weights, biases, trained = _tables(tf, rng, count, width, strategy)
    batch = int(rng.randint(1, 7))
    labels = rng.randint(0, count, (batch, num_true)).astype(("i4", "i8")[rng.randint(2)])
    inputs = tf.Variable(rng.randn(batch, width).astype("f4"))
    options: dict[str, Any] = {"num_true": num_true, "partition_strategy": strategy}
    if rng.rand() < 0.5:
        options["remove_accidental_hits"] = bool(rng.rand() < 0.7)
    if rng.rand() < 0.4:
        options["sampled_values"] = _sampler(tf, rng, count, num_true, labels.astype("i8"))[0]
    number = int(rng.randint(1, 6))
    if "sampled_values" in options:
        number = int(options["sampled_values"][0].shape[0])
    function = (tf.nn.nce_loss, tf.nn.sampled_softmax_loss)[rng.randint(2)]
    losses = function(weights, biases, labels, inputs, number, count, **options)
    return _trained(tf, rng, tf.reduce_mean(losses), [losses], [*trained, inputs])


def _tables(tf: Any, rng: Any, count: int, width: int, strategy: str) -> tuple[Any, Any, list[Any]]:
    """Weights and biases: one table each, or parts of it, or partitioned variables."""
    parts = int(rng.choice([1, 1, 2, 3]))
    whole, bias = rng.randn(count, width).astype("f4"), rng.randn(count).astype("f4")
    if strategy == "div" and rng.rand() < 0.4:
        cut = tf.fixed_size_partitioner(parts)
        w = tf.get_variable("w", initializer=tf.constant(whole), partitioner=cut)
        b = tf.get_variable("b", initializer=tf.constant(bias), partitioner=cut)
        return w, b, [*w, *b]
    if parts == 1:
        w, b = tf.Variable(whole), tf.Variable(bias)
        return w, b, [w, b]
    cut = (lambda x: [x[i::parts] for i in range(parts)]) if strategy == "mod" else lambda x: np.array_split(x, parts)
    w, b = [tf.Variable(x) for x in cut(whole)], [tf.Variable(x) for x in cut(bias)]
    return w, b, [*w, *b]


# ---- lookups ------------------------------------------------------------------------------------


def _lookups(tf: Any, rng: Any) -> Results:
    count, width = int(rng.randint(4, 20)), int(rng.randint(1, 5))
    strategy = ("mod", "div")[rng.randint(2)]
    table, _, trained = _tables(tf, rng, count, width, strategy)
    trained = trained[: len(trained) // 2]
    options: dict[str, Any] = {"partition_strategy": strategy}
    if rng.rand() < 0.4:
        options["max_norm"] = float(rng.choice([0.5, 1.5, 100.0]))
    kind = int(rng.randint(3))
    if kind == 0:
        ids = rng.randint(0, count, [int(n) for n in rng.randint(1, 4, rng.randint(0, 3))])
        rows = tf.nn.embedding_lookup(table, tf.constant(ids, ("int32", "int64")[rng.randint(2)]), **options)
    else:
        rows = _sparse_lookup(tf, rng, table, count, options, is_safe=kind == 2)
    loss = tf.reduce_sum(rows * rows * 0.5 + rows)
    return _trained(tf, rng, loss, [rows], trained)


def _sparse_lookup(tf: Any, rng: Any, table: Any, count: int, options: dict[str, Any], is_safe: bool) -> Any:
    shape = [int(rng.randint(1, 5)), int(rng.randint(1, 4))]
    if is_safe and rng.rand() < 0.3:
        shape.insert(0, int(rng.randint(1, 3)))
    mask = rng.rand(*shape) < 0.6
    if not is_safe:
        mask[:, 0] = True  # a row without ids has no defined value in TensorFlow where it is last
    indices = np.argwhere(mask).astype("i8")
    ids = rng.randint(-1 if is_safe else 0, count, len(indices)).astype("i8")
    sparse = tf.SparseTensor(indices, ids, np.array(shape, "i8"))
    weights = None
    if rng.rand() < 0.5:
        low = -0.3 if is_safe else 0.1
        weights = tf.SparseTensor(indices, rng.uniform(low, 2.0, len(indices)).astype("f4"), np.array(shape, "i8"))
    combiner = ("sum", "mean", "sqrtn")[rng.randint(3)]
    if is_safe:
        default = int(rng.randint(count)) if rng.rand() < 0.5 else None
        return tf.nn.safe_embedding_lookup_sparse(table, sparse, weights, combiner, default, **options)
    return tf.nn.embedding_lookup_sparse(table, sparse, weights, combiner=combiner, **options)


def _trained(tf: Any, rng: Any, loss: Any, fetched: list[Any], variables: list[Any]) -> Results:
    """A few steps of training: what is fetched, gradients, and the variables and slots after them."""
    optimizer = _optimizer(tf, rng)
    gradients = tf.gradients(loss, variables)
    found: Results = {"kinds": np.array([type(each).__name__ == "IndexedSlices" for each in gradients])}
    clipping = int(rng.randint(3))
    norm = float(rng.choice([0.1, 1.0, 50.0]))
    if clipping == 1:
        gradients = [tf.clip_by_norm(each, norm) for each in gradients]
    elif clipping == 2:
        gradients, total = tf.clip_by_global_norm(gradients, norm)
        fetched = [*fetched, total]
    found["clipped"] = np.array([type(each).__name__ == "IndexedSlices" for each in gradients])
    step = optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))
    kept = [v for v in tf.global_variables() if v.shape.ndims]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for run in range(RUNS):
            values = session.run([loss, *fetched, *map(tf.convert_to_tensor, gradients)]) if not run else session.run(
                [loss, *fetched]
            )  # fmt: skip
            session.run(step)
            found |= {f"{run}/{number}": value for number, value in enumerate(values)}
        names = sorted(v.op.name for v in kept)
        by_name = {v.op.name: v for v in kept}
        found |= {f"after/{name}": session.run(by_name[name]) for name in names}
    return found


def _optimizer(tf: Any, rng: Any) -> Any:
    """One; with Adam's usual epsilon a gradient that is nothing but rounding would move a variable by a whole step."""
    train = tf.train
    return [
        lambda: train.GradientDescentOptimizer(0.05), lambda: train.AdamOptimizer(0.01, epsilon=1e-3),
        lambda: train.MomentumOptimizer(0.02, 0.9), lambda: train.MomentumOptimizer(0.02, 0.9, use_nesterov=True),
        lambda: train.AdagradOptimizer(0.1), lambda: train.RMSPropOptimizer(0.01, momentum=0.5, epsilon=1e-3),
        lambda: train.RMSPropOptimizer(0.01, centered=True, epsilon=1e-2),
        lambda: train.AdadeltaOptimizer(0.5, 0.9, 1e-3),
        lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01), lambda: train.FtrlOptimizer(0.1),
        lambda: train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
        lambda: train.ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.02),
        lambda: train.AdagradDAOptimizer(0.1, tf.train.get_or_create_global_step()),
    ][rng.randint(13)]()  # fmt: skip


# ---- partitions ---------------------------------------------------------------------------------


def _partitions(tf: Any, rng: Any) -> Results:
    shape = [int(n) for n in rng.randint(1, 9, rng.randint(1, 4))]
    axis = int(rng.randint(len(shape)))
    cut = [
        lambda: tf.fixed_size_partitioner(int(rng.randint(1, 5)), axis),
        lambda: tf.variable_axis_size_partitioner(int(rng.choice([1, 8, 40, 200])), axis,
                                                  max_shards=(None, 3)[rng.randint(2)]),
        lambda: tf.min_max_variable_partitioner(int(rng.randint(1, 6)), axis, int(rng.choice([4, 16, 64]))),
    ][rng.randint(3)]()
    initializer = [
        lambda: tf.random_normal_initializer(seed=3), lambda: tf.random_uniform_initializer(-1.0, 2.0, seed=4),
        lambda: tf.glorot_uniform_initializer(seed=5), lambda: tf.variance_scaling_initializer(2.0, seed=6),
        lambda: tf.constant(rng.randn(*shape).astype("f4")), lambda: tf.truncated_normal_initializer(seed=7),
        lambda: tf.uniform_unit_scaling_initializer(seed=8), lambda: tf.ones_initializer(),
    ][rng.randint(8)]()  # fmt: skip
    is_value = not callable(initializer) or hasattr(initializer, "op")
    with tf.variable_scope("outer", partitioner=cut):
        v = tf.get_variable("v", None if is_value else shape, initializer=initializer,
                            regularizer=lambda w: tf.reduce_sum(w * w) * 0.1)  # fmt: skip
        tf.get_variable("scalar", [], initializer=tf.zeros_initializer())
    with tf.variable_scope("outer", reuse=True):
        again = tf.get_variable("v", shape)
    parts = list(v)
    whole = v.as_tensor()
    loss = tf.reduce_sum(tf.convert_to_tensor(again) * rng.randn(*shape).astype("f4")) + tf.add_n(
        tf.get_collection("regularization_losses")
    )
    found: Results = {
        "names": np.array([part.name for part in parts] + [whole.name, v.name]),
        "shapes": np.array([part.shape.as_list() for part in parts]),
        "slices": np.array([part._get_save_slice_info().spec for part in parts]),
        "same": np.array(again is v),
        "all": np.array(sorted(each.name for each in tf.global_variables())),
    }
    written = v.assign(rng.randn(*shape).astype("f4"))
    added = v.assign_add(whole)
    step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found["first"], found["loss"] = session.run([whole, loss])
        session.run(step)
        found["after"] = session.run(whole)
        session.run(written)
        found["written"] = session.run(whole)
        session.run(added)
        found["added"] = session.run(whole)
    return found


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tensorflow = import_module("tensorflow")
    first, count, path = sys.argv[1:]
    found: Results = {}
    for seed in range(int(first), int(first) + int(count)):
        with tensorflow.Graph().as_default():
            found |= results(tensorflow.compat.v1, seed)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    main()
