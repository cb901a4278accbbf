"""Softmax regression in the way of the first MNIST tutorial, on small digits that the program draws itself."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(1)
patterns = random.rand(10, 64) > 0.5
labels = random.randint(0, 10, 500)
images = (patterns[labels] + 0.4 * random.randn(500, 64)).astype(np.float32)
one_hot = np.eye(10)[labels].astype(np.float32)

x = tf.placeholder("float", [None, 64])
y_ = tf.placeholder("float", [None, 10])
W = tf.Variable(tf.zeros([64, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, W) + b)

cross_entropy = -tf.reduce_sum(tf.mul(y_, tf.log(y + 1e-10)))
train_step = tf.train.GradientDescentOptimizer(0.002).minimize(cross_entropy)
correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, "float"))

init = tf.initialize_all_variables()
with tf.Session() as sess:
    sess.run(init)
    for i in range(40):
        start = i * 50 % 500
        batch = {x: images[start : start + 50], y_: one_hot[start : start + 50]}
        _, loss = sess.run([train_step, cross_entropy], feed_dict=batch)
        if i % 8 == 0:
            print("step %d loss %.4f" % (i, loss))
    print("accuracy %.3f" % sess.run(accuracy, feed_dict={x: images, y_: one_hot}))
