"""`TestCase`: a unit test with a graph, a session and a temporary folder of its own."""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final

import numpy as np

from ..errors import GraphError, OpError
from ..graph.model.nodes import Graph
from ..graph.model.seed_functions import set_random_seed
from ..runtime.session.default_session import get_default_session
from ..runtime.session.session import Session
from .array_assertions import ArrayAssertions
from .value_assertions import ValueAssertions

_SEED: Final = 87654321


class TestCase(ArrayAssertions, ValueAssertions):
    """A unit test of a graph, with TensorFlow's assertions.

    Each test begins with an empty default graph and with fixed seeds. Call `super().setUp()` in a `setUp` of your own.

    Args:
        methodName: the method that is the test, as of `unittest.TestCase`.

    >>> import unittest, penstock as tf
    >>> class Squares(tf.test.TestCase):
    ...     def test_three(self):
    ...         with self.session():
    ...             self.assertAllClose(tf.square([3.0]), [9.0])
    >>> result = unittest.TestResult()
    >>> _ = unittest.defaultTestLoader.loadTestsFromTestCase(Squares).run(result)
    >>> result.testsRun, result.wasSuccessful()
    (1, True)

    Source: TensorFlow 1.x, `tf.test.TestCase`.
    """

    __test__ = False  # pytest collects subclasses, see __init_subclass__, and not this class

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached: Session | None = None
        self._folder = ""

    def setUp(self) -> None:
        """Prepares a test: an empty default graph, and fixed seeds of Python, NumPy and the graph.

        >>> import penstock as tf
        >>> test = tf.test.TestCase()
        >>> test.setUp()
        >>> test.doCleanups()
        True
        """
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        block = Graph().as_default()
        block.__enter__()
        self.addCleanup(_end, block)
        set_random_seed(_SEED)

    def tearDown(self) -> None:
        """Ends a test: closes the session of `cached_session`.

        >>> import penstock as tf
        >>> tf.test.TestCase().tearDown()
        """
        session, self._cached = self._cached, None
        if session is not None:
            session.close()
        super().tearDown()

    @contextmanager
    def session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Session]:
        """A `with` block with a new session, the default one there.

        Args:
            graph: its graph; None for the default graph.
            config: a `SessionConfig` or `ConfigProto`.
            use_gpu: has no effect: operations run where `tf.device` says.
            force_gpu: has no effect.

        Returns:
            A context manager that gives the session, which is closed at the end.

        Raises:
            TypeError: `graph` or `config` is of another type.

        >>> import penstock as tf
        >>> with tf.test.TestCase().session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.constant(1) + 2))
        3
        """
        with Session(graph=graph, config=config) as made:
            yield made

    @contextmanager
    def cached_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Session]:
        """A `with` block with the session of this test, which stays open until the test has ended.

        Args:
            graph: its graph; None for the default graph. Only the first call in a test can choose it.
            config: a `SessionConfig` or `ConfigProto`, of the first call too.
            use_gpu: has no effect: operations run where `tf.device` says.
            force_gpu: has no effect.

        Returns:
            A context manager that gives the session.

        Raises:
            ValueError: a later call names another graph.

        >>> import penstock as tf
        >>> test = tf.test.TestCase()
        >>> with test.cached_session(tf.Graph()) as one, test.cached_session() as two:
        ...     one is two
        True
        >>> test.tearDown()
        """
        if self._cached is None:
            self._cached = Session(graph=graph, config=config)
        elif graph is not None and graph is not self._cached.graph:
            raise ValueError(
                "cached_session: the session of this test has another graph; write self.session(graph=...) for a "
                "session of its own"
            )
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    @property
    def test_session(self) -> Callable[..., AbstractContextManager[Session]]:
        """The older name of `cached_session`; with a graph or a config of its own that of `session`.

        It is a property because unittest takes every method of that name for a test.
        """

        def opened(
            graph: Graph | None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
        ) -> Any:
            return self.cached_session() if graph is None and config is None else self.session(graph, config)

        return opened

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, in the default session; without one in `cached_session`.

        Args:
            tensors: what `Session.run` takes: a tensor, or a nested list, tuple or dict.

        Returns:
            Arrays in the same structure.

        Raises:
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()), tf.get_default_graph().as_default():
        ...     print(tf.test.TestCase().evaluate(tf.constant(1) + 2))
        3
        """
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as cached:
            return cached.run(tensors)

    def get_temp_dir(self) -> str:
        """A folder for files of this test, which is deleted when the test has ended.

        Returns:
            The path, the same in each call of one test.

        >>> import os, penstock as tf
        >>> test = tf.test.TestCase()
        >>> os.path.isdir(test.get_temp_dir())
        True
        >>> test.doCleanups()
        True
        """
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix=f"{type(self).__name__}_")
            self.addCleanup(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[Any], Any]
    ) -> Iterator[None]:
        """A `with` block that fails unless it raises an error that fits.

        Args:
            exception_type: the class of the error.
            expected_err_re_or_predicate: a regular expression that is found in its message, or a function of the error
                that tells whether it fits.

        Returns:
            A context manager.

        Raises:
            AssertionError: no error is raised, or another.

        >>> import penstock as tf
        >>> with tf.test.TestCase().assertRaisesWithPredicateMatch(ValueError, "invalid literal"):
        ...     int("one")
        """
        try:
            yield
        except Exception as error:
            wanted = expected_err_re_or_predicate
            text = f"{error.message}\nCaused by: {getattr(error.op, 'name', '')}" if isinstance(error, OpError) else ""
            fits = wanted(error) if callable(wanted) else re.search(wanted, f"{text}\n{error}")
            if not isinstance(error, exception_type) or not fits:
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: str | Callable[[Any], Any]) -> Any:
        """A `with` block that fails unless an operation fails in it with an error that fits.

        Args:
            expected_err_re_or_predicate: as of `assertRaisesWithPredicateMatch`.

        Returns:
            A context manager.

        Raises:
            AssertionError: no operation fails, or with another error.

        >>> import penstock as tf
        >>> with tf.test.TestCase().assertRaisesOpError("did not hold"), tf.Graph().as_default():
        ...     tf.assert_positive([0])
        """
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)


def _end(block: AbstractContextManager[Graph]) -> None:
    with suppress(GraphError):  # a test may call `setUp` again in a `with` block of its own, which ended this one
        block.__exit__(None, None, None)
