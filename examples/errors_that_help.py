"""What a mistake looks like: the attempt, what was found, the rule, and what to do.

A mistake in a graph is told by the call that makes it, with the lines of the operands; a mistake in the data is told by
the run, with the node and the line that made it.
"""

from collections.abc import Callable
from typing import Any

import penstock as tf


def attempt(title: str, mistake: Callable[[], Any]) -> None:
    """Make the mistake and print its message."""
    print(f"== {title}")
    try:
        mistake()
    except (ValueError, TypeError, tf.errors.OpError) as error:
        kind = type(error)
        kinds = [base.__name__ for base in kind.__mro__[1:] if base not in (Exception, BaseException, object)]
        print(f"{kind.__name__} ({', '.join(kinds)})")
        print(f"{error}\n")
    else:
        raise SystemExit(f"{title}: nothing was refused")


with tf.Session(graph=tf.Graph()) as session:
    rows = tf.placeholder(tf.float32, ["batch", 3], name="rows")
    table = tf.placeholder(tf.float32, [10, 4], name="table")
    chosen = tf.gather(table, tf.placeholder(tf.int32, ["batch"], name="ids"), name="chosen")
    count = tf.placeholder(tf.int32, [], name="count")

    attempt("shapes that do not fit", lambda: tf.concat(0, [rows, chosen]))
    attempt("dtypes that differ", lambda: rows + tf.cast(rows, tf.float64))
    attempt("a number where the rule needs another", lambda: tf.split(1, 2, rows))
    concat: Any = tf.concat  # the mistake that follows is one that a type checker sees
    attempt("the order of arguments of TensorFlow 1.x", lambda: concat([rows, rows], 0))
    attempt("a tensor used as a truth", lambda: "yes" if rows > 0.0 else "no")
    attempt("assignment to an element", lambda: rows.__setitem__(0, 1.0))
    attempt("NumPy asked for the value", lambda: float(count))
    attempt("a placeholder that was not fed", lambda: session.run(chosen))
    attempt("a value of the wrong shape", lambda: session.run(chosen, {table: [[1.0, 2.0]]}))
    attempt(
        "an index that is out of range, known only in the run",
        lambda: session.run(chosen, {table: [[0.0] * 4] * 10, "ids:0": [3, 12]}),
    )
