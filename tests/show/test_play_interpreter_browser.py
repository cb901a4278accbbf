"""The interpreter of the play page: branches, loops, groups, variables, errors, edits and fetches, in a browser."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.play.play_data import play_data

from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_START = "const play = newPlay(arguments[0]); finish(runPlay(play));"
_VALUE = """const value = (node) => {
  const k = play.frame.plan.steps.findIndex((step) => step.node === node);
  return play.frame.values[play.frame.plan.steps[k].out[0]];
};
const list = (node) => { const found = value(node); return found ? Array.from(found.data, Number) : null; };
const edit = (name, cell, text) => {
  const before = play.feeds.get(name) || play.variables.get(name);
  return finish(editPlay(play, [[name, withCell(before, cell, text)]]));
};
const state = (node) => play.frame.states[play.frame.plan.steps.findIndex((step) => step.node === node)];
"""


def ran(page: Browser, data: dict[str, Any], script: str) -> Any:
    """What a script finds after the graph has run in the page."""
    return page.run(f"{_START}{_VALUE}{script}", data)


def results(page: Browser, data: dict[str, Any], plan: str = "written") -> list[Any]:
    """The fetched arrays of one of the plans."""
    made = ran(page, data, f"finish(selectPlan(play, '{plan}')); return [fetchedOf(play), errorsOf(play)]")
    assert made[1] == []
    return [array_of(each) for each in made[0]]


def test_a_branch_runs_and_keeps_what_is_inside(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        first = x[0]
        y = tf.cond(first > 0.0, lambda: x * 2.0, lambda: x - 1.0, name="choice")
    data = play_data(graph, y, {x: [1.0, 2.0]})
    found = ran(page, data, """
        const k = play.frame.plan.steps.findIndex((step) => step.op === "If");
        const inside = () => play.frame.inside.get(k);
        const before = [list("choice"), inside().taken, inside().frame.values.length > 1];
        const told = edit("x:0", 0, "-1");
        return [before, list("choice"), inside().taken, told.failed];
    """)  # fmt: skip
    assert found == [[[2, 4], 0, True], [-2, 1], 1, None]


def test_a_loop_runs_and_keeps_every_iteration(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        out = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * 2), [tf.constant(0), tf.constant(3)], name="w")
    data = play_data(graph, out, {n: 5})
    found = ran(page, data, """
        const k = play.frame.plan.steps.findIndex((step) => step.op === "While");
        const inside = () => play.frame.inside.get(k);
        const lasts = () => inside().iterations.map(({ body }) => Number(body.values[body.plan.fetches[1]].data[0]));
        const before = [fetchedOf(play).map((each) => each.data[0]), inside().count, lasts()];
        edit("n:0", 0, "2");
        return [before, fetchedOf(play).map((each) => each.data[0]), lasts()];
    """)  # fmt: skip
    assert found == [[[5, 96], 5, [6, 12, 24, 48, 96]], [2, 12], [6, 12]]


def test_an_endless_loop_ends_with_words_and_the_page_stays_alive(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        (out,) = [tf.while_loop(lambda i: i < n, lambda i: i + 0, [tf.constant(0)], name="round")]
    found = ran(page, play_data(graph, out, {n: 0}), """
        const changed = withCell(play.feeds.get("n:0"), 0, "1");
        let beats = 0;
        const timer = setInterval(() => (beats += 1), 1);
        return new Promise((done) => finishInChunks(editPlay(play, [["n:0", changed]]), (told) => {
          clearInterval(timer);
          done([told.failed !== null, errorsOf(play), beats > 0]);
        }, 2));
    """)  # fmt: skip
    assert found == [True, [["round", "the loop round has not ended after 10000 iterations"]], True]


def test_maps_scans_and_loops_backwards_stack_their_rows(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        squares = tf.map_fn(lambda row: row * row, x)
        sums = tf.scan(lambda total, row: total + row, x)
        slope = tf.gradients(squares * sums, x)[0]
    feeds = {x: np.arange(6.0).reshape(3, 2)}
    data = play_data(graph, [squares, sums, slope], feeds)
    with tf.Session(graph=graph) as session:
        for got, want in zip(results(page, data), session.run([squares, sums, slope], feeds), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)


def test_a_loop_over_no_rows_gives_empty_stacks(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        squares = tf.map_fn(lambda row: row * row, x)
    (got,) = results(page, play_data(graph, squares, {x: np.zeros((0, 2))}))
    assert got.shape == (0, 2) and got.dtype == np.float32


def test_an_error_inside_a_loop_names_node_and_iteration(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        out = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, tf.floordiv(a, n - i, name="part")),
                            [tf.constant(0), tf.constant(100)], name="loop")[1]  # fmt: skip
    found = ran(page, play_data(graph, out, {n: 9}), """
        const told = edit("n:0", 0, "2");
        return [told.failed !== null, errorsOf(play)];
    """)  # fmt: skip
    assert found == [True, [["loop", "iteration 2: loop/body/part: Integer division by zero"]]]


def test_fused_groups_run_instruction_by_instruction(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.tanh(x * 2.0 + 1.0) * x
    feeds = {x: [0.25, -1.5, 2.0]}
    data = play_data(graph, y, feeds)
    assert any(step["op"] == "Fused" for step in data["plans"]["optimised"]["steps"])
    with tf.Session(graph=graph) as session:
        want = session.run(y, feeds)
    for plan in ("written", "optimised"):
        np.testing.assert_allclose(results(page, data, plan)[0], want, rtol=3e-7)
    count = ran(page, data, """
        finish(selectPlan(play, "optimised"));
        return [...play.frame.inside.values()].find(({ kind }) => kind === "group").values.length;
    """)  # fmt: skip
    assert count >= 4


def test_variables_take_their_new_values_when_the_graph_runs_again(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="v")
        x = tf.placeholder(tf.float32, [2], name="x")
        more = v.assign_add(x, name="more")
        rows = tf.scatter_sub(tf.Variable([5, 6, 7], name="w"), [1], [2], name="rows")
    data = play_data(graph, [more, rows, v], {x: [1.0, 1.0]})
    found = ran(page, data, """
        const look = () => [...play.variables].map(([name, value]) => [name, ...value.data]).sort();
        const seen = [look()];
        finish(runAgain(play));
        finish(runAgain(play));
        seen.push(look(), play.runs);
        edit("v", 0, "100");
        finish(runAgain(play));
        seen.push(look());
        finish(resetPlay(play));
        return [...seen, look(), play.runs];
    """)  # fmt: skip
    first = [["v", 1, 2], ["w", 5, 6, 7]]
    assert found == [first, [["v", 3, 4], ["w", 5, 2, 7]], 2, [["v", 101, 5], ["w", 5, 0, 7]], first, 0]


def test_a_variable_of_a_session_begins_with_its_value(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        twice = v * 2.0
    with tf.Session(graph=graph) as session:
        session.run(v.initializer)
        v.load(21.0, session)
        assert results(page, play_data(graph, twice, None, session)) == [np.float32(42.0)]
    assert results(page, play_data(graph, twice, None)) == [np.float32(2.0)]


def failing() -> dict[str, Any]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [2], name="x")
        q = tf.floordiv([10, 20], x, name="q")
        after = tf.add(q, 1, name="after")
        aside = tf.multiply(x, 2, name="aside")
    return play_data(graph, [after, aside], {x: [2, 5]})


def test_an_error_stops_at_its_step_and_an_edit_heals_it(page: Browser) -> None:
    found = ran(page, failing(), """
        const seen = [list("after")];
        edit("x:0", 1, "0");
        seen.push(state("q"), errorsOf(play), list("after"));
        edit("x:0", 1, "4");
        return [...seen, state("q"), errorsOf(play), list("after"), list("aside")];
    """)  # fmt: skip
    assert found == [[6, 5], "failed", [["q", "Integer division by zero"]], None, "done", [], [6, 6], [4, 8]]


def test_an_edit_runs_only_what_depends_on_it_and_tells_the_cells_that_changed(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.placeholder(tf.float32, [3], name="y")
        a = tf.add(x, 1.0, name="a")
        b = tf.maximum(a, 0.0, name="b")
        c = tf.multiply(b, 2.0, name="c")
        d = tf.subtract(y, 1.0, name="d")
    data = play_data(graph, [c, d], {x: [1.0, 2.0, -5.0], y: [1.0, 2.0, 3.0]})
    found = ran(page, data, """
        const nodes = (told) => told.ran.map((k) => play.frame.plan.steps[k].node);
        const cells = (told) => [...told.changed.values()];
        const one = edit("x:0", 1, "7"), none = edit("x:0", 2, "-9"), same = edit("x:0", 2, "-9");
        return [nodes(one), cells(one), nodes(none), cells(none), nodes(same), same.changed.size];
    """)  # fmt: skip
    assert found == [["a", "b", "c"], [[1]] * 4, ["a", "b"], [[2], [2]], [], 0]


def test_a_computed_value_can_be_set_and_taken_back(page: Browser) -> None:
    found = ran(page, failing(), """
        const slot = play.frame.plan.steps.find((step) => step.node === "q").out[0];
        finish(editPlay(play, [[slot, withCell(play.frame.values[slot], 0, "100")]]));
        const set = list("after");
        edit("x:0", 1, "1");
        const stays = list("after");
        finish(editPlay(play, [[slot, null]]));
        return [set, stays, list("after")];
    """)  # fmt: skip
    assert found == [[101, 5], [101, 5], [6, 21]]


def test_selected_fetches_decide_which_steps_run(page: Browser) -> None:
    found = ran(page, failing(), """
        finish(selectFetches(play, [1]));
        const some = [state("q"), state("aside"), list("after")];
        finish(selectFetches(play, [0, 1]));
        return [some, state("q"), list("after")];
    """)  # fmt: skip
    assert found == [["", "done", None], "done", [6, 5]]


def test_a_write_of_an_unselected_fetch_does_not_happen(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        v, w = tf.Variable(1, name="v"), tf.Variable(1, name="w")
        ups = [v.assign_add(1, name="up"), w.assign_add(1, name="other")]
        both = tf.group(*ups, name="both")
    data = play_data(graph, [*ups, both], None)
    found = ran(page, data, """
        const look = () => [...play.variables.values()].map((value) => value.data[0]);
        const seen = [];
        for (const numbers of [[0], [1], [2]]) {
          finish(selectFetches(play, numbers));
          finish(runAgain(play));
          seen.push(look());
        }
        return seen;
    """)  # fmt: skip
    assert found == [[2, 1], [2, 2], [3, 3]]


def test_a_step_without_a_kernel_shows_recorded_values_and_is_stale_after_an_edit(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        strange = tf.py_func(lambda a: a * 10, [x], tf.float32, name="strange")
        after = tf.add(strange, 1.0, name="after")
    data = play_data(graph, after, {x: [1.0, 2.0]})
    found = ran(page, data, """
        const seen = [state("strange"), list("after")];
        edit("x:0", 0, "5");
        const slot = (node) => play.frame.plan.steps.find((step) => step.node === node).out[0];
        seen.push(state("strange"), state("after"), play.frame.staleSlots.has(slot("after")));
        edit("x:0", 0, "1");
        return [...seen, state("strange")];
    """)  # fmt: skip
    assert found == ["recorded", [11, 21], "stale", "done", True, "recorded"]
    given = [step["given"] for step in data["plans"]["written"]["steps"] if "given" in step]
    assert given == ["no kernel for PyFunc"]


def test_an_edited_constant_takes_the_optimised_plan_in_which_constants_are_fed(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        c = tf.constant([2.0, 3.0], name="c")
        y = tf.multiply(x, tf.square(c), name="y")
    found = ran(page, play_data(graph, y, {x: [1.0, 1.0]}), """
        finish(selectPlan(play, "optimised"));
        const seen = [play.inUse, fetchedOf(play)[0].data];
        edit("c:0", 0, "5");
        seen.push(play.inUse, fetchedOf(play)[0].data);
        edit("c:0", 0, "2");
        return [...seen, play.inUse, fetchedOf(play)[0].data];
    """)  # fmt: skip
    assert found == ["optimised", [4, 9], "open", [25, 9], "optimised", [4, 9]]


@pytest.mark.parametrize(
    ("dtype", "text", "want"),
    [("float32", "0.1", "0.1"), ("float32", "1e-3", "0.001"), ("float16", "0.1", "0.1"), ("float64", "0.1", "0.1"),
     ("float32", "-0", "-0"), ("float32", "NaN", "nan"), ("bfloat16", "257", "256"), ("int64", "9007199254740993",
     "9007199254740993"), ("int8", "-128", "-128"), ("bool", "True", "true"), ("complex64", "1.5-2j", "1.5-2j"),
     ("complex64", "-j", "0-1j"), ("complex128", "nan", "nan+0j"), ("string", "h\u00e9", "h\u00c3\u00a9"),
     ("int8", "128", "128 does not fit int8, which holds -128 to 127"),
     ("uint8", "-1", "-1 does not fit uint8, which holds 0 to 255"),
     ("int32", "1.5", '"1.5" is not an int: int32 holds whole numbers'),
     ("float32", "x", '"x" is not a number: write for example -1.5, 1e-3, inf or nan'),
     ("bool", "maybe", '"maybe" is not a bool: write true or false'),
     ("complex64", "2+", '"2+" is not a complex number: write for example 1.5-2j')],
)  # fmt: skip
def test_what_a_reader_types_is_an_element_of_the_dtype(page: Browser, dtype: str, text: str, want: str) -> None:
    got = page.run("""
        try { return elementText(withCell(zerosOf(arguments[0], [1]), 0, arguments[1]), 0); }
        catch (error) { return error.message; }
    """, dtype, text)  # fmt: skip
    assert got == want


def test_fifty_nodes_react_to_an_edit_within_a_frame(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        value = x = tf.placeholder(tf.float32, [10, 10], name="x")
        for number in range(50):
            value = tf.tanh(value) if number % 3 == 0 else value + 0.5 if number % 3 == 1 else value * value
    data = play_data(graph, value, {x: np.ones((10, 10))})
    times = ran(page, data, """
        const times = [];
        for (let i = 0; i < 20; i++) {
          const start = performance.now();
          edit("x:0", 3, String(i / 7));
          times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b);
    """)  # fmt: skip
    assert len(data["plans"]["written"]["steps"]) == 50
    assert times[0] < 16, json.dumps(times)


def test_what_fails_is_told_in_pythons_words(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, None, name="x")
        n = tf.placeholder(tf.int32, None, name="n")
        asserted = tf.Assert(tf.reduce_all(x > 0.0), ["too small:", x])
        with tf.control_dependencies([asserted]):
            positive = tf.identity(x)
        fails: list[Any] = [
            positive, tf.ensure_shape(x, [3]), tf.check_numerics(x / 0.0, "quotient"), tf.gather(x, n),
            tf.floordiv(n, 0), tf.pow(n, n - 9), x + tf.constant([1.0, 2.0, 3.0]), tf.reshape(x, [7]),
            tf.slice(x, [1], [5]), tf.split(0, 3, x), tf.dynamic_partition(x, n, 2), tf.concat(0, [x, [[1.0]]]),
            tf.scatter_nd(tf.expand_dims(n, 1), x, [2]), tf.matmul(tf.expand_dims(x, 0), tf.expand_dims(x, 0)),
            tf.string_to_number(tf.where(x > 5.0, ["a", "b"], ["c", "d"])), tf.transpose(x, n),
            tf.reduce_sum(x, n * 0), tf.reduce_max(tf.expand_dims(x, 0), [0, -2]),
            tf.map_fn(lambda rows: rows[0] + rows[1], (x, tf.concat(0, [x, x])), dtype=tf.float32),
        ]  # fmt: skip
    feeds = {x: np.array([1.0, -2.0], np.float32), n: np.array([1, 7], np.int32)}
    for fetch in fails:
        with tf.Session(graph=graph) as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(fetch, feeds)
        ((_, told),) = ran(page, play_data(graph, fetch, feeds), "return errorsOf(play)")
        assert told.split(":")[0] == caught.value.message.split(":")[0], fetch.name


def test_a_reset_forgets_that_constants_were_edited(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.multiply(x, tf.square(tf.constant([2.0, 3.0], name="c")), name="y")
    found = ran(page, play_data(graph, y, {x: [1.0, 1.0]}), """
        finish(selectPlan(play, "optimised"));
        edit("c:0", 0, "5");
        const seen = [play.inUse, fetchedOf(play)[0].data];
        finish(resetPlay(play));
        return [...seen, play.inUse, fetchedOf(play)[0].data];
    """)  # fmt: skip
    assert found == ["open", [25, 9], "optimised", [4, 9]]


def test_a_run_that_fails_writes_nothing(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [], name="x")
        added = tf.Variable(1, name="v").assign_add(x)
        chosen = tf.gather(tf.constant([1, 2, 3]), x, name="chosen")
    found = ran(page, play_data(graph, [added, chosen], {x: 7}), """
        const look = () => Number(play.variables.get("v").data[0]);
        const seen = [look()];
        finish(runAgain(play));
        seen.push(look());
        edit("x:0", 0, "2");
        finish(runAgain(play));
        return [...seen, look()];
    """)  # fmt: skip
    assert found == [1, 1, 3]


def test_a_counter_ends_at_its_limit(page: Browser) -> None:
    with tf.Graph().as_default() as graph:
        count = tf.Variable(0, name="v").count_up_to(2)
    found = ran(page, play_data(graph, count, None), """
        const look = () => [Number(play.variables.get("v").data[0]), errorsOf(play).length];
        const seen = [];
        for (let run = 0; run < 4; run++) {
          seen.push(look());
          finish(runAgain(play));
        }
        return seen;
    """)  # fmt: skip
    assert found == [[0, 0], [1, 0], [2, 1], [2, 1]]
