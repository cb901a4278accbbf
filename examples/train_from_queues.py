"""The same in the style of TensorFlow's first years: files of lines, a reader, a shuffled queue, and a coordinator."""

import tempfile
from pathlib import Path

import numpy as np

import penstock as tf

rng = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())
for number in range(2):
    x = rng.uniform(-1.0, 1.0, 200)
    lines = [f"{each:.6f},{2.0 * each - 0.5:.6f}" for each in x]
    (folder / f"part{number}.csv").write_text("\n".join(["x,y", *lines]) + "\n")

names = tf.train.string_input_producer([str(path) for path in sorted(folder.iterdir())], num_epochs=5, seed=1)
_, line = tf.TextLineReader(skip_header_lines=1).read(names)
given, wanted = tf.decode_csv(line, [[0.0], [0.0]])
xs, ys = tf.train.shuffle_batch([given, wanted], batch_size=20, capacity=200, min_after_dequeue=100, seed=2)
print(xs.shape, xs.op.type)

slope, start = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="start")
loss = tf.reduce_mean(tf.square(slope * xs + start - ys))
step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    steps = 0
    try:
        while not coordinator.should_stop():
            session.run(step)
            steps += 1
    except tf.errors.OutOfRangeError:
        print(steps, "steps, then the files had come to their end")
    finally:
        coordinator.request_stop()
        coordinator.join(threads)
    print(f"y = {session.run(slope):.2f} x + {session.run(start):.2f}")
