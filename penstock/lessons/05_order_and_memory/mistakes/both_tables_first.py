# any-order-costs-the-same

import penstock as tf

column = tf.placeholder(tf.float32, ["n", 1], name="column")
near = tf.matmul(column, column, transpose_b=True, name="near")
far = tf.matmul(column - 1.0, column, transpose_b=True, name="far")
highest = tf.reduce_max(near, name="highest")
lowest = tf.reduce_min(far, name="lowest")
mean = tf.reduce_mean(near, name="mean")

# "near", "far", "highest", "lowest" and "mean", so that the two tables, near and far, are never there together.
order = ["near", "far", "highest", "mean", "lowest"]

columns = [tf.placeholder(tf.float32, ["n", 1], name=f"column{i}") for i in range(6)]


def table(column):
    """The products of each two numbers of the column."""
    return tf.matmul(column, column, transpose_b=True)


plain = tf.add_n([table(each) for each in columns], name="plain")
frugal = table(columns[0])
for each in columns[1:]:
    with tf.control_dependencies([frugal]):
        frugal = frugal + table(each)

feeds = {each: [[1.0]] * 1000 for each in columns}
print(tf.Session().memory(plain, feeds).peak / 4_000_000, "tables")
