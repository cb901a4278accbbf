"""Lesson 7: an account, with a payment and interest in one run."""

import penstock as tf

PAYMENTS = [50.0, 20.0, 0.0]

balance = tf.Variable(100.0, name="balance")
amount = tf.placeholder(tf.float32, [], name="amount")

before = tf.identity(balance, name="before")
after = ...  # your turn: pay `amount` in, then add a tenth of the new balance; after is the balance when both is done

session = tf.Session()
session.run(tf.global_variables_initializer())
for payment in PAYMENTS:
    print(session.run([before, after], {amount: payment}))
