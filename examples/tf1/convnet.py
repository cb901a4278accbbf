"""A convolutional network as TensorFlow 1 tutorials wrote it: conv, pool, dense, dropout, Adam, batches."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(2)


def weight_variable(shape):
    scale = np.sqrt(2.0 / np.prod(shape[:-1]))
    return tf.Variable((random.randn(*shape) * scale).astype(np.float32))


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding="SAME")


def max_pool_2x2(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


classes = random.randint(0, 4, 256)
images = 0.3 * random.randn(256, 12, 12)
for image, kind in zip(images, classes):
    row, column = random.randint(1, 9, 2)
    if kind in (0, 2):
        image[row, column : column + 3] += 2
    if kind in (1, 2):
        image[row : row + 3, column] += 2
images = images.astype(np.float32)

x = tf.placeholder(tf.float32, shape=[None, 12, 12], name="x")
y_ = tf.placeholder(tf.int64, shape=[None], name="labels")
keep_prob = tf.placeholder(tf.float32)

with tf.name_scope("conv1"):
    h = tf.nn.relu(conv2d(tf.reshape(x, [-1, 12, 12, 1]), weight_variable([3, 3, 1, 8])) + bias_variable([8]))
    h = max_pool_2x2(h)
with tf.name_scope("conv2"):
    h = max_pool_2x2(tf.nn.relu(conv2d(h, weight_variable([3, 3, 8, 16])) + bias_variable([16])))
with tf.name_scope("fc"):
    flat = tf.reshape(h, [-1, 3 * 3 * 16])
    hidden = tf.nn.dropout(tf.nn.relu(tf.matmul(flat, weight_variable([144, 32])) + bias_variable([32])), keep_prob)
    logits = tf.matmul(hidden, weight_variable([32, 4])) + bias_variable([4])

loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_, logits=logits))
train_step = tf.train.AdamOptimizer(1e-2).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y_), tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(24):
        start = i * 64 % 256
        feed = {x: images[start : start + 64], y_: classes[start : start + 64], keep_prob: 1.0}
        _, value = sess.run([train_step, loss], feed)
        if i % 4 == 0:
            print("step %d, loss %.4f" % (i, value))
    print("accuracy %.2f" % accuracy.eval(feed_dict={x: images, y_: classes, keep_prob: 1.0}))
