"""Train on a record file: write `tf.train.Example` messages, read them back, parse a batch, and fit a line.

Programs of TensorFlow keep their data so. Each record is a serialised `Example`, a dictionary of lists; `parse_example`
makes tensors of a batch of them, with shapes that are known before anything runs.
"""

import os
import tempfile

import numpy as np

import penstock.compat.v1 as tf

ROWS, STEPS = 200, 100

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (ROWS, 2)).astype(np.float32)
y = x @ [2.0, -3.0] + 0.5

folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "rows.tfrecords")

# ---- write --------------------------------------------------------------------------------------

with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions("GZIP")) as writer:
    for number, (features, target) in enumerate(zip(x, y, strict=True)):
        example = tf.train.Example()
        feature = example.features.feature
        feature["x"].float_list.value.extend(features)
        feature["y"].float_list.value.append(target)
        if number % 2:
            feature["tags"].bytes_list.value.extend([b"odd", str(number).encode()])
        writer.write(example.SerializeToString())

print(f"{ROWS} records;", "the last one holds", sorted(example.features.feature))

# ---- read and parse -----------------------------------------------------------------------------

records = list(tf.io.tf_record_iterator(path, tf.io.TFRecordOptions("GZIP")))

with tf.Graph().as_default() as graph:
    serialized = tf.placeholder(tf.string, ["rows"], name="serialized")
    parsed = tf.parse_example(
        serialized,
        {
            "x": tf.FixedLenFeature([2], tf.float32),
            "y": tf.FixedLenFeature([], tf.float32),
            "weight": tf.FixedLenFeature([], tf.float32, default_value=1.0),
            "tags": tf.VarLenFeature(tf.string),
        },
    )
    print("x", parsed["x"].shape, "weight", parsed["weight"].shape, "tags", parsed["tags"].shape)

    # ---- train ----------------------------------------------------------------------------------

    weights = tf.get_variable("weights", [2, 1])
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    guess = tf.squeeze(tf.matmul(parsed["x"], weights) + bias, 1)
    loss = tf.reduce_mean(parsed["weight"] * tf.square(guess - parsed["y"]))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tags = session.run(parsed["tags"], {serialized: records[:4]})
        print("tags of four rows:", tags.values.tolist(), "at", tags.indices.tolist())
        for _ in range(STEPS):
            batch = [records[place] for place in rng.integers(0, ROWS, 32)]
            session.run(train, {serialized: batch})
        print("weights", session.run(weights).ravel().round(2).tolist(), "bias", session.run(bias).round(2).tolist())

folder.cleanup()
