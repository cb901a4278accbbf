"""Weighted losses: the rule for weights, while building and in a run; collections; what a failed call leaves."""

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.errors import InvalidArgumentError

Y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)


def test_both_namespaces_have_the_same_losses() -> None:
    assert tf.losses is v1.losses and tf.layers is v1.layers


@pytest.mark.parametrize("shape", [[2], [3], [2, 1], [3, 1, 1], [1, 3]])
def test_weights_that_do_not_fit_are_an_error_while_building(shape: list[int]) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="weights can not be broadcast to values"):
            tf.losses.mean_squared_error(np.zeros_like(Y), Y, np.ones(shape, np.float32))
        assert graph.get_operations() == [] and tf.losses.get_losses() == []


@pytest.mark.parametrize("known", [None, [None, None]])
@pytest.mark.parametrize("shape", [[2], [2, 1], [1, 3], [3, 1, 1]])
def test_weights_that_do_not_fit_are_an_error_of_the_run(known: list[None] | None, shape: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.placeholder(tf.float32, known)
        weights = tf.placeholder(tf.float32, None if known is None else [None] * len(shape))
        if known is not None and len(shape) != 2:
            with pytest.raises(ValueError, match="weights can not be broadcast"):
                tf.losses.mean_squared_error(tf.zeros_like(y), y, weights)
            return
        loss = tf.losses.mean_squared_error(tf.zeros_like(y), y, weights)
        with pytest.raises(InvalidArgumentError):
            session.run(loss, {y: Y, weights: np.ones(shape)})
        assert np.isclose(session.run(loss, {y: Y, weights: np.ones(Y.shape)}), (Y**2).mean())


def test_weights_of_0_count_no_element_and_no_element_gives_0() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        some = tf.losses.absolute_difference(np.zeros_like(Y), Y, np.array([[1.0], [0.0], [0.0]], np.float32))
        none = tf.losses.absolute_difference(np.zeros_like(Y), Y, 0.0)
        assert session.run(some) == 1.5
        assert session.run(none) == 0.0


def test_a_loss_is_in_its_scope_and_in_the_collection_that_is_asked_for() -> None:
    with tf.Graph().as_default():
        first = tf.losses.mean_squared_error(Y, Y)
        second = tf.losses.mean_squared_error(Y, Y, scope="mine", loss_collection="others")
        tf.losses.huber_loss(Y, Y, loss_collection=None)
        assert (first.op.name, second.op.name) == ("mean_squared_error/value", "mine/value")
        assert tf.losses.get_losses() == [first]
        assert tf.losses.get_losses(loss_collection="others") == [second]


def test_the_total_loss_has_the_losses_of_regularizers() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        kernel = np.full((2, 1), 2.0, np.float32)
        tf.layers.dense(Y, 1, kernel_initializer=tf.constant_initializer(kernel), kernel_regularizer=tf.nn.l2_loss)
        tf.losses.absolute_difference(np.zeros(2, np.float32), np.ones(2, np.float32))
        totals = tf.losses.get_total_loss(), tf.losses.get_total_loss(add_regularization_losses=False)
        session.run(tf.global_variables_initializer())
        assert list(session.run(totals)) == [5.0, 1.0]


@pytest.mark.parametrize("name", ["mean_squared_error", "hinge_loss", "softmax_cross_entropy"])
def test_an_argument_that_is_none_is_named(name: str) -> None:
    with tf.Graph().as_default():
        calls = [((None, Y), "labels"), ((Y, None), "(predictions|logits)"), ((Y, Y, None), "weights")]
        for arguments, missing in calls:
            with pytest.raises(ValueError, match=rf"Argument `\w*{missing}` must not be None"):
                getattr(tf.losses, name)(*arguments)


def test_another_reduction_is_refused_with_those_that_there_are() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Invalid Reduction Key mean.*weighted_sum"):
        tf.losses.mean_squared_error(Y, Y, reduction="mean")
