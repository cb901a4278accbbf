"""Two towers with shared weights, each with batches of its own from a prefetch queue; averaged gradients and weights."""

from __future__ import print_function

import os
import re
import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
TOWERS, BATCH = 2, 8
folder = tempfile.mkdtemp()
random = np.random.RandomState(0)
with open(os.path.join(folder, "data_batch.bin"), "wb") as out:
    for number in range(60):
        label = number % 3
        image = np.clip(random.normal(60 + 80 * label, 20, [3, 6, 6]), 0, 255).astype(np.uint8)
        out.write(bytes([label]) + image.tobytes())


def read_record(filename_queue):
    reader = tf.FixedLengthRecordReader(record_bytes=1 + 108)
    _, value = reader.read(filename_queue)
    record = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
    image = tf.transpose(tf.reshape(tf.strided_slice(record, [1], [109]), [3, 6, 6]), [1, 2, 0])
    label.set_shape([1])
    return tf.image.random_flip_left_right(tf.cast(image, tf.float32) / 255.0), label


def tower_loss(scope, images, labels):
    flat = tf.reshape(images, [BATCH, -1])
    with tf.variable_scope("linear"):
        weights = tf.get_variable("weights", [flat.get_shape()[1].value, 3],
                                  initializer=tf.truncated_normal_initializer(stddev=0.01, seed=1))
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(weights), 1e-3, name="weight_loss"))
        logits = tf.matmul(flat, weights) + tf.get_variable("biases", [3], initializer=tf.zeros_initializer())
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(labels, tf.int64), logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(entropy, name="cross_entropy"))
    losses = tf.get_collection("losses", scope)
    for each in losses:
        tf.summary.scalar(re.sub("tower_[0-9]*/", "", each.op.name), each)
    return tf.add_n(losses, name="total_loss")


def average_gradients(tower_grads):
    average = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(grad, 0) for grad, _ in pairs]
        average.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), pairs[0][1]))
    return average


with tf.Graph().as_default(), tf.device("/cpu:0"):
    global_step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    optimizer = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(0.05, global_step, 100, 0.9, staircase=True))
    image, label = read_record(tf.train.string_input_producer([os.path.join(folder, "data_batch.bin")]))
    images, labels = tf.train.shuffle_batch([image, label], BATCH, capacity=60, min_after_dequeue=20, num_threads=2)
    batch_queue = slim.prefetch_queue.prefetch_queue([images, tf.reshape(labels, [BATCH])], capacity=2 * TOWERS)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(TOWERS):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
                loss = tower_loss(scope, *batch_queue.dequeue())
                tf.get_variable_scope().reuse_variables()
                summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                tower_grads.append(optimizer.compute_gradients(loss))
    apply_gradients = optimizer.apply_gradients(average_gradients(tower_grads), global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(0.9, global_step)
    train_op = tf.group(apply_gradients, averages.apply(tf.trainable_variables()))
    saver = tf.train.Saver(tf.global_variables())
    summary_op = tf.summary.merge(summaries)
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    writer = tf.summary.FileWriter(folder, sess.graph)
    values = [sess.run([train_op, loss])[1] for _ in range(60)]
    writer.add_summary(sess.run(summary_op), 60)
    saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=60)
    print("finite", bool(np.all(np.isfinite(values))), "steps", int(sess.run(global_step)))
    print(sorted(averages.variables_to_restore()), len(summaries))
    coord.request_stop()
    coord.join(threads)
