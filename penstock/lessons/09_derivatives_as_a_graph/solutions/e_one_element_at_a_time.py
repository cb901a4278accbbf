import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
target = tf.multiply(height, 0.5, name="target")
gap = tf.square(height - target, name="gap")

slope = tf.gradients(tf.reduce_sum(height), x, name="slope")[0]
bend = tf.gradients(slope, x)[0]
(of_height,) = tf.gradients(gap, height, stop_gradients=[target])
pull = of_height * slope

session = tf.Session()
print(session.run([slope, bend, pull], {x: [0.0, 1.0, 2.0]}))
