"""A generative adversarial network: two variable scopes, two losses, two optimizers with var_list."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(6)
Z_DIM, HIDDEN, BATCH = 4, 16, 32


def dense(x, size, name, activation=None):
    with tf.variable_scope(name):
        shape = [x.get_shape().as_list()[1], size]
        start = (random.randn(*shape) * np.sqrt(1.0 / shape[0])).astype(np.float32)
        W = tf.get_variable("W", initializer=tf.constant(start))
        b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
        y = tf.matmul(x, W) + b
        return y if activation is None else activation(y)


def generator(z):
    with tf.variable_scope("generator"):
        return dense(dense(z, HIDDEN, "g1", tf.nn.relu), 2, "g2")


def discriminator(x, reuse=False):
    with tf.variable_scope("discriminator") as scope:
        if reuse:
            scope.reuse_variables()
        return dense(dense(x, HIDDEN, "d1", tf.tanh), 1, "d2")


z = tf.placeholder(tf.float32, [None, Z_DIM])
x = tf.placeholder(tf.float32, [None, 2])
G = generator(z)
D_real = discriminator(x)
D_fake = discriminator(G, reuse=True)

d_loss = tf.reduce_mean(
    tf.nn.sigmoid_cross_entropy_with_logits(logits=D_real, labels=tf.ones_like(D_real))
) + tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=D_fake, labels=tf.zeros_like(D_fake)))
g_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=D_fake, labels=tf.ones_like(D_fake)))

t_vars = tf.trainable_variables()
d_vars = [var for var in t_vars if var.name.startswith("discriminator")]
g_vars = [var for var in t_vars if var.name.startswith("generator")]
d_train = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(d_loss, var_list=d_vars)
g_train = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(g_loss, var_list=g_vars)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(60):
        angle = random.rand(BATCH) * 2 * np.pi
        circle = np.stack([np.cos(angle), np.sin(angle)], 1)
        noise = random.uniform(-1, 1, [BATCH, Z_DIM])
        _, d = sess.run([d_train, d_loss], {x: circle, z: noise})
        _, g = sess.run([g_train, g_loss], {z: random.uniform(-1, 1, [BATCH, Z_DIM])})
        if step % 15 == 0:
            print("step %d d_loss %.4f g_loss %.4f" % (step, d, g))
    print("%d variables of the discriminator, %d of the generator" % (len(d_vars), len(g_vars)))
