"""Train an iris classifier, stop it, and go on from its checkpoint as if nothing had happened.

The flowers are read as text. One in five is kept for a test. Adam changes the weights, each step adds a summary for
TensorBoard, and a second session goes on from the checkpoint of the first. docs/training.md explains each part. The
numbers are those of TensorFlow: with `import tensorflow.compat.v1 as tf` the program prints the same lines.
"""

import csv
import tempfile
from pathlib import Path
from typing import Any

import penstock.compat.v1 as tf

STEPS = 120
with (Path(__file__).resolve().parents[1] / "penstock" / "data" / "iris.csv").open(newline="") as file:
    header, *rows = csv.reader(file)
names = sorted({row[-1] for row in rows})


def network(flowers: Any) -> Any:
    """The scores of each species. All calls share the weights: they are made by the first."""
    with tf.variable_scope("network", reuse=tf.AUTO_REUSE):
        w1 = tf.get_variable("w1", [4, 16], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
        b1 = tf.get_variable("b1", [16], initializer=tf.zeros_initializer())
        w2 = tf.get_variable("w2", [16, 3], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
        b2 = tf.get_variable("b2", [3], initializer=tf.zeros_initializer())
        return tf.matmul(tf.nn.relu(tf.matmul(flowers, w1) + b1), w2) + b2


graph = tf.Graph()
with graph.as_default():
    # Text becomes numbers, and the rows are dealt out: every fifth one to the test.
    with tf.name_scope("read"):
        cells = tf.placeholder(tf.string, [None, 4], name="cells")
        species = tf.placeholder(tf.int32, [None], name="species")
        is_test = tf.cast(tf.equal(tf.range(tf.size(species)) % 5, 0), tf.int32)
        train_rows, test_rows = tf.dynamic_partition(tf.string_to_number(cells), is_test, 2)
        train_species, test_species = tf.dynamic_partition(species, is_test, 2)
        centre = tf.reduce_mean(train_rows, 0)

    # The loss, and one step of Adam with a rate that falls.
    with tf.name_scope("learning"):
        scores = network(train_rows - centre)
        errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=train_species, logits=scores)
        loss = tf.reduce_mean(errors, name="loss")
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.05, step, decay_steps=40, decay_rate=0.5)
    update = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)

    # The test, the summary and the checkpoint.
    with tf.name_scope("test"):
        found = tf.argmax(network(test_rows - centre), 1, output_type=tf.int32)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(found, test_species), tf.float32), name="accuracy")
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("accuracy", accuracy)
    summary = tf.summary.merge_all()
    saver = tf.train.Saver()
    start = tf.global_variables_initializer()
    weights = tf.trainable_variables()

feeds = {cells: [row[:-1] for row in rows], species: [names.index(row[-1]) for row in rows]}
print("variables:", ", ".join(variable.op.name for variable in weights))


def train(session: Any, last: int, writer: Any) -> None:
    """Steps until the step counter is `last`."""
    while tf.train.global_step(session, step) < last:
        _, text, error = session.run([update, summary, loss], feeds)
        number = tf.train.global_step(session, step)
        writer.add_summary(text, number)
        if number in (1, 10, STEPS // 2, STEPS):
            print(f"step {number}: loss {error:.4f}, accuracy {session.run(accuracy, feeds):.3f}")


with tempfile.TemporaryDirectory() as folder:
    writer = tf.summary.FileWriter(folder, graph)
    with tf.Session(graph=graph) as session:
        session.run(start)
        train(session, STEPS // 2, writer)
        saved = saver.save(session, f"{folder}/model", global_step=step)
        print("saved", Path(str(saved)).name)
        train(session, STEPS, writer)
        straight = session.run(weights)

    # Another session knows nothing of the first. It reads the checkpoint: weights, Adam's means, the step.
    with tf.Session(graph=graph) as session:
        saver.restore(session, tf.train.latest_checkpoint(folder))
        train(session, STEPS, writer)
        resumed = session.run(weights)
    writer.close()
print("the resumed run has the same bits:", all((a == b).all() for a, b in zip(straight, resumed, strict=True)))
