"""`make_template`: a function whose calls share their variables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from .variable_lists import global_variables, trainable_variables
from .variable_scope_block import variable_scope
from .variable_scope_object import VariableScope


class VariableTemplate:
    """A function that makes its variables in its first call and shares them in the others.

    Attributes:
        variable_scope: the scope of its variables; None before the first call.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], create_scope_now: bool, unique_name: str | None, getter: Any
    ) -> None:
        self._name, self._function, self._unique, self._getter = name, function, unique_name, getter
        self.variable_scope: VariableScope | None = None
        self._is_built = False
        if create_scope_now:
            with variable_scope(unique_name, name, custom_getter=getter) as scope:
                self.variable_scope = scope

    @property
    def name(self) -> str:
        """The name that the template was given."""
        return self._name

    @property
    def variables(self) -> list[Any]:
        """The variables that its calls made."""
        return [] if self.variable_scope is None else global_variables(f"{self.variable_scope.name}/")

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that optimizers change."""
        return [] if self.variable_scope is None else trainable_variables(f"{self.variable_scope.name}/")

    @hides_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.variable_scope is None:
            with variable_scope(self._unique, self._name, custom_getter=self._getter) as scope:
                found = self._function(*args, **kwargs)
                self.variable_scope, self._is_built = scope, True
                return found
        with variable_scope(self.variable_scope, reuse=True if self._is_built else None):
            found = self._function(*args, **kwargs)
            self._is_built = True
            return found

    def __repr__(self) -> str:
        state = "shares its variables" if self._is_built else "not called yet"
        return f"<VariableTemplate {self._name!r}: {state}>"


@hides_frames
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> VariableTemplate:
    """A function whose first call makes variables, which its other calls share.

    Args:
        name_: the scope of its variables, made unique.
        func_: a function that makes its variables by `tf.get_variable`.
        create_scope_now_: whether the scope gets its name here and not in the first call.
        unique_name_: a name of the scope that is not made unique.
        custom_getter_: a function that makes the variables, as in `tf.variable_scope`.
        kwargs: arguments of `func_` for all calls.

    Returns:
        A function of the other arguments.

    Raises:
        ValueError: `name_` is no text, or `func_` is no function.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     scale = tf.make_template("scale", lambda x: x * tf.get_variable("w", [2]))
    ...     _ = scale(tf.ones([2])), scale(tf.zeros([2]))
    ...     print([v.name for v in tf.global_variables()])
    ['scale/w:0']

    Source: TensorFlow 1.x, `tf.make_template`.
    """
    if not isinstance(name_, str) or not name_:
        raise ValueRuleError(f"make_template: name_ must be a text, not {name_!r}")
    if not callable(func_):
        raise ValueRuleError(f"make_template: func_ must be a function, not {func_!r}; the order is (name_, func_)")
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return VariableTemplate(name_, function, create_scope_now_, unique_name_, custom_getter_)
