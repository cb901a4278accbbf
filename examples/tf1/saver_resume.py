"""Training that is saved and goes on: Saver, checkpoint state, global_step; run it with a folder, twice."""

import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("train_dir", "", "where checkpoints are")
flags.DEFINE_integer("max_steps", 10, "how many steps a run makes")


def build():
    random = np.random.RandomState(9)
    x = random.randn(64, 5).astype(np.float32)
    y = x.dot(random.randn(5, 1)).astype(np.float32)
    w = tf.get_variable("w", [5, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    global_step = tf.Variable(0, name="global_step", trainable=False)
    rate = tf.train.exponential_decay(0.1, global_step, 10, 0.9, staircase=True)
    train_op = tf.train.MomentumOptimizer(rate, 0.5).minimize(loss, global_step=global_step)
    return loss, train_op, global_step


def train(folder):
    with tf.Graph().as_default():
        loss, train_op, global_step = build()
        saver = tf.train.Saver(max_to_keep=2)
        with tf.Session() as sess:
            checkpoint = tf.train.get_checkpoint_state(folder)
            if checkpoint and checkpoint.model_checkpoint_path:
                saver.restore(sess, checkpoint.model_checkpoint_path)
            else:
                sess.run(tf.global_variables_initializer())
            for _ in range(FLAGS.max_steps):
                value, _ = sess.run([loss, train_op])
            step = sess.run(global_step)
            saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=step)
            print("step %d loss %.6f" % (step, value))


def main(_):
    folder = FLAGS.train_dir or tempfile.mkdtemp()
    for _ in range(3):
        train(folder)
    print(sorted(name for name in os.listdir(folder) if name.endswith(".index")))


if __name__ == "__main__":
    tf.app.run()
