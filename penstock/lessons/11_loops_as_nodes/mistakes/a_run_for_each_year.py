# a-run-for-each-round

import penstock as tf

deposit = tf.placeholder(tf.float32, [], name="deposit")
rate = tf.placeholder(tf.float32, [], name="rate")
years = tf.placeholder(tf.int32, [], name="years")


saved = tf.placeholder(tf.float32, [], name="saved")
following = saved + rate * saved + deposit
session = tf.Session()
balance = 0.0
for _ in range(12):
    balance = session.run(following, {saved: balance, deposit: 100.0, rate: 0.05})
slope = tf.gradients(following, rate)[0]
stacked = 0

print(balance)
