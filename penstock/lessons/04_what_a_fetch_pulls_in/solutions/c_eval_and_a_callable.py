import penstock as tf

PRICES = [3.0, 20.0, 8.0]
COUNTS = [10.0, 2.0, 5.0]

prices = tf.placeholder(tf.float32, ["items"], name="prices")
counts = tf.placeholder(tf.float32, ["items"], name="counts")
rate = tf.placeholder(tf.float32, [], name="rate")

total = tf.reduce_sum(prices * counts, name="total")
tax = tf.multiply(total, rate, name="tax")
bill = tf.add(total, tax, name="bill")
dearest = tf.reduce_max(prices, name="dearest")
share = tf.divide(dearest, total, name="share")

session = tf.Session()

ask = session.make_callable((total, dearest), [prices, counts])
today = ask(PRICES, COUNTS)
with session.as_default():
    what_if = bill.eval({total: 1000, rate: 0.2})
