"""Answers that students give, each to one gap of a right program: the check names what is wrong with them."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

import penstock as tf
from penstock.lessons.checking import Verdict, check_program
from penstock.lessons.lesson_folders import find_lesson
from penstock.lessons.program_run import taken_back

_SCORES = """None
    with tf.name_scope(label):
        centred = values - tf.reduce_mean(values)
        scores = tf.divide(centred, tf.sqrt(tf.reduce_mean(tf.square(centred))), name="scores")"""
_PAIRS = """None
    left.set_shape(["pairs"])
    right.set_shape(["pairs"])
    mean = (left + right) / 2.0"""
_HOURS = """None
parts = tf.dynamic_partition(km, kind, 3)
places = tf.dynamic_partition(tf.range(tf.size(km)), kind, 3)
hours = tf.dynamic_stitch(places, [on_foot(parts[0]), by_train(parts[1]), by_plane(parts[2])])"""
_AFTER = """None
with tf.control_dependencies([before]):
    paid = balance.assign_add(amount)
with tf.control_dependencies([paid]):
    after = balance.assign_add(balance * 0.1)"""
_MIRRORED = """None
    count = ops.size(g) // 2
    slope = g[:count] + ops.reverse(g[count:], [True])"""
_LOOP = "tf.while_loop(lambda b, i: i < years, lambda b, i: (b + rate * b + deposit, i + 1), [0.0, 0])[0]"
_FRUGAL = """None
f = tf.recompute_grad(lambda value: layers(value, 4))
frugal = tf.gradients(f(f(f(f(table)))), table)[0]"""

RIGHT: dict[int, dict[str, str]] = {
    1: {"fahrenheit": "celsius * 1.8 + 32.0", "warmest": "tf.reduce_max(fahrenheit)",
        "result": "session.run([fahrenheit, warmest], {celsius: WEEK})"},
    2: {"scores": _SCORES,
        "result": 'session.run(["heights/scores:0", "weights/scores:0"], {height: HEIGHTS, weight: WEIGHTS})'},
    3: {"scores": 'tf.placeholder(tf.float32, ["students", 4], name="scores")',
        "bonus": 'tf.placeholder(tf.float32, ["students"], name="bonus")', "mean": _PAIRS},
    4: {"today": "session.run([dearest, total], {prices: PRICES, counts: COUNTS})",
        "what_if": "session.run(bill, {total: 1000.0, rate: 0.2})"},
    6: {"hours": _HOURS},
    7: {"after": _AFTER},
    9: {"slope": "tf.gradients(height, x)[0]", "bend": "tf.gradients(slope, x)[0]",
        "pull": "tf.gradients(tf.square(height - tf.stop_gradient(target)), x)[0]"},
    10: {"size": "x.shape[0] * 2", "result": "xp.concatenate([x, x[::-1]])", "slope": _MIRRORED},
    11: {"balance": _LOOP, "slope": "tf.gradients(balance, rate)[0]", "stacked": "12"},
    12: {"d_t": "d_y * s + d_y * t * tf.cos(t)", "d_x": "d_t * w", "d_w": "d_t * x", "frugal": _FRUGAL},
    14: {"first_inf": '"weights"', "first_nan": '"share"', "safe":
         "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=truth, logits=scores))"},
}  # fmt: skip
"""What stands in the gaps of a right program of a lesson."""

WRONG: list[tuple[int, str, str, str, str]] = [
    (1, "warmest", "max(fahrenheit)", "a-call-computes", "tf.reduce_max"),
    (1, "warmest", "tf.argmax(fahrenheit, 0)", "", "the place of the largest value"),
    (2, "scores", _SCORES.replace("name_scope(label)", 'name_scope("label")'), "a-name-can-be-used-twice",
     "`label/scores` and `label_1/scores`"),
    (2, "scores", _SCORES.replace(', name="scores"', ""), "a-variable-names-a-node", "`heights/truediv:0`"),
    (2, "result", 'session.run(["first", "second"], {height: HEIGHTS, weight: WEIGHTS})', "a-variable-names-a-node",
     "`first` is a name of Python's"),
    (2, "scores", _SCORES.replace("tf.sqrt(tf.reduce_mean(tf.square(centred)))", "tf.reduce_mean(tf.square(centred))"),
     "", "You have divided by"),
    (2, "scores", 'None\n    with tf.name_scope(label):\n        scores = tf.constant([-1.1, 1.1], name="scores")',
     "", "does not depend on `height`"),
    (2, "scores", _SCORES.replace("tf.divide(centred", "tf.divide(tf.reduce_max(centred)"), "",
     "has the shape [] for 4 people"),
    (3, "bonus", 'tf.placeholder(tf.float32, ["students", 1], name="bonus")', "", "it should have 1"),
    (4, "what_if", "session.run(bill, {total: 1000.0, tax: 200.0})", "what-if-needs-new-nodes", "is fed `tax`"),
    (4, "what_if", "session.run(tax, {total: 1000.0, rate: 0.2})", "", "it fetches `tax`"),
    (4, "what_if", "None\ntotal = 1000.0\nwhat_if = session.run(bill, {rate: 0.2, prices: PRICES, counts: COUNTS})",
     "only-placeholders-are-fed", "that is 110, not 1000"),
    (4, "what_if", "session.run(bill, {prices: [1000.0], counts: [1.0], rate: 0.2})", "only-placeholders-are-fed",
     "made up to give 1000"),
    (6, "hours", _HOURS.replace("by_train(parts[1]), by_plane(parts[2])", "by_plane(parts[1]), by_train(parts[2])"),
     "", "Trips of kind 1 get the hours of `plane`"),
    (6, "hours", "None\na, b, c = tf.dynamic_partition(km, kind, 3)\nhours = tf.dynamic_stitch([kind], [tf.concat(0, "
     "[on_foot(a), by_train(b), by_plane(c)])])", "parts-remember-their-places", "not where it stands"),
    (7, "after", _AFTER.replace("    after = balance.assign_add(balance * 0.1)",
                                "    balance.assign_add(balance * 0.1)\nafter = balance"),
     "a-built-write-happens", "the variable itself"),
    (7, "after", _AFTER.replace("after = balance.assign_add", "after = balance.assign"), "", "the interest alone"),
    (7, "after", "balance.assign(before + amount * 1.1)", "", "that of the payment alone"),
    (9, "pull", "tf.gradients(gap, height)[0]", "", "the derivative in `height`"),
    (9, "pull", "tf.gradients(tf.square(tf.stop_gradient(height) - target), x)[0]", "", "with `height` held fixed"),
    (9, "pull", "-tf.gradients(tf.square(height - tf.stop_gradient(target)), x)[0]", "", "the other sign"),
    (9, "pull", "None\ntarget = tf.stop_gradient(target)\npull = tf.gradients(gap, x)[0]", "a-name-is-fixed",
     "is on neither of them"),
    (9, "slope", "tf.py_func(lambda v: v, [x], tf.float32)", "derivatives-are-measured", "closed to tf.gradients"),
    (10, "size", "len(x) * 2", "the-kernel-tells-the-shape", "`x.shape[0]`"),
    (10, "slope", _MIRRORED.replace("[True]", "[0]"), "", "penstock.compat.v1.reverse takes the numbers"),
    (10, "size", "tf.size(x) * 2", "the-kernel-tells-the-shape", "a tensor in it"),
    (11, "balance", _LOOP.removesuffix("[0]"), "", "the list of all loop variables"),
    (11, "balance", "tf.constant(0.0)\nfor _ in range(years):\n    balance = balance + rate * balance + deposit",
     "python-repeats", "has no value yet"),
    (11, "balance", "deposit * (tf.pow(1.0 + rate, tf.cast(years, tf.float32)) - 1.0) / rate", "", "There is no loop"),
    (11, "balance", _LOOP.replace("i < years", "i <= years"), "", "one year later"),
    (11, "balance", _LOOP.replace("b + rate * b + deposit", "(b + deposit) * (1.0 + rate)"), "", "in its own year"),
    (11, "slope", "tf.gradients(balance, rate)", "", "Take the tensor out"),
    (12, "frugal", _FRUGAL.replace("(value, 4)", "(value, 8)").replace("f(f(f(f(table))))", "f(f(table))"),
     "all-at-once", "2 values are kept"),
    (14, "safe", "-tf.reduce_mean(tf.log(tf.clip_by_value(chosen, 1e-10, 1.0)))", "the-result-is-mended",
     "`share`, which is NaN already"),
]  # fmt: skip
"""A lesson, a gap, what a student writes there, the idea that the check names, and words of its message."""


def verdict(number: int, gaps: dict[str, str]) -> Verdict:
    lesson, lines = find_lesson(number), []
    for line in (lesson.folder / "start.py").read_text("utf-8").splitlines():
        gap = re.match(r"(\s*)(\w+) = \.\.\.", line)
        lines.append(f"{gap[1]}{gap[2]} = {gaps[gap[2]]}" if gap else line)
    tf.reset_default_graph()
    with contextlib.redirect_stdout(io.StringIO()), taken_back():
        return check_program(lesson, "\n".join(lines) + "\n", "mine.py")


@pytest.mark.parametrize("number", sorted(RIGHT))
def test_the_programs_of_this_file_are_right_but_for_one_gap(number: int) -> None:
    found = verdict(number, RIGHT[number])
    assert found.passed, found.message


@pytest.mark.parametrize(("number", "gap", "answer", "key", "words"), WRONG)
@pytest.mark.filterwarnings("ignore::penstock.graph.model.identity_comparison.MistakeWarning")
def test_a_wrong_answer_is_told_what_is_wrong(number: int, gap: str, answer: str, key: str, words: str) -> None:
    found = verdict(number, RIGHT[number] | {gap: answer})
    assert not found.passed and "has a fault" not in found.message, found.message
    assert found.key == key and words in found.message, (found.key, found.message)
