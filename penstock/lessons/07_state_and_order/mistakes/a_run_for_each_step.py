# a-run-for-each-step

import penstock as tf

PAYMENTS = [50.0, 20.0, 0.0]

balance = tf.Variable(100.0, name="balance")
amount = tf.placeholder(tf.float32, [], name="amount")

before = tf.identity(balance, name="before")
session = tf.Session()
session.run(tf.global_variables_initializer())
session.run(balance.assign_add(amount), {amount: PAYMENTS[0]})
session.run(balance.assign_add(balance * 0.1))
after = session.run(balance)
print(after)
