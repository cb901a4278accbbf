"""The idea of `penstock demo` in a few lines: take rows apart by group, work on each, put the rows back in place."""

import penstock as tf

CELLS = [["5.0", "3.5"], ["6.0", "3.0"], ["5.5", "3.0"], ["7.0", "2.5"]]  # as a file gives them: text
GROUP = [0, 1, 0, 1]

with tf.Graph().as_default() as graph:
    cells = tf.placeholder(tf.string, ["flowers", 2], name="cells")
    group = tf.placeholder(tf.int32, ["flowers"], name="group")  # one name, one size: both feeds must agree
    numbers = tf.string_to_number(cells, name="numbers")
    rows = tf.dynamic_partition(numbers, group, 2, name="rows")
    places = tf.dynamic_partition(tf.range(tf.shape(numbers)[0]), group, 2, name="places")
    for i, part in enumerate(rows):
        with tf.name_scope(f"group_{i}"):
            centred = part - tf.reduce_mean(part, 0)
            rows[i] = centred / tf.sqrt(tf.reduce_mean(tf.square(centred), 0))
    standardised = tf.dynamic_stitch(places, rows, name="standardised")

print(graph.summary(scope="group_0"))
with tf.Session(graph=graph) as session:
    print(session.run(standardised, {cells: CELLS, group: GROUP}))
