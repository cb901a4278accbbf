"""An autoencoder in the style of TensorFlow 0.x: dictionaries of weights, functions encoder and decoder, RMSProp."""

from __future__ import division, print_function

import numpy as np
import tensorflow as tf

learning_rate = 0.01
training_epochs = 6
batch_size = 64
n_input, n_hidden_1, n_hidden_2 = 36, 16, 4

random = np.random.RandomState(5)
codes = random.rand(384, 3)
images = (1 / (1 + np.exp(-4 * (codes.dot(random.randn(3, n_input)))))).astype(np.float32)

X = tf.placeholder("float", [None, n_input])


def initial(*shape):
    return tf.Variable((0.3 * random.randn(*shape)).astype(np.float32))


weights = {
    "encoder_h1": initial(n_input, n_hidden_1),
    "encoder_h2": initial(n_hidden_1, n_hidden_2),
    "decoder_h1": initial(n_hidden_2, n_hidden_1),
    "decoder_h2": initial(n_hidden_1, n_input),
}
biases = {
    "encoder_b1": initial(n_hidden_1),
    "encoder_b2": initial(n_hidden_2),
    "decoder_b1": initial(n_hidden_1),
    "decoder_b2": initial(n_input),
}


def encoder(x):
    layer_1 = tf.nn.sigmoid(tf.add(tf.matmul(x, weights["encoder_h1"]), biases["encoder_b1"]))
    return tf.nn.sigmoid(tf.add(tf.matmul(layer_1, weights["encoder_h2"]), biases["encoder_b2"]))


def decoder(x):
    layer_1 = tf.nn.sigmoid(tf.add(tf.matmul(x, weights["decoder_h1"]), biases["decoder_b1"]))
    return tf.nn.sigmoid(tf.add(tf.matmul(layer_1, weights["decoder_h2"]), biases["decoder_b2"]))


y_pred = decoder(encoder(X))
cost = tf.reduce_mean(tf.pow(tf.sub(X, y_pred), 2))
optimizer = tf.train.RMSPropOptimizer(learning_rate).minimize(cost)

init = tf.initialize_all_variables()
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(training_epochs):
        for i in range(len(images) // batch_size):
            batch_xs = images[i * batch_size : (i + 1) * batch_size]
            _, c = sess.run([optimizer, cost], feed_dict={X: batch_xs})
        print("Epoch:", "%04d" % (epoch + 1), "cost=", "{:.5f}".format(c))
    print("Optimization Finished!")
    halves = tf.split(1, 2, tf.concat(1, [X, y_pred]))
    first, second = sess.run(halves, feed_dict={X: images[:3]})
    print("error %.4f" % np.abs(first - second).mean())
