import penstock as tf

x = tf.placeholder(tf.float32, ["rows", 2], name="x")
y = tf.placeholder(tf.float32, ["rows"], name="y")
w = tf.Variable([0.0, 0.0], name="w")
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y), name="loss")

speed = tf.Variable(tf.zeros_like(w.initial_value), trainable=False)
(gradient,) = tf.gradients(loss, [w])
value = tf.multiply(speed, 0.9) + gradient
step = tf.group(tf.assign(speed, value), tf.assign(w, w - value * 0.05), name="step")
with tf.Graph().as_default():
    v = tf.Variable([0.0, 0.0])
    tf.train.AdamOptimizer().minimize(tf.reduce_sum(v))
    kept = sum(each.shape.num_elements() for each in tf.global_variables()) - 2

session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(5):
    now, _ = session.run([loss, step], {x: [[1.0, 2.0], [2.0, 1.0]], y: [1.0, 2.0]})
    print(now)
print(kept)
