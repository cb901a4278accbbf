# derivatives-are-measured

import penstock as tf

x = tf.placeholder(tf.float32, ["places"], name="x")
height = tf.multiply(x, tf.sin(x), name="height")
target = tf.multiply(height, 0.5, name="target")
gap = tf.square(height - target, name="gap")

places = [0.0, 1.0, 2.0]
session = tf.Session()
first = session.run(height, {x: places})
second = session.run(height, {x: [place + 0.001 for place in places]})
slope = (second - first) / 0.001
bend = slope * 0.0
pull = tf.gradients(gap, x, stop_gradients=[target])[0]

print(slope, bend, pull)
