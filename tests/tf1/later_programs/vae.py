"""A variational autoencoder with distributions."""
import numpy as np
import tensorflow as tf

tfd = tf.distributions
tf.set_random_seed(0)
data = (np.random.RandomState(0).rand(64, 12) < np.linspace(0.1, 0.9, 12)).astype(np.float32)


def make_encoder(x, code):
    h = tf.layers.dense(tf.layers.flatten(x), 16, tf.nn.elu, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
    loc = tf.layers.dense(h, code, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
    scale = tf.layers.dense(h, code, tf.nn.softplus, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
    return tf.contrib.distributions.MultivariateNormalDiag(loc, scale)


def make_decoder(code, shape):
    h = tf.layers.dense(code, 16, tf.nn.elu, kernel_initializer=tf.glorot_uniform_initializer(seed=4))
    logits = tf.layers.dense(h, shape, kernel_initializer=tf.glorot_uniform_initializer(seed=5))
    return tf.contrib.distributions.Independent(tfd.Bernoulli(logits=logits), 1)


encode = tf.make_template("encoder", make_encoder)
decode = tf.make_template("decoder", make_decoder)
x = tf.placeholder(tf.float32, [None, 12])
prior = tf.contrib.distributions.MultivariateNormalDiag(tf.zeros(2), tf.ones(2))
posterior = encode(x, code=2)
code = posterior.sample(seed=11)
likelihood = decode(code, 12).log_prob(x)
divergence = tf.contrib.distributions.kl_divergence(posterior, prior)
elbo = tf.reduce_mean(likelihood - divergence)
optimize = tf.train.AdamOptimizer(0.01).minimize(-elbo)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(200):
        _, value = sess.run([optimize, elbo], {x: data})
        if epoch == 0:
            first = value
    print("elbo rises:", bool(value > first + 1.0))
