import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


left, balance = tf.while_loop(
    lambda left, saved: left > 0, lambda left, saved: [left - 1, tf.add(saved * rate, saved) + deposit], [years, 0.0]
)
slope = tf.gradients(balance, [rate, deposit])[0]
stacked = 12

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
