"""`tf.contrib.opt` beside recorded kernels of TensorFlow, and beside its formulas where TensorFlow 2 has no kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..golden_cases import EXTRA, read
from ..golden_extra.contrib_optimizer_cases import CASES, START, gradient

OPT: Any = tf.contrib.opt
RECORDED = {(case["name"], case["dtype"]): case["expect"] for case in read(EXTRA / "contrib_optimizers.json")["cases"]}


@pytest.mark.parametrize(("name", "dtype"), list(RECORDED))
@pytest.mark.parametrize("sparse", [False, True])
def test_an_optimizer_does_what_the_kernel_was_recorded_doing(name: str, dtype: str, sparse: bool) -> None:
    """A gradient of all rows that is sparse gives the same numbers."""
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(START.astype(dtype))
        g = tf.placeholder(dtype, [2, 3])
        read_of = tf.gather(w, [1, 0]) if sparse else w
        loss = tf.reduce_sum(read_of * (tf.reverse(g, [True, False]) if sparse else g))
        step = getattr(OPT, f"{name}Optimizer")(**CASES[name]).minimize(loss)
        session.run(tf.global_variables_initializer())
        for number, expect in enumerate(RECORDED[name, dtype]):
            session.run(step, {g: gradient(number).astype(dtype)})
            # The powers of beta are float32, whatever is trained.
            assert np.allclose(session.run(w).ravel(), expect, rtol=1e-5, atol=1e-6), number


def test_rows_without_a_gradient_stay_as_lazy_adam_and_adamax_say() -> None:
    for kind in ("LazyAdam", "AdaMax"):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.Variable(np.ones((3, 2), np.float32))
            rows = tf.placeholder(tf.int32, [2])
            optimizer = getattr(OPT, f"{kind}Optimizer")(0.125)
            step = optimizer.minimize(tf.reduce_sum(tf.gather(w, rows)))
            session.run(tf.global_variables_initializer())
            session.run(step, {rows: [0, 0]})
            before = session.run(w)
            session.run(step, {rows: [1, 1]})
            after, mean = session.run([w, optimizer.get_slot(w, "m")])
        assert np.array_equal(before[0], after[0]) and np.array_equal(before[2], after[2])
        assert mean[0, 0] == pytest.approx(0.2) and mean[1, 0] == pytest.approx(0.2)


def test_signs_decay_with_the_steps() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.train.get_or_create_global_step()
        w = tf.Variable(0.0)
        decay = OPT.get_linear_decay_fn(2)
        step = OPT.AddSignOptimizer(1.0, sign_decay_fn=decay).minimize(w, global_step=count)
        session.run(tf.global_variables_initializer())
        found = []
        for _ in range(3):
            session.run(step)
            found.append(float(session.run(w)))
        assert found == [-2.0, -3.5, -4.5]
        places = np.array([0, 3, 5, 9, 12])
        for made, expect in (
            (OPT.get_cosine_decay_fn(10), 0.5 * (1 + np.cos(np.pi * np.minimum(places, 10) / 10))),
            (OPT.get_cosine_decay_fn(10, zero_after=0.2), np.where(np.minimum(places, 10) / 10 >= 0.4, 0, 0.5 * (
                1 + np.cos(np.pi * np.minimum(places, 10) / 10)))),
            (OPT.get_restart_decay_fn(10, 2), 0.5 * (1 + np.cos(np.pi * (2 * np.minimum(places, 10) % 10) / 10))),
        ):  # fmt: skip
            tensors = [made(tf.constant(int(each))) for each in places]
            assert np.allclose(session.run(tensors), expect, atol=1e-6)
    with pytest.raises(ValueError, match="global_step is required for linear_decay"):
        decay(None)


@pytest.mark.parametrize("base", [tf.train.AdamOptimizer, tf.train.FtrlOptimizer, tf.train.MomentumOptimizer])
@pytest.mark.parametrize("sparse", [False, True])
def test_weights_decay_before_the_step(base: Any, sparse: bool) -> None:
    more = {"momentum": 0.9} if base is tf.train.MomentumOptimizer else {}
    values = []
    for decays in (True, False):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.Variable([[1.0, -2.0], [3.0, 4.0]], name="w")
            loss = tf.reduce_sum(tf.gather(w, [0]) if sparse else w) * 0.5
            if decays:
                step = OPT.extend_with_decoupled_weight_decay(base)(0.25, learning_rate=0.125, **more).minimize(loss)
            else:
                step = base(learning_rate=0.125, **more).minimize(loss)
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                if not decays:
                    session.run(w.assign(session.run(w) * 0.75))
                session.run(step)
            values.append(session.run(w))
    assert np.allclose(values[0], values[1], rtol=1e-6)


def test_only_the_listed_variables_decay() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.Variable(2.0), tf.Variable(2.0)
        step = OPT.MomentumWOptimizer(0.25, 0.5, 0.0).minimize(a + b, decay_var_list=[a])
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run([a, b]) == [1.0, 1.5]


def test_a_swapping_saver_saves_averages_under_the_names_of_variables(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(4.0, name="w")
        optimizer = OPT.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), average_decay=0.5)
        with pytest.raises(RuntimeError, match="call minimize or apply_gradients before"):
            optimizer.swapping_saver()
        step = optimizer.minimize(2.0 * w)
        saver = optimizer.swapping_saver()
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        path = saver.save(session, str(tmp_path / "model"))
    assert tf.train.load_variable(path, "w") == 1.5
    assert tf.train.load_variable(path, "w/ExponentialMovingAverage") == 0.0


def test_norms_of_weights_stay_below_the_bound() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(np.full((3, 2), 3.0, np.float32))
        rows = tf.placeholder(tf.int32, [None])
        sparse = OPT.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(1.0), {w: [1]}, 1.0).minimize(
            tf.reduce_sum(tf.gather(w, rows) * [1.0, -1.0])
        )
        session.run(tf.global_variables_initializer())
        session.run(sparse, {rows: [1]})
        norms = np.linalg.norm(session.run(w), axis=1)
        assert norms == pytest.approx([3 * 2**0.5, 1.0, 3 * 2**0.5])
        with pytest.raises(ValueError, match="Clipping along dimension 0"):
            OPT.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(1.0), {w: [0]}, 1.0).minimize(
                tf.reduce_sum(tf.gather(w, rows))
            )


def test_scipy_finds_a_minimum_with_bounds_and_constraints() -> None:
    pytest.importorskip("scipy", reason="ScipyOptimizerInterface needs SciPy")
    with tf.Graph().as_default(), tf.Session() as session:
        w, v = tf.Variable([7.0, 7.0]), tf.Variable(3.0)
        loss = tf.reduce_sum(tf.square(w)) + tf.square(v - 1.0)
        session.run(tf.global_variables_initializer())
        losses: list[float] = []
        OPT.ScipyOptimizerInterface(loss).minimize(session, fetches=[loss], loss_callback=losses.append)
        assert np.allclose(session.run(w), 0, atol=1e-4) and session.run(v) == pytest.approx(1, abs=1e-4)
        assert losses[0] == 102.0 and losses[-1] < 1e-6
        session.run(tf.global_variables_initializer())
        OPT.ScipyOptimizerInterface(loss, equalities=[w[1] - 1.0], inequalities=[w[0] - 1.0], method="SLSQP").minimize(
            session
        )
        assert np.allclose(session.run(w), 1, atol=1e-4)
        OPT.ScipyOptimizerInterface(loss, var_to_bounds={w: ([2.0, -1.0], np.inf)}).minimize(session)
        assert np.allclose(session.run(w), [2, 0], atol=1e-4)


def test_scipy_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.contrib.further_optimizers.external_optimizers.load", _not_installed)
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(1.0)
        session.run(w.initializer)
        with pytest.raises(tf.errors.UnimplementedError, match="pip install scipy"):
            OPT.ScipyOptimizerInterface(tf.square(w)).minimize(session)


def _not_installed(module: str) -> None:
    raise ModuleNotFoundError(module)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: OPT.MovingAverageOptimizer("adam"), TypeError, "opt is an optimizer"),
        (lambda: OPT.extend_with_decoupled_weight_decay("adam"), TypeError, "give a class of optimizers"),
        (lambda: OPT.PowerSignOptimizer(base=0), ValueError, "base must be above 0"),
        (lambda: OPT.ScipyOptimizerInterface(1.0), TypeError, "give a scalar tensor"),
        (lambda: OPT.ScipyOptimizerInterface(tf.constant(1.0)), ValueError, "there are no variables"),
        (lambda: OPT.ExternalOptimizerInterface(tf.square(tf.Variable(1.0))).minimize(), ValueError, "no default"),
    ],
)
def test_mistakes_are_told(call: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("skipped", [False, True])
def test_lars_steps_by_the_norms_of_a_variable_and_its_gradient(nesterov: bool, skipped: bool) -> None:
    values = [START.copy(), np.zeros((2, 3))]
    sums = [np.zeros((2, 3)), np.zeros((2, 3))]
    rate, momentum, decay, eeta, epsilon = 0.5, 0.75, 0.125, 0.25, 0.0625
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(value, name=name) for value, name in zip(values, ("first", "other"), strict=True)]
        g = tf.placeholder(tf.float64, [2, 3])
        optimizer = OPT.LARSOptimizer(rate, momentum, decay, eeta, epsilon, use_nesterov=nesterov,
                                      skip_list=["first"] if skipped else None)  # fmt: skip
        step = optimizer.minimize(tf.add_n([tf.reduce_sum(v * g) for v in variables]))
        session.run(tf.global_variables_initializer())
        for number in range(4):
            slope = gradient(number) * (number != 2)
            session.run(step, {g: slope})
            for place in range(2):
                size, steep = np.linalg.norm(values[place]), np.linalg.norm(slope)
                trust = eeta * size / (steep + decay * size + epsilon) if size > 0 and steep > 0 else 1.0
                is_plain = skipped and place == 0
                scaled = rate * slope if is_plain else rate * trust * (slope + decay * values[place])
                sums[place] = momentum * sums[place] + scaled
                values[place] = values[place] - (scaled + momentum * sums[place] if nesterov else sums[place])
            assert np.allclose(session.run(variables), values), number
    with pytest.raises(ValueError, match="momentum should be positive: -1"):
        OPT.LARSOptimizer(0.1, momentum=-1)


def test_rows_of_a_sparse_gradient_step_by_lars_as_by_momentum() -> None:
    found = []
    for optimizer in (OPT.LARSOptimizer(0.5, 0.75), tf.train.MomentumOptimizer(0.5, 0.75)):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.Variable(START)
            step = optimizer.minimize(tf.reduce_sum(tf.gather(w, [1]) * 2.0))
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            found.append(session.run(w))
    assert np.allclose(*found)
