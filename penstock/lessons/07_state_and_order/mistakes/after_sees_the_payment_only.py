# lines-are-the-order

import penstock as tf

PAYMENTS = [50.0, 20.0, 0.0]

balance = tf.Variable(100.0, name="balance")
amount = tf.placeholder(tf.float32, [], name="amount")

before = tf.identity(balance, name="before")
with tf.control_dependencies([before]):
    paid = balance.assign_add(amount)
with tf.control_dependencies([paid]):
    interest = balance.assign_add(balance * 0.1)
    after = tf.identity(balance)

session = tf.Session()
session.run(tf.global_variables_initializer())
for payment in PAYMENTS:
    print(session.run([before, after], {amount: payment}))
