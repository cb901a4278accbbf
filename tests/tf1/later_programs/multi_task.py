"""Two tasks with a shared layer, trained together."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
rng = np.random.RandomState(0)
data = rng.randn(64, 6).astype(np.float32)
target = data.dot(rng.randn(6, 1)).astype(np.float32)
classes = (data[:, 0] + data[:, 1] > 0).astype(np.int32)

X = tf.placeholder(tf.float32, [None, 6], name="X")
Y1 = tf.placeholder(tf.float32, [None, 1], name="Y1")
Y2 = tf.placeholder(tf.int32, [None], name="Y2")
init = tf.constant_initializer(np.linspace(-0.3, 0.3, 48))
with tf.variable_scope("shared"):
    shared = tf.layers.dense(X, 8, activation=tf.nn.swish, kernel_initializer=init)
with tf.variable_scope("regression"):
    out1 = tf.layers.dense(shared, 1, kernel_initializer=tf.constant_initializer(0.1))
with tf.variable_scope("classification"):
    out2 = tf.layers.dense(shared, 2, kernel_initializer=tf.constant_initializer(np.linspace(-1, 1, 16)))
loss1 = tf.losses.mean_squared_error(Y1, out1)
loss2 = tf.losses.sparse_softmax_cross_entropy(labels=Y2, logits=out2)
joint = tf.add_n(tf.get_collection(tf.GraphKeys.LOSSES))
shared_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="shared")
opt = tf.train.AdamOptimizer(0.01)
gvs = opt.compute_gradients(joint)
clipped, norm = tf.clip_by_global_norm([g for g, _ in gvs], 5.0)
train = opt.apply_gradients(zip(clipped, [v for _, v in gvs]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(60):
        _, l1, l2 = sess.run([train, loss1, loss2], {X: data, Y1: target, Y2: classes})
        if step % 20 == 0:
            print("step %d regression %.4f classification %.4f" % (step, l1, l2))
    print([v.name for v in shared_vars], "%.4f" % sess.run(norm, {X: data, Y1: target, Y2: classes}))
