"""At the prompt of `penstock debug`: names and expressions of the program, conditions, statements."""

from __future__ import annotations

from .debugged_programs import LOGS, DebugRunner

TRAIN = """\
import numpy as np
import penstock as tf

def train(rate):
    w = tf.Variable([1.0, 2.0, 6.0], name="weights")
    cost = tf.reduce_sum(tf.square(w), name="loss")
    step_op = tf.train.GradientDescentOptimizer(rate).minimize(cost)
    p = tf.multiply(w, 1.0, name="out")
    limit = np.float32(30.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for iteration in range(5):
            session.run([cost, p, step_op])
        print("ended")

train(0.1)
"""


def test_variables_and_expressions_of_the_program_are_printed(debug: DebugRunner) -> None:
    commands = ("u out; p iteration; p w.mean(); p limit * 2; p cost; p cost / 2 + iteration; "
                "p [v for v in range(rate > 0)]; q")  # fmt: skip
    found = debug(TRAIN, commands, "--run", "3")
    assert found.code == 0, found.err
    for told in ("(debug) p iteration\n1\n", "(debug) p w.mean()\nw.mean()  float32 ()  2.4", "60.0",
                 "(debug) p cost\nloss:0  float32 ()  26.24", "14.12",
                 "(debug) p [v for v in range(rate > 0)]\n[0]"):  # fmt: skip
        assert told in found.out, told


def test_a_variable_of_the_program_names_a_tensor_in_every_command(debug: DebugRunner) -> None:
    found = debug(TRAIN, "watch cost; u p; why cost; set p[1] 5; p p; q", "--run", "2")
    assert found.code == 1 and "out" in found.err  # `p` is computed by the step that is next
    found = debug(TRAIN, "watch cost; u p; n; why cost; set p[1] 0.999; p p[1]; q", "--run", "2")
    assert found.code == 0, found.err
    assert "loss:0 = 41" in found.out and "(debug) why cost\nloss:0 " in found.out
    assert "(debug) set p[1] 0.999\nout:0[1]  float32 ()  0.999  was 2.0\n" in found.out


def test_a_variable_that_holds_an_operation_without_a_value_is_told_as_such(debug: DebugRunner) -> None:
    found = debug(TRAIN, "p step_op; q", "--run", "2")
    assert found.code == 1
    assert "step_op is the operation GradientDescent, which makes no value" in found.err


def test_a_run_stops_where_a_condition_holds_in_the_programs_own_names(debug: DebugRunner) -> None:
    found = debug(TRAIN, "break cost if iteration > 1 and value < limit; break; c; p iteration; p loss; q")
    assert found.code == 0, found.err
    assert "1: if iteration > 1 and value < limit in loss:0" in found.out
    assert "breakpoint 1: loss:0: iteration > 1 and value < limit" in found.out
    assert "(debug) p iteration\n2\n" in found.out and "loss:0  float32 ()  16.79" in found.out


def test_a_condition_that_cannot_be_told_stops_the_run_and_says_why(debug: DebugRunner) -> None:
    found = debug(TRAIN, "break loss if nowhere > 1; c; q")
    told = " ".join(found.out.split())
    assert "the condition cannot be told: nowhere is neither a value of the run nor a variable" in told
    found = debug(TRAIN, "break loss if 1 +; q")
    assert found.code == 1 and "write an expression of Python behind `if`" in found.err


def test_bare_why_is_about_the_value_that_stopped_the_run(debug: DebugRunner) -> None:
    found = debug(LOGS, "break nan; c; why; b; why; q")
    assert found.code == 0, found.err
    first, second = found.out.split("(debug) why\n")[1:]
    assert first.startswith("model/logs:0") and "it begins here" in first
    assert second.startswith("model/logs:0: not computed yet")  # the step that is next


def test_a_statement_is_carried_out_with_the_variables_of_the_program(debug: DebugRunner) -> None:
    program = "factor = 1.0\n" + LOGS
    found = debug(program, "!print('seen', factor); !factor = 7.0; p factor; !x = = 1; q")
    assert found.code == 1 and "seen 1.0" in found.out and "(debug) p factor\n7.0\n" in found.out
    assert "SyntaxError" in found.err
    assert "Write a statement of Python" in debug(program, "!; q").err


def test_what_is_neither_a_tensor_nor_a_variable_is_told(debug: DebugRunner) -> None:
    assert "no tensor is called losss; did you mean model/loss?" in debug(LOGS, "p losss; q").err
    assert "losss is neither a value of the run nor a variable" in debug(LOGS, "p losss + 1; q").err
    found = debug(LOGS, "p loss + 1; q")
    assert found.code == 1 and "not computed yet" in found.err
    assert "ZeroDivisionError" in debug(LOGS, "p 1 / 0; q").err


LOOP = """\
import penstock as tf
x = tf.placeholder(tf.float32, [], name="x")
def body(i, s):
    return i + 1, tf.multiply(s, 2.0, name="twice")
steps = tf.while_loop(lambda i, s: i < 4, body, [0, x], name="steps")
with tf.Session() as session:
    print(session.run(steps, {x: 1.0}))
"""


def test_where_and_frames_tell_a_loop_variable_that_was_set(debug: DebugRunner) -> None:
    found = debug(LOOP, "u twice; u twice; set s 50; frames; w; unset s; frames; set i 3; frames; n; frames; out; q")
    assert found.code == 0, found.err
    told = [" ".join(part.split()) for part in found.out.split("(debug) ")]
    frames = [each for each in told if each.startswith("frames")]
    assert "i = 1, s = 50.0" in frames[0] and "i = 1, s = 2.0" in frames[1] and "i = 3, s = 2.0" in frames[2]
    assert "i = 1, s = 50.0" in next(each for each in told if each.startswith("w before"))
    assert "frames in steps[2] (While)" in frames[3] or "in steps[2]/cond" in frames[3]
    assert "s = 4.0" in frames[3]  # the next iteration has what the changed one gave


ITERATIONS = """\
import penstock as tf

x = tf.placeholder(tf.float32, [2], name="x")
t = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, tf.multiply(t, 0.5, name="h") + x), [0, x], name="steps")[1]
table, h = [2.0, 8.0], 4.0
out = tf.reduce_sum(t, name="out")
with tf.Session() as session:
    print("out", session.run(out, {x: [64.0, 32.0]}))
"""


def test_a_value_of_an_iteration_is_printed_by_its_address_in_expressions_too(debug: DebugRunner) -> None:
    found = debug(ITERATIONS, "u out; p steps[1]/h; p steps[1]/h[0]; p steps[1]/h.sum() + steps[0]/h[1]; p [1, 2]; q")
    assert found.code == 0, found.err
    for told in ("(debug) p steps[1]/h\nsteps[1]/h  float32 (2,)\n[48. 24.]", "steps[1]/h[0]  float32 ()  48.0",
                 "88.0"):  # fmt: skip
        assert told in found.out, told
    found = debug(ITERATIONS, "p table[1]/h; q")  # no loop is called so: the program's own names are meant
    assert "(debug) p table[1]/h\n2.0" in found.out, found.err
    found = debug(ITERATIONS, "u out; p steps[9]/h; q")
    assert found.code == 1 and "up to here nothing of the name 'h' was computed in steps[9]" in found.err


def test_why_is_about_the_value_that_stopped_after_other_commands_too(debug: DebugRunner) -> None:
    found = debug(LOGS, "break nan; c; watch scaled; where; why; q")
    assert found.code == 0 and "it begins here: 1 NaN of 2" in found.out.partition("(debug) why\n")[2], found.err


SCAN = """\
import penstock as tf

x = tf.constant([1.0, 2.0, 3.0], name="x")
h = tf.scan(lambda h, row: tf.tanh(h + row, name="state"), x, initializer=2.0, name="steps")
slope = tf.gradients(h[-1], x)[0]
with tf.Session() as session:
    print(session.run(slope).shape)
"""


def test_a_loop_with_a_gradient_has_the_names_that_the_program_gave(debug: DebugRunner) -> None:
    found = debug(SCAN, "u state; frames; n; p steps[0]/state; watch state; o; p steps[2]/state; q")
    assert found.code == 0, found.err
    assert "in steps[0]: steps/fn/state (Tanh)" in found.out and "in steps[0] (While)  h = 2.0" in found.out
    assert "steps[0]/state  float32 ()  0.9950" in found.out and "steps[2]/state  float32 ()  0.999" in found.out
    found = debug(SCAN, "u state; n; p state; q")
    assert "`until steps/fn/state` goes there; 'steps[0]/state' is that of the iteration before" in found.err


TRAINED_LOOP = """\
import penstock as tf

x = tf.placeholder(tf.float32, [], name="x")


def body(i, h):
    z = tf.sigmoid(h, name="z")
    return i + 1, tf.multiply(z, x, name="next")


i, last = tf.while_loop(lambda i, h: i < 3, body, [tf.constant(0), x + 1.0], name="turns")
(slope,) = tf.gradients(last, x)
with tf.Session() as session:
    print(session.run([last, slope], {x: 2.0}))
"""


def test_a_loop_with_a_gradient_is_found_by_its_own_name(debug: DebugRunner) -> None:
    found = debug(TRAINED_LOOP, "until turns; s 2; watch h; unwatch h; out; p turns:1; p turns[1]/z; why turns; q")
    assert found.code == 0, found.err
    assert "(debug) until turns\nbefore step 2 of " in found.out and "turns_grad/forward" in found.out
    assert "  turns/body/h:0 = 3.0" in found.out, "the loop in which the run stands"
    assert "(debug) p turns:1\nturns:1  float32 ()  1.701" in found.out
    assert "(debug) p turns[1]/z\nturns[1]/z  float32 ()  0.870" in found.out


def test_a_watch_ends_by_the_name_by_which_it_began(debug: DebugRunner) -> None:
    found = debug(TRAINED_LOOP, "until turns; s 2; watch h; out; unwatch h; n; q")
    assert found.code == 0, found.err
    assert "(was " not in found.out.split("unwatch h")[1]


DEAD = """\
import penstock.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer(-1.0))
loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w), name="hidden") - 1.0), name="loss")
optimizer = tf.train.GradientDescentOptimizer(0.1)
grads = optimizer.compute_gradients(loss)
train = optimizer.apply_gradients(grads)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([loss, train], {x: [[1.0, 2.0]]})
"""


def test_until_a_training_step_and_why_its_gradient_is_zero(debug: DebugRunner) -> None:
    found = debug(DEAD, "until train; why grads[0][0]; p grads[0][0]; q", "--run", "2")
    assert found.code == 0, found.err
    assert "(debug) until train\nbefore step " in found.out and ": GradientDescent/update_w/" in found.out
    assert "it is stopped by hidden (Relu)" in found.out
    found = debug(DEAD, "why grads[0][7]; q", "--run", "2")
    assert found.code == 1 and "no tensor is called grads[0][7]" in found.err
