"""The graph of the play page: an account, with a payment and interest in one run."""

import penstock as tf

balance = tf.Variable(100.0, name="balance")
amount = tf.placeholder(tf.float32, [], name="amount")

before = tf.identity(balance, name="before")
with tf.control_dependencies([before]):
    paid = balance.assign_add(amount, name="paid")
after = balance.assign_add(paid * 0.1, name="after")

fetches = [before, after]
feeds = {amount: 50.0}
