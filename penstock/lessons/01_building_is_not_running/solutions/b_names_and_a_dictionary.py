import penstock as tf

WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]

celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
scaled = tf.multiply(celsius, tf.constant(1.8), name="scaled")
fahrenheit = tf.add(scaled, 32.0, name="fahrenheit")
warmest = tf.reduce_max(fahrenheit, 0, name="warmest")

with tf.Session() as session:
    result = session.run({"all": fahrenheit, "warmest": "warmest:0"}, feed_dict={"celsius:0": WEEK})
    print(result["warmest"])
