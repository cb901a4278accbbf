"""What a graph knows before it runs: dtypes, sizes, sizes with names, and for each unknown size the reason."""

import penstock as tf

with tf.Graph().as_default() as graph:
    # A string in a shape names a size. The name means the same size everywhere in a graph, whatever it will be.
    x = tf.placeholder(tf.float32, ["batch", 6], name="x")
    y = tf.placeholder(tf.float32, ["extra", 6], name="y")
    with tf.name_scope("join"):
        both = tf.concat(0, [x, y], name="both")  # batch+extra rows
        pairs = tf.reshape(both, [-1, 2], name="pairs")  # three times as many
    with tf.name_scope("choose"):
        parts = tf.dynamic_partition(both, tf.cast(both[:, 0] > 0.0, tf.int32), 2, name="parts")

print(graph.summary(columns=("name", "op", "inputs", "dtype", "shape")))
print()
print("both ", both.shape)
print("pairs", pairs.shape)
print("parts", parts[1].shape)

print("\nWhy is the number of rows in parts[1] not known?")
print(tf.why_unknown(parts[1]))

print("\nA size that cannot be right is refused by the call itself, before there is any data:")
try:
    with graph.as_default():
        tf.concat(1, [x, tf.zeros([3, 6])]) + tf.zeros([4, 12])
except tf.errors.ShapeError as error:
    print(error)

print("\nTwo feeds that give one name two sizes are refused before anything runs:")
with graph.as_default():
    z = tf.placeholder(tf.float32, ["batch", 6], name="z")
    total = x + z
with tf.Session(graph=graph) as session:
    try:
        session.run(total, {x: [[0.0] * 6] * 2, z: [[0.0] * 6] * 3})
    except tf.errors.FeedError as error:
        print(error)
