"""`tf.make_template`: the calls of one template share its variables, whenever its scope is opened."""

from __future__ import annotations

from typing import Any

import pytest

import penstock.compat.v1 as tf


def scaled(x: Any) -> Any:
    return x * tf.get_variable("scale", [], initializer=tf.constant_initializer(3.0))


@pytest.mark.parametrize("now", [False, True])
def test_calls_share_variables(now: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        template = tf.make_template("layer", scaled, create_scope_now_=now)
        assert "not called yet" in repr(template)
        results = [template(tf.constant(float(i))) for i in range(3)]
        assert "shares its variables" in repr(template)
        assert [v.name for v in template.variables] == [v.name for v in tf.global_variables()] == ["layer/scale:0"]
        assert template.trainable_variables == template.variables
        session.run(tf.global_variables_initializer())
        assert session.run(results) == [0.0, 3.0, 6.0]


@pytest.mark.parametrize("now", [False, True])
def test_a_first_call_that_fails_leaves_the_template_as_it_was(now: bool) -> None:
    failing = [True]

    def sometimes(x: Any) -> Any:
        if failing:
            raise ValueError("not yet")
        return scaled(x)

    with tf.Graph().as_default():
        template = tf.make_template("layer", sometimes, create_scope_now_=now)
        with pytest.raises(ValueError, match="not yet"):
            template(1.0)
        failing.clear()
        for _ in range(2):
            template(1.0)
        assert len(template.variables) == len(tf.global_variables()) == 1


def test_two_templates_of_one_name_have_scopes_of_their_own() -> None:
    with tf.Graph().as_default():
        first, second = (tf.make_template("layer", scaled, create_scope_now_=True) for _ in range(2))
        second(1.0), first(1.0)
        assert [first.variables[0].name, second.variables[0].name] == ["layer/scale:0", "layer_1/scale:0"]
