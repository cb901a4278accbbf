# lines-are-the-order

import penstock as tf

x = tf.placeholder(tf.float32, ["rows", 2], name="x")
y = tf.placeholder(tf.float32, ["rows"], name="y")
w = tf.Variable([0.0, 0.0], name="w")
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y), name="loss")

speed = tf.Variable([0.0, 0.0], trainable=False, name="speed")
first = speed.assign(0.9 * speed + tf.gradients(loss, w)[0])
second = w.assign_sub(0.05 * speed)
step = tf.group(first, second)
kept = 6

session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(5):
    now, _ = session.run([loss, step], {x: [[1.0, 2.0], [2.0, 1.0]], y: [1.0, 2.0]})
    print(now)
print(kept)
