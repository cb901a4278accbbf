"""A text pipeline: lines of measurements in, lines of a report out, in one graph."""

import penstock as tf

LINES = [
    "oslo,-3.5,ok",
    "rome,14.0,ok",
    "oslo,-1.5,ok",
    "rome,99.9,broken",
    "cairo,23.5,ok",
    "rome,15.0,ok",
]

with tf.Graph().as_default() as graph:
    lines = tf.placeholder(tf.string, ["lines"], name="lines")
    with tf.name_scope("read"):
        cities, degrees, states = tf.decode_csv(lines, [[""], [0.0], ["ok"]], name="columns")
    with tf.name_scope("select"):
        good = tf.equal(states, "ok", name="good")
        good_cities = tf.boolean_mask(cities, good, name="cities")
        good_degrees = tf.boolean_mask(degrees, good, name="degrees")
    with tf.name_scope("group"):
        names, groups = tf.unique(good_cities, name="names")
        count = tf.size(names, name="count")
        mean = tf.unsorted_segment_mean(good_degrees, groups, count, name="mean")
        sizes = tf.unsorted_segment_sum(tf.ones_like(groups), groups, count, name="sizes")
    with tf.name_scope("write"):
        numbers = tf.as_string(mean, precision=1, name="numbers")
        report = tf.string_join([names, ": mean ", numbers, " of ", tf.as_string(sizes)], name="report")

print(degrees)
print(report)

with tf.Session(graph=graph) as session:
    for line in session.run(report, {lines: LINES}):
        print(line.decode())
