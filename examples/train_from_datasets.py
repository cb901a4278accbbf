"""A softmax regression whose batches flow in: training and test data are two datasets, and a run feeds a handle."""

import numpy as np

import penstock as tf

rng = np.random.default_rng(0)
centres = rng.normal(0.0, 2.0, (3, 4)).astype("f4")
labels = rng.integers(0, 3, 600)
points = (centres[labels] + rng.normal(0.0, 0.7, (600, 4))).astype("f4")

train = tf.data.Dataset.from_tensor_slices((points[:500], labels[:500])).shuffle(500, seed=1).repeat().batch(50)
test = tf.data.Dataset.from_tensor_slices((points[500:], labels[500:])).batch(100)
handle = tf.placeholder(tf.string, [], name="handle")
x, y = tf.data.Iterator.from_string_handle(handle, train.output_types, train.output_shapes).get_next()
print(x.shape, y.shape)

weights = tf.get_variable("weights", [4, 3], initializer=tf.zeros_initializer())
bias = tf.get_variable("bias", [3], initializer=tf.zeros_initializer())
logits = tf.matmul(x, weights) + bias
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
is_right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
of_train, of_test = train.prefetch(1).make_one_shot_iterator(), test.make_initializable_iterator()

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    train_handle, test_handle = session.run([of_train.string_handle(), of_test.string_handle()])
    for epoch in range(3):
        for _ in range(10):
            session.run(step, {handle: train_handle})
        session.run(of_test.initializer)
        print(f"epoch {epoch}: more than 90 % are right: {session.run(is_right, {handle: test_handle}) > 0.9}")
