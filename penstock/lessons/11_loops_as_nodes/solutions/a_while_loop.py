import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


def is_left(year, saved):
    return year < years


def next_year(year, saved):
    return year + 1, saved + rate * saved + deposit


_, balance = tf.while_loop(is_left, next_year, [0, 0.0])
slope = tf.gradients(balance, rate)[0]
stacked = 12

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
