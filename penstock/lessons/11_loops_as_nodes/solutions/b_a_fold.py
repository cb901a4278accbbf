import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


balance = tf.foldl(lambda saved, _: saved * (1.0 + rate) + deposit, tf.range(years), initializer=tf.constant(0.0))
(slope,) = tf.gradients(balance, rate)
forward = [op for op in balance.graph.get_operations() if op.type == "While" and op.name.startswith("gradients")]
results = [each for op in forward for each in op.outputs if each.shape.ndims]
with tf.Session() as looking:
    stacked = sum(each.size for each in looking.run(results, {deposit: 1.0, rate: 0.1, years: 12}))

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
