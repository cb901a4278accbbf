# python-repeats

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


balance = tf.constant(0.0)
for year in range(12):
    balance = tf.where(year < years, balance + rate * balance + deposit, balance)
slope = tf.gradients(balance, rate)[0]
stacked = 0

session = tf.Session(config=tf.SessionConfig(timeout_in_ms=1500))
print(session.run([balance, slope], {deposit: 100.0, rate: 0.05, years: 12}), stacked)
