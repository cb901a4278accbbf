import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


def next_year(year, saved, change):
    return year + 1, saved * (1.0 + rate) + deposit, change * (1.0 + rate) + saved


_, balance, slope = tf.while_loop(lambda year, saved, change: year < years, next_year, [0, 0.0, 0.0])
stacked = 0  # the derivative goes forward, in the same loop

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
