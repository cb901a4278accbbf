"""Two experts share the rows of a table, and gradients go back through the routing.

A router sends each row to one of two small networks (`dynamic_partition`); their answers are put back in the order of
the rows (`dynamic_stitch`). The gradient of a partition is a stitch, that of a stitch is a gather, so each expert
learns from its own rows only. Each gradient is compared with differences of the loss at the end.
"""

import numpy as np

import penstock as tf

EXPERTS = 2
WIDTH = 3

graph = tf.Graph()
with graph.as_default():
    rows = tf.placeholder(tf.float64, ["rows", WIDTH], name="rows")
    wanted = tf.placeholder(tf.float64, ["rows"], name="wanted")
    router = tf.placeholder(tf.float64, [WIDTH, EXPERTS], name="router")
    kernels = [tf.placeholder(tf.float64, [WIDTH, 1], name=f"kernel_{i}") for i in range(EXPERTS)]

    # The router: the expert with the higher score gets the row. Which one is an int, so it has no gradient; the
    # probability, by which the answer is multiplied, has one.
    with tf.name_scope("route"):
        chances = tf.softmax(tf.matmul(rows, router))
        expert = tf.cast(tf.argmax(chances, 1), tf.int32, name="expert")
        chance = tf.reduce_max(chances, 1, name="chance")
        parts = tf.dynamic_partition(rows, expert, EXPERTS, name="parts")
        places = tf.dynamic_partition(tf.range(tf.shape(rows)[0]), expert, EXPERTS, name="places")

    # Each expert works on its rows, and the answers go back to the places of the rows.
    answers = []
    for number, (part, kernel) in enumerate(zip(parts, kernels, strict=True)):
        with tf.name_scope(f"expert_{number}"):
            answers.append(tf.squeeze(tf.tanh(tf.matmul(part, kernel)), [1]))
    answer = tf.dynamic_stitch(places, answers, name="answer") * chance

    loss = tf.reduce_sum(tf.square(answer - wanted), name="loss")
    inputs = [rows, router, *kernels]
    gradients = tf.gradients(loss, inputs)
for tensor, gradient in zip(inputs, gradients, strict=True):
    print(f"{tensor.op.name:9} {gradient.name} {gradient.shape}")

# The choice of the expert cuts the path: the report names the operation, its line and the reason.
for cut in tf.explain_gradient(loss, router).cuts:
    print("cut:", cut.op.name, cut.op.type, cut.reason)

rng = np.random.default_rng(3)
feeds = {tensor: rng.normal(size=[size.value or 6 for size in tensor.shape]) for tensor in [wanted, *inputs]}
with tf.Session(graph=graph) as session:
    counts = [len(part) for part in session.run(parts, feeds)]
    print("rows of the experts", counts)
    found = session.run(gradients, feeds)

    # Differences: how much does the loss change when one number changes by a little?
    step = 1e-6
    for tensor, slopes in zip(inputs, found, strict=True):
        differences = np.zeros_like(slopes)
        for place in np.ndindex(slopes.shape):
            ends = []
            for sign in (1, -1):
                moved = feeds[tensor].copy()
                moved[place] += sign * step
                ends.append(session.run(loss, {**feeds, tensor: moved}))
            differences[place] = (ends[0] - ends[1]) / (2 * step)
        print(f"{tensor.op.name:9} equals differences:", np.allclose(slopes, differences, atol=1e-6))
