"""Summaries for TensorBoard: variable_summaries, merge_all, FileWriter, the graph; then the file is read back."""

import tempfile

import numpy as np
import tensorflow as tf

random = np.random.RandomState(10)


def variable_summaries(var):
    """Mean, deviation, extremes and histogram of a variable, as the tutorial had them."""
    with tf.name_scope("summaries"):
        mean = tf.reduce_mean(var)
        tf.summary.scalar("mean", mean)
        with tf.name_scope("stddev"):
            stddev = tf.sqrt(tf.reduce_mean(tf.square(var - mean)))
        tf.summary.scalar("stddev", stddev)
        tf.summary.scalar("max", tf.reduce_max(var))
        tf.summary.histogram("histogram", var)


def nn_layer(input_tensor, input_dim, output_dim, layer_name, act=tf.nn.relu):
    with tf.name_scope(layer_name):
        with tf.name_scope("weights"):
            start = (0.3 * random.randn(input_dim, output_dim)).astype(np.float32)
            weights = tf.Variable(start)
            variable_summaries(weights)
        with tf.name_scope("biases"):
            biases = tf.Variable(tf.constant(0.1, shape=[output_dim]))
            variable_summaries(biases)
        with tf.name_scope("Wx_plus_b"):
            preactivate = tf.matmul(input_tensor, weights) + biases
            tf.summary.histogram("pre_activations", preactivate)
        return act(preactivate, name="activation")


x = tf.placeholder(tf.float32, [None, 10], name="x-input")
y_ = tf.placeholder(tf.int64, [None], name="y-input")
hidden1 = nn_layer(x, 10, 20, "layer1")
y = nn_layer(hidden1, 20, 3, "layer2", act=tf.identity)
with tf.name_scope("cross_entropy"):
    cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=y_, logits=y)
tf.summary.scalar("cross_entropy", cross_entropy)
with tf.name_scope("train"):
    train_step = tf.train.AdamOptimizer(0.01).minimize(cross_entropy)
merged = tf.summary.merge_all()

data = random.randn(200, 10).astype(np.float32)
classes = data[:, :3].argmax(1)
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    writer = tf.summary.FileWriter(folder, sess.graph)
    sess.run(tf.global_variables_initializer())
    for i in range(12):
        summary, _ = sess.run([merged, train_step], feed_dict={x: data, y_: classes})
        writer.add_summary(summary, i)
    writer.close()

for event in tf.train.summary_iterator(tf.gfile.Glob(folder + "/events*")[0]):
    for value in event.summary.value:
        if value.tag.startswith("cross_entropy") and event.step % 3 == 0:
            print("step %d cross_entropy %.4f" % (event.step, value.simple_value))
        if value.tag == "layer1/weights/summaries/stddev_1" and event.step == 11:
            print("deviation %.4f" % value.simple_value)
