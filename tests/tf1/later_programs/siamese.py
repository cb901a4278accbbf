"""Two towers with shared weights learn which points belong together."""
import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
rng = np.random.RandomState(5)
centers = rng.randn(3, 8)
labels = rng.randint(0, 3, 60)
points = (centers[labels] + 0.3 * rng.randn(60, 8)).astype(np.float32)


def net(x, reuse=False):
    with slim.arg_scope([slim.fully_connected], activation_fn=tf.nn.relu, weights_regularizer=slim.l2_regularizer(1e-4),
                        weights_initializer=tf.random_normal_initializer(stddev=0.3, seed=2)):
        with tf.variable_scope("siamese", reuse=reuse):
            h = slim.fully_connected(x, 16, scope="fc1")
            return tf.nn.l2_normalize(slim.fully_connected(h, 4, activation_fn=None, scope="fc2"), 1)


left, right = tf.placeholder(tf.float32, [None, 8]), tf.placeholder(tf.float32, [None, 8])
same = tf.placeholder(tf.int32, [None])
out1, out2 = net(left), net(right, reuse=True)
loss = tf.contrib.losses.metric_learning.contrastive_loss(same, out1, out2, margin=1.0)
all_labels = tf.placeholder(tf.int32, [None])
triplet = tf.contrib.losses.metric_learning.triplet_semihard_loss(all_labels, out1, margin=0.2)
total = loss + tf.add_n(slim.losses.get_regularization_losses())
step = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True).minimize(total)
distance = tf.sqrt(tf.reduce_sum(tf.pow(out1 - out2, 2), 1))
accuracy, update = tf.contrib.metrics.streaming_accuracy(tf.to_int32(distance < 0.5), same)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for i in range(100):
        a, b = rng.randint(0, 60, 32), rng.randint(0, 60, 32)
        feed = {left: points[a], right: points[b], same: labels[a] == labels[b]}
        _, value = sess.run([step, total], feed)
    a, b = rng.randint(0, 60, 200), rng.randint(0, 60, 200)
    sess.run(update, {left: points[a], right: points[b], same: labels[a] == labels[b]})
    print("loss below 0.1:", bool(value < 0.1), "accuracy %.2f" % sess.run(accuracy))
    print("triplet %.3f" % sess.run(triplet, {left: points, all_labels: labels}))
