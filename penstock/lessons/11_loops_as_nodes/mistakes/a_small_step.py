# derivatives-are-measured

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


def after(rate):
    return tf.while_loop(
        lambda year, saved: year < years, lambda year, saved: (year + 1, saved + rate * saved + deposit), [0, 0.0]
    )[1]


balance = after(rate)
slope = (after(rate + 0.01) - after(rate)) / 0.01
stacked = 0

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
