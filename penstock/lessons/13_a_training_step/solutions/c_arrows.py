import penstock as tf

x = tf.placeholder(tf.float32, ["rows", 2], name="x")
y = tf.placeholder(tf.float32, ["rows"], name="y")
w = tf.Variable([0.0, 0.0], name="w")
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y), name="loss")

speed = tf.get_variable("speed", [2], initializer=tf.zeros_initializer(), trainable=False)
gradient = tf.gradients(loss, w)[0]
with tf.control_dependencies([gradient]):
    slower = speed.assign(speed * 0.9)
with tf.control_dependencies([slower]):
    faster = speed.assign_add(gradient)
with tf.control_dependencies([faster]):
    step = w.assign_add(-0.05 * speed).op
kept = 6

session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(5):
    now, _ = session.run([loss, step], {x: [[1.0, 2.0], [2.0, 1.0]], y: [1.0, 2.0]})
    print(now)
print(kept)
