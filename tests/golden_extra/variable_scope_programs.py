"""Programs that nest variable scopes and name scopes; `record_variable_scopes.py` records the names TensorFlow gives.

Each program is a function of a namespace (`tensorflow.compat.v1`, `penstock.compat.v1` or `penstock`) and of `say`,
which notes a name. A program ends with an error where TensorFlow raises one; then the class of the error is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Say = Callable[..., None]
Program = Callable[[Any, Say], None]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    """Lists a program under the name of its function."""
    PROGRAMS[function.__name__] = function
    return function


def var(tf: Any, name: str = "w", **given: Any) -> str:
    """The name of a new variable."""
    return str(tf.get_variable(name, [2], **given).name)


def node(tf: Any, name: str = "c") -> str:
    """The name of a new operation."""
    return str(tf.constant(1.0, name=name).op.name)


def inside(tf: Any, say: Say, **given: Any) -> None:
    """Say where a variable and an operation made here stand."""
    say(var(tf, **given), node(tf))


# ---- one scope ----------------------------------------------------------------------------------


@program
def no_scope(tf: Any, say: Say) -> None:
    inside(tf, say)
    scope = tf.get_variable_scope()
    say(scope.name, scope.reuse, scope.original_name_scope)


@program
def one_scope(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as scope:
        inside(tf, say)
        say(scope.name, scope.reuse, scope.original_name_scope, tf.get_variable_scope().name)
    inside(tf, say)


@program
def a_name_with_slashes(tf: Any, say: Say) -> None:
    with tf.variable_scope("a/b") as scope:
        say(var(tf, "x/y"), node(tf, "p/q"), scope.name, scope.original_name_scope)
    with tf.variable_scope("a"), tf.variable_scope("b") as scope:
        say(var(tf, "z"), node(tf, "p"), scope.name, scope.original_name_scope)


@program
def a_trailing_slash(tf: Any, say: Say) -> None:
    with tf.variable_scope("a/") as scope:
        say(scope.name, scope.original_name_scope)
        inside(tf, say)
    with tf.variable_scope("a/") as scope:
        say(scope.name, scope.original_name_scope, var(tf, "v"), node(tf))


@program
def the_empty_name(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"), tf.variable_scope("") as scope:
        say(scope.name, scope.original_name_scope)
        inside(tf, say)


@program
def the_empty_name_alone(tf: Any, say: Say) -> None:
    with tf.variable_scope("") as scope:
        say(scope.name, scope.original_name_scope)
        inside(tf, say)


@program
def the_same_name_twice(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as first:
        say(var(tf, "v"), node(tf), first.original_name_scope)
    with tf.variable_scope("a") as second:
        say(var(tf, "w"), node(tf), second.original_name_scope)
    with tf.variable_scope("a") as third:
        say(var(tf, "u"), node(tf), third.original_name_scope)


@program
def the_same_object_twice(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as scope:
        say(var(tf, "v"), node(tf))
    with tf.variable_scope(scope) as again:
        say(var(tf, "w"), node(tf), again.name, again.original_name_scope, again is scope)
    with tf.variable_scope(scope, reuse=True) as again:
        say(var(tf, "v"), node(tf), again.reuse, scope.reuse)


@program
def the_context_manager_twice(tf: Any, say: Say) -> None:
    block = tf.variable_scope("a")
    with block as first:
        say(var(tf, "v"), node(tf), first.name)
    with block as second:
        say(var(tf, "w"), node(tf), second.name)


@program
def the_original_name_scope_again(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as scope:
        say(node(tf))
    with tf.variable_scope(scope), tf.name_scope(scope.original_name_scope):
        say(var(tf), node(tf))
    with tf.variable_scope(scope, auxiliary_name_scope=False), tf.name_scope(scope.original_name_scope):
        say(var(tf, "v"), node(tf))


# ---- nesting ------------------------------------------------------------------------------------


@program
def three_deep(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        with tf.variable_scope("b") as b:
            with tf.variable_scope("c") as c:
                inside(tf, say)
                say(b.name, c.name, b.original_name_scope, c.original_name_scope)
            inside(tf, say)
        inside(tf, say)


@program
def siblings(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        with tf.variable_scope("b"):
            inside(tf, say)
        with tf.variable_scope("b"):
            say(var(tf, "v"), node(tf))
        with tf.variable_scope("c"):
            inside(tf, say)


@program
def an_object_in_another_scope(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as a:
        pass
    with tf.variable_scope("b"), tf.variable_scope(a) as again:
        say(var(tf), node(tf), again.name, again.original_name_scope)
        with tf.variable_scope("c") as c:
            say(var(tf), node(tf), c.name, c.original_name_scope)


@program
def an_inner_object_outside(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"), tf.variable_scope("b") as b:
        say(node(tf))
    with tf.variable_scope(b) as again:
        say(var(tf), node(tf), again.name, again.original_name_scope)
    with tf.variable_scope(b):
        say(var(tf, "v"), node(tf))


@program
def the_root_object_inside(tf: Any, say: Say) -> None:
    root = tf.get_variable_scope()
    with tf.variable_scope("a"), tf.variable_scope(root) as again:
        say(var(tf), node(tf), again.name, again.original_name_scope)


@program
def the_current_scope_again(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        with tf.variable_scope(tf.get_variable_scope()):
            inside(tf, say)
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            inside(tf, say)
        with tf.variable_scope(tf.get_variable_scope(), reuse=None):
            say(var(tf, "v"), node(tf))


# ---- beside name scopes -------------------------------------------------------------------------


@program
def a_name_scope_inside(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"), tf.name_scope("n"):
        inside(tf, say)
        say(tf.Variable(1.0, name="v").name)


@program
def a_name_scope_outside(tf: Any, say: Say) -> None:
    with tf.name_scope("n"), tf.variable_scope("a") as scope:
        inside(tf, say)
        say(tf.Variable(1.0, name="v").name, scope.name, scope.original_name_scope)


@program
def name_scopes_on_both_sides(tf: Any, say: Say) -> None:
    with tf.name_scope("n"), tf.variable_scope("a"), tf.name_scope("m"), tf.variable_scope("b") as scope:
        inside(tf, say)
        say(scope.name, scope.original_name_scope)


@program
def a_name_scope_of_the_same_name(tf: Any, say: Say) -> None:
    with tf.name_scope("a"):
        say(node(tf))
    with tf.variable_scope("a") as scope:
        say(var(tf), node(tf), scope.original_name_scope)
    with tf.name_scope("a"):
        say(node(tf))


@program
def no_name_scope_inside(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"), tf.name_scope(None):
        inside(tf, say)
        with tf.variable_scope("b") as b:
            say(var(tf), node(tf), b.original_name_scope)


@program
def an_operation_has_taken_the_name(tf: Any, say: Say) -> None:
    say(node(tf, "w"), node(tf, "a"))
    say(var(tf))
    with tf.variable_scope("a"):
        inside(tf, say)


@program
def a_variable_has_taken_the_name(tf: Any, say: Say) -> None:
    say(tf.Variable(1.0, name="w").name)
    say(var(tf))
    say(tf.Variable(1.0, name="w").name)
    with tf.variable_scope("w") as scope:
        say(var(tf), node(tf), scope.original_name_scope)


@program
def a_scope_has_taken_the_name(tf: Any, say: Say) -> None:
    with tf.variable_scope("w"):
        inside(tf, say)
    say(var(tf), node(tf, "w"))


@program
def letters_of_another_case(tf: Any, say: Say) -> None:
    say(var(tf, "W"), var(tf, "w"))
    with tf.variable_scope("A"):
        inside(tf, say)
    with tf.variable_scope("a"):
        inside(tf, say)


@program
def variables_without_get_variable(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        say(tf.Variable(1.0).name, tf.Variable(1.0).name, tf.Variable(1.0, name="v").name)
    with tf.variable_scope("a"):
        say(tf.Variable(1.0).name, tf.Variable(1.0, name="v").name)


@program
def the_same_name_in_both_kinds_of_scope(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        say(node(tf))
        with tf.name_scope("a"):
            say(node(tf))
        with tf.variable_scope("a"):
            inside(tf, say)


# ---- the auxiliary name scope -------------------------------------------------------------------


@program
def without_auxiliary_name_scope(tf: Any, say: Say) -> None:
    with tf.variable_scope("a", auxiliary_name_scope=False) as scope:
        say(var(tf), node(tf), scope.name, scope.original_name_scope)


@program
def without_auxiliary_name_scope_inside(tf: Any, say: Say) -> None:
    with tf.name_scope("n"), tf.variable_scope("a"):
        with tf.variable_scope("b", auxiliary_name_scope=False) as scope:
            say(var(tf), node(tf), scope.name, scope.original_name_scope)
        with tf.variable_scope("c"):
            inside(tf, say)


@program
def an_object_without_auxiliary_name_scope(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as a:
        say(node(tf))
    with tf.name_scope("n"), tf.variable_scope(a, auxiliary_name_scope=False) as again:
        say(var(tf), node(tf), again.original_name_scope)
        with tf.variable_scope("b") as b:
            say(var(tf), node(tf), b.original_name_scope)


@program
def a_default_name_without_auxiliary_name_scope(tf: Any, say: Say) -> None:
    for _ in range(2):
        with tf.variable_scope(None, "a", auxiliary_name_scope=False) as scope:
            say(var(tf), node(tf), scope.name, scope.original_name_scope)


@program
def auxiliary_name_scope_must_be_a_bool(tf: Any, say: Say) -> None:
    with tf.variable_scope("a", auxiliary_name_scope="no"):
        pass


# ---- default names ------------------------------------------------------------------------------


@program
def a_default_name(tf: Any, say: Say) -> None:
    for _ in range(3):
        with tf.variable_scope(None, "a") as scope:
            say(var(tf), node(tf), scope.name, scope.original_name_scope)


@program
def a_name_beside_a_default_name(tf: Any, say: Say) -> None:
    with tf.variable_scope("b", "a") as scope:
        say(var(tf), node(tf), scope.name)


@program
def default_names_inside(tf: Any, say: Say) -> None:
    with tf.variable_scope("o"):
        for _ in range(2):
            with tf.variable_scope(None, "a") as scope:
                say(var(tf), node(tf), scope.name, scope.original_name_scope)
                with tf.variable_scope(None, "b") as inner:
                    say(var(tf), node(tf), inner.name, inner.original_name_scope)


@program
def default_names_start_anew(tf: Any, say: Say) -> None:
    for reuse in (None, True):
        with tf.variable_scope("o", reuse=reuse):
            for _ in range(2):
                with tf.variable_scope(None, "a") as scope:
                    say(var(tf), node(tf), scope.name, scope.original_name_scope)


@program
def default_names_start_anew_for_objects(tf: Any, say: Say) -> None:
    with tf.variable_scope("o") as o:
        for _ in range(2):
            with tf.variable_scope(None, "a") as scope:
                say(var(tf), scope.name)
    with tf.variable_scope(o, reuse=True):
        for _ in range(2):
            with tf.variable_scope(None, "a") as scope:
                say(var(tf), scope.name)
    with tf.variable_scope(o), tf.variable_scope(None, "a") as scope:
        say(scope.name)


@program
def a_default_name_after_a_name(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        inside(tf, say)
    with tf.variable_scope(None, "a") as scope:
        say(var(tf), node(tf), scope.name)
    with tf.variable_scope("a_2"):
        pass
    with tf.variable_scope(None, "a") as scope:
        say(var(tf), node(tf), scope.name)


@program
def default_names_within_an_open_scope(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"), tf.variable_scope(None, "a") as inner:
        say(inner.name)
    with tf.variable_scope(None, "a") as scope:
        say(scope.name)
        with tf.variable_scope(None, "a") as inner:
            say(inner.name, inner.original_name_scope)
        with tf.variable_scope(None, "a") as inner:
            say(inner.name, inner.original_name_scope)


@program
def a_default_name_beside_a_name_scope(tf: Any, say: Say) -> None:
    with tf.name_scope("a"):
        say(node(tf))
    with tf.variable_scope(None, "a") as scope:
        say(var(tf), node(tf), scope.name, scope.original_name_scope)


@program
def a_default_name_beside_a_variable(tf: Any, say: Say) -> None:
    say(var(tf, "a"))
    with tf.variable_scope(None, "a") as scope:
        say(var(tf), node(tf), scope.name, scope.original_name_scope)


@program
def default_names_of_an_interrupted_block(tf: Any, say: Say) -> None:
    try:
        with tf.variable_scope(None, "a"):
            raise KeyError("stop")
    except KeyError:
        pass
    with tf.variable_scope(None, "a") as scope:
        say(var(tf), node(tf), scope.name, tf.get_variable_scope().name)


@program
def an_object_opened_counts(tf: Any, say: Say) -> None:
    with tf.variable_scope("o") as o:
        pass
    with tf.variable_scope(o):
        pass
    with tf.variable_scope(None, "o") as scope:
        say(scope.name)


@program
def a_default_name_with_values(tf: Any, say: Say) -> None:
    x = tf.constant(1.0, name="x")
    with tf.variable_scope(None, "a", [x]) as scope:
        say(var(tf), node(tf), scope.name)


@program
def neither_name_nor_default_name(tf: Any, say: Say) -> None:
    with tf.variable_scope(None):
        pass


@program
def a_default_name_with_reuse(tf: Any, say: Say) -> None:
    with tf.variable_scope(None, "a", reuse=True):
        pass


# ---- reuse --------------------------------------------------------------------------------------


@program
def reuse_true(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        first = tf.get_variable("w", [2])
    with tf.variable_scope("a", reuse=True) as scope:
        say(tf.get_variable("w", [2]) is first, tf.get_variable("w") is first, node(tf), scope.reuse)


@program
def reuse_false_is_inherited(tf: Any, say: Say) -> None:
    with tf.variable_scope("a", reuse=True), tf.variable_scope("b", reuse=False) as scope:
        say(scope.reuse)


@program
def reuse_is_inherited(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"), tf.variable_scope("b"):
        say(var(tf))
    with tf.variable_scope("a", reuse=True), tf.variable_scope("b") as scope:
        say(var(tf), scope.reuse)
    with tf.variable_scope("a") as scope:
        say(scope.reuse, scope.reuse_variables(), scope.reuse)
        with tf.variable_scope("b") as inner:
            say(var(tf), inner.reuse)
    say(tf.get_variable_scope().reuse)


@program
def auto_reuse(tf: Any, say: Say) -> None:
    for _ in range(2):
        with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
            say(var(tf), node(tf), scope.reuse is tf.AUTO_REUSE)
            with tf.variable_scope("b") as inner:
                say(var(tf), inner.reuse is tf.AUTO_REUSE)
            with tf.variable_scope("c", reuse=True) as inner:
                say(inner.reuse)
            with tf.variable_scope("c", reuse=False) as inner:
                say(inner.reuse is tf.AUTO_REUSE)


@program
def reuse_of_objects(tf: Any, say: Say) -> None:
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
        say(var(tf))
    with tf.variable_scope(scope) as again:
        say(var(tf), again.reuse is tf.AUTO_REUSE)
    with tf.variable_scope(scope, reuse=True) as again:
        say(var(tf), again.reuse)
    with tf.variable_scope("b", reuse=True), tf.variable_scope(scope, reuse=False) as again:
        say(again.reuse is tf.AUTO_REUSE)


@program
def an_object_forgets_the_reuse_around(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as a:
        pass
    with tf.variable_scope("b", reuse=True), tf.variable_scope(a) as again:
        say(again.reuse, var(tf))


@program
def reuse_variables_of_the_root(tf: Any, say: Say) -> None:
    say(var(tf))
    tf.get_variable_scope().reuse_variables()
    say(var(tf), tf.get_variable_scope().reuse)


@program
def made_twice(tf: Any, say: Say) -> None:
    say(var(tf))
    var(tf)


@program
def made_twice_in_scopes(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        say(var(tf))
    with tf.variable_scope("a"):
        var(tf)


@program
def reused_but_never_made(tf: Any, say: Say) -> None:
    with tf.variable_scope("a", reuse=True):
        var(tf)


@program
def a_variable_object_is_not_reused(tf: Any, say: Say) -> None:
    say(tf.Variable([1.0, 2.0], name="w").name)
    with tf.variable_scope("", reuse=True):
        var(tf)


@program
def reused_with_another_shape(tf: Any, say: Say) -> None:
    say(var(tf))
    with tf.variable_scope("", reuse=True):
        tf.get_variable("w", [3])


@program
def reused_with_a_compatible_shape(tf: Any, say: Say) -> None:
    say(var(tf))
    with tf.variable_scope("", reuse=True):
        say(tf.get_variable("w", [None]).name, tf.get_variable("w", None).name)


@program
def reused_with_another_dtype(tf: Any, say: Say) -> None:
    say(var(tf))
    with tf.variable_scope("", reuse=True):
        tf.get_variable("w", [2], tf.float64)


@program
def reuse_must_be_a_known_word(tf: Any, say: Say) -> None:
    with tf.variable_scope("a", reuse="always"):
        pass


@program
def a_scope_must_be_a_name_or_an_object(tf: Any, say: Say) -> None:
    with tf.variable_scope(3):
        pass


# ---- what a scope hands on ----------------------------------------------------------------------


@program
def dtypes_of_scopes(tf: Any, say: Say) -> None:
    say(tf.get_variable_scope().dtype.name)
    with tf.variable_scope("a", dtype=tf.float64) as scope:
        say(tf.get_variable("w", [2]).dtype.base_dtype.name, scope.dtype.name)
        with tf.variable_scope("b") as inner:
            say(inner.dtype.name, tf.get_variable("w", [2]).dtype.base_dtype.name)
            say(tf.get_variable("v", [2], tf.float32).dtype.base_dtype.name)
        with tf.variable_scope("c", dtype=tf.int32) as inner:
            say(inner.dtype.name, tf.get_variable("w", [2]).dtype.base_dtype.name)


@program
def initializers_of_scopes(tf: Any, say: Say) -> None:
    five = tf.constant_initializer(5.0)
    six = tf.constant_initializer(6.0)
    with tf.variable_scope("a", initializer=five) as scope:
        say(scope.initializer is five)
        with tf.variable_scope("b") as inner:
            say(inner.initializer is five, tf.get_variable("w", [2]).initial_value.op.name)
        with tf.variable_scope("c", initializer=six) as inner:
            say(inner.initializer is six)
        scope.set_initializer(six)
        with tf.variable_scope("d") as inner:
            say(inner.initializer is six)
    say(tf.get_variable_scope().initializer is None)


@program
def names_of_initial_values(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        makers = {"z": tf.zeros_initializer(), "o": tf.ones_initializer(), "c": tf.constant_initializer(3.0)}
        for name, value in makers.items():
            made = tf.get_variable(name, [2], initializer=value)
            say(made.initial_value.op.name, made.initializer.name)
        made = tf.get_variable("n", initializer=[1.0, 2.0])
        say(made.initial_value.op.name, made.initializer.name)
        made = tf.get_variable("t", initializer=tf.constant([1.0, 2.0], name="outside"))
        say(made.initial_value.op.name, made.initializer.name)
        made = tf.get_variable("f", initializer=lambda: tf.constant([1.0, 2.0]))
        say(made.initial_value.op.name, made.initializer.name)


@program
def regularizers_of_scopes(tf: Any, say: Say) -> None:
    def half(t: Any) -> Any:
        return tf.multiply(t, 0.5, name="half")

    def none(t: Any) -> None:
        return None

    with tf.name_scope("n"), tf.variable_scope("a", regularizer=half) as scope:
        tf.get_variable("w", [2])
        tf.get_variable("v", [2], regularizer=none)
        say(scope.regularizer is half)
        with tf.variable_scope("b") as inner:
            tf.get_variable("w", [2])
            say(inner.regularizer is half)
        with tf.variable_scope("c", regularizer=none) as inner:
            tf.get_variable("w", [2])
            say(inner.regularizer is none)
        with tf.variable_scope(scope, reuse=True):
            tf.get_variable("w", [2])
    for loss in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES):
        say(loss.name)


@program
def constraints_of_scopes(tf: Any, say: Say) -> None:
    def positive(t: Any) -> Any:
        return t

    with tf.variable_scope("a", constraint=positive) as scope:
        say(scope.constraint is positive, tf.get_variable("w", [2]).constraint is positive)
        with tf.variable_scope("b") as inner:
            say(inner.constraint is None)


@program
def custom_getters(tf: Any, say: Say) -> None:
    def suffix(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        say("suffix", name, sorted(kwargs))
        return getter(name + "_s", *args, **kwargs)

    def doubled(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        say("doubled", name)
        return tf.multiply(getter(name, *args, **kwargs), 2.0, name="doubled")

    with tf.variable_scope("a", custom_getter=suffix) as scope:
        say(tf.get_variable("w", [2]).name, scope.custom_getter is suffix)
        with tf.variable_scope("b", custom_getter=doubled):
            say(tf.get_variable("w", [2]).name)
        with tf.variable_scope("c"):
            say(tf.get_variable("w", [2]).name)
            say(tf.get_variable("v", [2], custom_getter=doubled).name)
    for made in tf.global_variables():
        say(made.name)


@program
def a_custom_getter_makes_two(tf: Any, say: Say) -> None:
    def two(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        first = getter(name + "/0", *args, **kwargs)
        second = getter(name + "/1", *args, **kwargs)
        return first + second

    with tf.name_scope("n"), tf.variable_scope("a", custom_getter=two):
        say(tf.get_variable("w", [2]).op.type)
    with tf.variable_scope("a", reuse=True):
        say(tf.get_variable("w/0", [2]).name, tf.get_variable("w/1", [2]).name)


@program
def setters_of_scopes(tf: Any, say: Say) -> None:
    with tf.variable_scope("a") as scope:
        scope.set_dtype(tf.float64)
        scope.set_regularizer(None)
        scope.set_custom_getter(None)
        scope.set_use_resource(False)
        scope.set_caching_device(None)
        scope.set_partitioner(None)
        say(tf.get_variable("w", [2]).dtype.base_dtype.name)
        say(scope.use_resource, scope.caching_device, scope.partitioner)


# ---- collections --------------------------------------------------------------------------------


@program
def collections_of_variables(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        tf.get_variable("w", [2])
        tf.get_variable("f", [2], trainable=False)
        tf.get_variable("l", [2], collections=[tf.GraphKeys.LOCAL_VARIABLES])
        tf.get_variable("own", [2], collections=["own"])
        tf.get_local_variable("local", [2])
        tf.get_local_variable("both", [2], collections=["own"])
        tf.Variable(1.0, name="v")
    with tf.variable_scope("b"):
        tf.get_variable("w", [2])
    for name in ("global_variables", "trainable_variables", "local_variables", "model_variables", "all_variables",
                 "moving_average_variables"):  # fmt: skip
        say(name, [made.name for made in getattr(tf, name)()])
    say([made.name for made in tf.get_collection("own")])
    say([made.name for made in tf.global_variables("a/")], [made.name for made in tf.trainable_variables("b")])
    with tf.variable_scope("a") as scope:
        say([made.name for made in scope.global_variables()], [made.name for made in scope.trainable_variables()])
        say([made.name for made in scope.local_variables()], [made.name for made in scope.get_collection("own")])


@program
def collections_of_scopes_with_like_names(tf: Any, say: Say) -> None:
    with tf.variable_scope("a"):
        tf.get_variable("w", [2])
    with tf.variable_scope("ab"):
        tf.get_variable("w", [2])
    with tf.variable_scope("a") as scope:
        say([made.name for made in scope.global_variables()])
    say([made.name for made in tf.global_variables("a")])


@program
def names_of_initialisers(tf: Any, say: Say) -> None:
    tf.get_variable("w", [2])
    tf.get_local_variable("l", [2])
    with tf.name_scope("n"), tf.variable_scope("a"):
        say(tf.global_variables_initializer().name, tf.local_variables_initializer().name)
        say(tf.variables_initializer(tf.global_variables()).name, tf.variables_initializer([]).name)
        say(tf.variables_initializer(tf.global_variables(), name="mine").name, tf.tables_initializer().name)
    say(tf.initialize_all_variables().name, tf.initialize_local_variables().name)
    say(tf.initialize_variables(tf.global_variables()).name)


@program
def names_of_reports(tf: Any, say: Say) -> None:
    say(tf.report_uninitialized_variables().name)
    tf.get_variable("w", [2])
    tf.get_local_variable("l", [2])
    say(tf.report_uninitialized_variables().dtype.name)
    say(tf.assert_variables_initialized().shape.as_list())
    say(tf.is_variable_initialized(tf.global_variables()[0]).name)


# ---- other blocks -------------------------------------------------------------------------------


@program
def control_dependencies_do_not_reach_initial_values(tf: Any, say: Say) -> None:
    first = tf.constant(1.0, name="first")
    with tf.control_dependencies([first]):
        made = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    say(made.initial_value.op.control_inputs == [] or made.initial_value.op.control_inputs == ())
    say(len(made.initializer.control_inputs), len(made.op.control_inputs))


@program
def variable_op_scope(tf: Any, say: Say) -> None:
    x = tf.constant(1.0, name="x")
    with tf.variable_op_scope([x], "a", "b") as scope:
        say(var(tf), node(tf), scope.name)
    for _ in range(2):
        with tf.variable_op_scope([x], None, "b") as scope:
            say(var(tf), node(tf), scope.name)


@program
def scopes_in_an_order_that_breaks_nesting(tf: Any, say: Say) -> None:
    first = tf.variable_scope("a")
    second = tf.variable_scope("b")
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)


@program
def a_shape_beside_a_value(tf: Any, say: Say) -> None:
    tf.get_variable("w", [2], initializer=[1.0, 2.0])


@program
def another_dtype_beside_a_value(tf: Any, say: Say) -> None:
    tf.get_variable("w", dtype=tf.float64, initializer=tf.constant([1.0, 2.0]))


@program
def a_value_alone(tf: Any, say: Say) -> None:
    say(tf.get_variable("w", initializer=3).dtype.base_dtype.name)
    say(tf.get_variable("v", initializer=[[1.5]]).shape.as_list())
    say(tf.get_variable("u", initializer=tf.zeros_initializer, shape=[2]).name)


@program
def no_shape(tf: Any, say: Say) -> None:
    tf.get_variable("w")


@program
def a_shape_that_is_not_known(tf: Any, say: Say) -> None:
    tf.get_variable("w", [None, 2])


@program
def shapes_in_other_forms(tf: Any, say: Say) -> None:
    for name, shape in (("a", ()), ("b", (2, 3)), ("c", tf.TensorShape([4])), ("d", 5)):
        say(name, tf.get_variable(name, shape).shape.as_list())


@program
def default_initializers_of_dtypes(tf: Any, say: Say) -> None:
    for dtype in (tf.float32, tf.float64, tf.int32, tf.bool, tf.string):
        made = tf.get_variable("v_" + dtype.name, [2], dtype)
        say(dtype.name, made.initial_value.op.name)


@program
def no_default_initializer_of_complex(tf: Any, say: Say) -> None:
    tf.get_variable("w", [2], tf.complex64)


@program
def many_models(tf: Any, say: Say) -> None:
    def layer(x: Any, size: int) -> Any:
        with tf.variable_scope(None, default_name="layer"):
            weights = tf.get_variable("w", [x.shape.as_list()[1], size], initializer=tf.zeros_initializer())
            bias = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
            return tf.add(tf.matmul(x, weights), bias, name="out")

    def model(x: Any) -> Any:
        return layer(layer(x, 3), 2)

    x = tf.zeros([4, 5], name="x")
    with tf.variable_scope("model") as scope:
        say(model(x).name)
    with tf.variable_scope(scope, reuse=True):
        say(model(x).name)
    with tf.variable_scope("model", reuse=True):
        say(model(x).name)
    with tf.variable_scope("other"):
        say(model(x).name)
    say([made.name for made in tf.trainable_variables()])
