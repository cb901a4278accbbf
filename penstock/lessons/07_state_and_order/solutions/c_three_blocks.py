import penstock as tf

PAYMENTS = [50.0, 20.0, 0.0]

balance = tf.Variable(100.0, name="balance")
amount = tf.placeholder(tf.float32, [], name="amount")

before = tf.identity(balance, name="before")
with tf.control_dependencies([before]):
    payment = tf.assign_add(balance, amount).op
with tf.control_dependencies([payment]):
    interest = tf.assign(balance, balance * 1.1).op
with tf.control_dependencies([interest]):
    after = tf.identity(balance)

session = tf.Session()
session.run(tf.global_variables_initializer())
for each in PAYMENTS:
    print(session.run([before, after], {amount: each}))
