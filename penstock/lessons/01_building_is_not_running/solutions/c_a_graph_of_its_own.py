import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]


def to_fahrenheit(degrees):
    return degrees * 9.0 / 5.0 + 32.0


with tf.Graph().as_default() as graph:
    celsius = tf.placeholder(tf.float32, [None], name="celsius")
    fahrenheit = to_fahrenheit(celsius)
    # The warmest day in Celsius is the warmest in Fahrenheit.
    warmest = to_fahrenheit(tf.reduce_max(celsius))

session = tf.Session(graph=graph)
result = session.run((warmest, fahrenheit), {celsius: WEEK})
