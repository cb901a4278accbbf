import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
target = tf.multiply(height, 0.5, name="target")
gap = tf.square(height - target, name="gap")

slope = tf.sin(x) + x * tf.cos(x)
bend = 2.0 * tf.cos(x) - x * tf.sin(x)
pull = 2.0 * (height - target) * slope

session = tf.Session()
print(session.run([slope, bend, pull], {x: [0.0, 1.0, 2.0]}))
