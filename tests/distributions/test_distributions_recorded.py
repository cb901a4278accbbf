"""Samples, densities, entropies and divergences of `tf.distributions` are those that TensorFlow was recorded giving."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from .cases import DISTRIBUTIONS, tensors

TF: Any = tf
D: Any = TF.distributions
RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text("utf-8"))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_distribution_gives_what_was_recorded(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tensors(TF, name))
    assert set(found) == set(RECORDED[name])
    for key, (dtype, values) in RECORDED[name].items():
        assert found[key].dtype.name == dtype and found[key].shape == np.shape(values), key
        assert np.allclose(found[key], values, rtol=2e-5, atol=2e-6, equal_nan=True), key


def test_shapes_are_known_as_far_as_they_are_given() -> None:
    with tf.Graph().as_default():
        rows = tf.placeholder(tf.float32, [None, 3])
        normal = D.Normal(rows, 1.0)
        assert normal.batch_shape.as_list() == [None, 3] and normal.event_shape.as_list() == []
        assert normal.sample(4).shape.as_list() == [4, None, 3] and normal.sample().shape.as_list() == [None, 3]
        assert normal.sample(tf.placeholder(tf.int32, [2])).shape.ndims in (None, 4)
        assert D.Categorical(rows).sample([2, 5]).shape.as_list() == [2, 5, None]
        assert D.Normal(0, 1).loc.dtype == tf.float32
        vectors = TF.contrib.distributions.MultivariateNormalDiag(rows, tf.ones([3]))
        assert vectors.batch_shape.as_list() == [None] and vectors.event_shape.as_list() == [3]
        assert vectors.sample(2).shape.as_list() == [2, None, 3]


def test_vectors_of_independent_numbers() -> None:
    generator = np.random.RandomState(2)
    loc, scale, x = generator.randn(2, 3), generator.rand(2, 3) + 0.5, generator.randn(2, 3)
    other_loc, other_scale = generator.randn(3), generator.rand(3) + 0.5
    with tf.Graph().as_default(), tf.Session() as session:
        p, q = D.Normal(loc, scale), D.Normal(other_loc, other_scale)
        make = TF.contrib.distributions.MultivariateNormalDiag
        vector, other = make(loc, scale), make(other_loc, other_scale)
        for mine, parts in (
            (vector.log_prob(x), p.log_prob(x)), (vector.entropy(), p.entropy()),
            (TF.contrib.distributions.kl_divergence(vector, other), D.kl_divergence(p, q)),
        ):  # fmt: skip
            got, wanted = session.run([mine, parts])
            assert np.allclose(got, wanted.sum(-1))
        drawn = session.run(make(loc, scale, scale_identity_multiplier=[1.0, 2.0]).sample(20000, seed=3))
        assert np.allclose(drawn.mean(0), loc, atol=0.1)
        assert np.allclose(drawn.std(0), scale * [[1.0], [2.0]], atol=0.1)


def test_vectors_with_covariances() -> None:
    generator = np.random.RandomState(3)
    loc, x = generator.randn(2, 3), generator.randn(2, 3)
    tril = np.tril(generator.randn(2, 3, 3)) + 2 * np.eye(3)
    covariance = tril @ tril.transpose(0, 2, 1)
    other_loc, other = generator.randn(3), np.diag([1.0, 2.0, 0.5])
    distance = np.einsum("bi,bij,bj->b", x - loc, np.linalg.inv(covariance), x - loc)
    log_determinant = np.linalg.slogdet(covariance)[1]
    inverse, moved = np.linalg.inv(other), other_loc - loc
    spread = np.trace(inverse @ covariance, axis1=1, axis2=2) + np.einsum("bi,ij,bj->b", moved, inverse, moved)
    divergence = 0.5 * (spread - 3 + np.linalg.slogdet(other)[1] - log_determinant)
    with tf.Graph().as_default(), tf.Session() as session:
        make = TF.contrib.distributions.MultivariateNormalFullCovariance
        lower, full = TF.contrib.distributions.MultivariateNormalTriL(loc, tril), make(loc, covariance)
        for normal in (lower, full):
            assert normal.batch_shape.as_list() == [2] and normal.event_shape.as_list() == [3]
            got = session.run([
                normal.log_prob(x), normal.entropy(), normal.covariance(), normal.variance(), normal.mean(),
                normal.sample([4, 5], seed=2),
            ])  # fmt: skip
            assert np.allclose(got[0], -0.5 * (distance + log_determinant + 3 * np.log(2 * np.pi)))
            assert np.allclose(got[1], 0.5 * (log_determinant + 3 * (1 + np.log(2 * np.pi))))
            assert np.allclose(got[2], covariance) and np.allclose(got[3], np.diagonal(covariance, axis1=1, axis2=2))
            assert np.array_equal(got[4], loc) and got[5].shape == (4, 5, 2, 3)
        kl = TF.contrib.distributions.kl_divergence(full, make(other_loc, other))
        assert np.allclose(session.run(kl), divergence)
        assert session.run(make(None, covariance).log_prob(np.zeros(3))).shape == (2,)
        drawn = session.run(lower.sample(20000, seed=1))
        assert np.allclose(np.cov(drawn[:, 0], rowvar=False), covariance[0], rtol=0.1, atol=0.2)


def test_classes_as_vectors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.constant([[0.5, -1.0, 2.0], [0.0, 0.25, -0.5]])
        classes = D.Categorical(logits)
        vectors = TF.contrib.distributions.OneHotCategorical(logits)
        other = TF.contrib.distributions.OneHotCategorical([0.0, 1.0, 0.0])
        kl, wanted = session.run([
            vectors.kl_divergence(other), D.kl_divergence(classes, D.Categorical([0.0, 1.0, 0.0])),
        ])  # fmt: skip
        assert np.array_equal(kl, wanted)
        drawn, numbers = session.run([vectors.sample([4, 2], seed=5), classes.sample([4, 2], seed=5)])
        assert drawn.shape == (4, 2, 2, 3) and drawn.dtype == np.int32 and np.array_equal(drawn.argmax(-1), numbers)
        one, same = session.run([vectors.log_prob([[0, 1, 0], [1, 0, 0]]), classes.log_prob([1, 0])])
        assert np.allclose(one, same)
        mode, entropy = session.run([vectors.mode(), vectors.entropy() - classes.entropy()])
        assert mode.tolist() == [[0, 0, 1], [0, 1, 0]] and not entropy.any()

        soft = TF.contrib.distributions.RelaxedOneHotCategorical(0.5, logits)
        sample = soft.sample(20000, seed=5)
        drawn, gradient = session.run([sample, *tf.gradients(sample[..., 0], [logits])])
        assert drawn.shape == (20000, 2, 3) and np.allclose(drawn.sum(-1), 1.0, atol=1e-5)
        assert (gradient[:, 0] > 0).all()
        chosen = np.eye(3)[drawn.argmax(-1)].mean(0)
        assert np.allclose(chosen, session.run(classes.probs), atol=0.02)
        # With two classes the density over the first proportion integrates to 1.
        pair = TF.contrib.distributions.RelaxedOneHotCategorical(0.7, [0.5, -0.25])
        first = (np.arange(20000) + 0.5) / 20000
        density = session.run(pair.prob(np.stack([first, 1 - first], 1).astype(np.float32)))
        assert abs(density.mean() - 1.0) < 2e-3


def test_gradients_flow_through_samples_and_densities() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        loc, scale = tf.constant([0.5, -1.0]), tf.constant([1.0, 2.0])
        normal = D.Normal(loc, scale)
        by_loc, by_scale, drawn = session.run([*tf.gradients(x := normal.sample(3, seed=5), [loc, scale]), x])
        assert by_loc.tolist() == [3.0, 3.0] and np.allclose(by_scale, ((drawn - [0.5, -1.0]) / [1.0, 2.0]).sum(0))
        got = session.run(tf.gradients(normal.log_prob([2.0, 0.0]), [loc, scale]))
        assert np.allclose(got, [[1.5, 0.25], [1.25, -0.375]])


def test_beta_is_between_0_and_1_with_its_mean() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = session.run(D.Beta(2.0, [2.0, 6.0]).sample(5000, seed=1))
    assert drawn.shape == (5000, 2) and drawn.min() > 0 and drawn.max() < 1
    assert np.allclose(drawn.mean(0), [0.5, 0.25], atol=0.02)


def test_what_a_distribution_lacks_is_told() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Must pass probs or logits, but not both"):
            D.Bernoulli()
        with pytest.raises(tf.errors.UnimplementedError, match="Categorical has no mean here"):
            D.Categorical([0.0, 1.0]).mean()
        with pytest.raises(tf.errors.UnimplementedError, match="only two distributions of one class"):
            D.kl_divergence(D.Normal(0.0, 1.0), D.Uniform(0.0, 1.0))
        with pytest.raises(tf.errors.UnimplementedError, match="Laplace has no kl_divergence"):
            D.kl_divergence(D.Laplace(1.0, 1.0), D.Laplace(1.0, 2.0))
        with pytest.raises(ValueError, match="is no distribution"):
            D.kl_divergence(1.0, D.Normal(0.0, 1.0))
        with pytest.raises(ValueError, match=r"loc is int32; it must be floats"):
            D.Normal(tf.constant([1, 2]), 1.0)
        with pytest.raises(ValueError, match="give loc or scale_diag"):
            TF.contrib.distributions.MultivariateNormalDiag()
        with pytest.raises(ValueError, match="give covariance_matrix"):
            TF.contrib.distributions.MultivariateNormalFullCovariance([0.0])
        with pytest.raises(AttributeError, match="Logistic"):
            _ = D.Logistic


WRONG: list[Any] = [
    lambda: D.Dirichlet(tf.constant([1, 2])), lambda: D.Normal(tf.zeros([2]), tf.ones([3])).sample(),
    lambda: D.Normal(0.0, 1.0).log_prob("x"), lambda: D.Categorical([0.0]).mean(), lambda: D.kl_divergence(1.0, 2.0),
    lambda: D.Uniform(0.0, 1.0).mode(), lambda: D.RegisterKL(D.Normal, D.Uniform)(1), lambda: D.Gamma(1.0),
    lambda: TF.contrib.distributions.OneHotCategorical(),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_end_in_the_line_of_the_program(number: int) -> None:
    with tf.Graph().as_default(), pytest.raises(Exception) as caught:
        WRONG[number]()
    assert Path(str(caught.traceback[-1].path)).name == Path(__file__).name


def test_two_classes_have_one_divergence() -> None:
    class Own(D.Laplace):  # type: ignore[misc]  # of Any
        pass

    D.RegisterKL(Own, Own)(lambda a, b: a.scale - b.scale)
    with pytest.raises(ValueError, match=r"KL\(Own \|\| Own\) has already been registered"):
        D.RegisterKL(Own, Own)(lambda a, b: a.scale)
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(D.kl_divergence(Own(0.0, 3.0), Own(0.0, 1.0))) == 2.0


def test_every_distribution_checks_nothing_and_allows_nan_unless_it_is_told() -> None:
    classes = {name: value for name, value in vars(D).items() if inspect.isclass(value) and hasattr(value, "log_prob")}
    assert len(classes) > 5
    usual = {"validate_args": False, "allow_nan_stats": True}
    for name, each in classes.items():
        parameters = inspect.signature(each).parameters
        assert {key: parameters[key].default for key in usual if key in parameters} in (usual, {}), name
