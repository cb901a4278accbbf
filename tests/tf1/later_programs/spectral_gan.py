"""A GAN whose discriminator has spectral normalization."""
import numpy as np
import tensorflow as tf

np.random.seed(1)
batch, z_dim = 16, 4


def spectral_norm(w, iteration=1, name=None):
    shape = w.shape.as_list()
    w = tf.reshape(w, [-1, shape[-1]])
    u = tf.get_variable("u", [1, shape[-1]], initializer=tf.constant_initializer(0.5), trainable=False)
    u_hat = u
    v_hat = None
    for i in range(iteration):
        v_hat = tf.nn.l2_normalize(tf.matmul(u_hat, tf.transpose(w)))
        u_hat = tf.nn.l2_normalize(tf.matmul(v_hat, w))
    u_hat = tf.stop_gradient(u_hat)
    v_hat = tf.stop_gradient(v_hat)
    sigma = tf.matmul(tf.matmul(v_hat, w), tf.transpose(u_hat))
    with tf.control_dependencies([u.assign(u_hat)]):
        w_norm = tf.reshape(w / sigma, shape)
    return w_norm


def dense(x, units, sn, scope):
    with tf.variable_scope(scope):
        n = x.get_shape().as_list()[-1]
        w = tf.get_variable("kernel", [n, units], initializer=tf.constant_initializer(
            np.cos(np.arange(n * units)).reshape(n, units) * 0.4))
        b = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, spectral_norm(w) if sn else w) + b


def generator(z):
    with tf.variable_scope("generator", reuse=tf.AUTO_REUSE):
        return dense(tf.nn.relu(dense(z, 8, False, "g1")), 2, False, "g2")


def discriminator(x):
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        return dense(tf.nn.leaky_relu(dense(x, 8, True, "d1")), 1, True, "d2")


real = tf.placeholder(tf.float32, [None, 2])
noise = tf.placeholder(tf.float32, [None, z_dim])
fake = generator(noise)
d_real, d_fake = discriminator(real), discriminator(fake)
d_loss = tf.reduce_mean(tf.nn.relu(1.0 - d_real)) + tf.reduce_mean(tf.nn.relu(1.0 + d_fake))
g_loss = -tf.reduce_mean(d_fake)
t_vars = tf.trainable_variables()
d_vars = [v for v in t_vars if "discriminator" in v.name]
g_vars = [v for v in t_vars if "generator" in v.name]
d_step = tf.train.AdamOptimizer(4e-3, beta1=0.0, beta2=0.9).minimize(d_loss, var_list=d_vars)
g_step = tf.train.AdamOptimizer(1e-3, beta1=0.0, beta2=0.9).minimize(g_loss, var_list=g_vars)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for i in range(40):
        z = np.random.uniform(-1, 1, [batch, z_dim])
        x = np.random.randn(batch, 2) * 0.3 + [1.0, -1.0]
        _, dl = sess.run([d_step, d_loss], feed_dict={real: x, noise: z})
        _, gl = sess.run([g_step, g_loss], feed_dict={noise: z})
        if i % 10 == 0:
            print("d %.3f g %.3f" % (dl, gl))
