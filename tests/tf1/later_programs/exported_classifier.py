"""A classifier is exported for a server, as the tutorial of TensorFlow Serving had it: signatures, a table, examples."""

from __future__ import print_function

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.saved_model import builder as saved_model_builder
from tensorflow.python.saved_model import signature_constants, signature_def_utils, tag_constants, utils
from tensorflow.python.util import compat

tf.app.flags.DEFINE_integer("training_iteration", 20, "number of training iterations.")
tf.app.flags.DEFINE_integer("model_version", 1, "version number of the model.")
FLAGS = tf.app.flags.FLAGS


def main(_):
    sess = tf.InteractiveSession()
    serialized_tf_example = tf.placeholder(tf.string, name="tf_example")
    feature_configs = {"x": tf.FixedLenFeature(shape=[8], dtype=tf.float32)}
    tf_example = tf.parse_example(serialized_tf_example, feature_configs)
    x = tf.identity(tf_example["x"], name="x")
    y_ = tf.placeholder("float", shape=[None, 4])
    w = tf.Variable(tf.zeros([8, 4]))
    b = tf.Variable(tf.zeros([4]))
    sess.run(tf.global_variables_initializer())
    y = tf.nn.softmax(tf.matmul(x, w) + b, name="y")
    cross_entropy = -tf.reduce_sum(y_ * tf.log(y))
    train_step = tf.train.GradientDescentOptimizer(0.1).minimize(cross_entropy)
    values, indices = tf.nn.top_k(y, 4)
    table = tf.contrib.lookup.index_to_string_table_from_tensor(tf.constant([str(i) for i in range(4)]))
    prediction_classes = table.lookup(tf.to_int64(indices))
    random = np.random.RandomState(0)
    for _ in range(FLAGS.training_iteration):
        images = random.rand(32, 8)
        labels = np.eye(4)[images[:, :4].argmax(1)]
        train_step.run(feed_dict={x: images, y_: labels})
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), "float"))
    print("trained", sess.run(accuracy, feed_dict={x: images, y_: labels}) > 0.7)

    export_path = os.path.join(compat.as_bytes(tempfile.mkdtemp()), compat.as_bytes(str(FLAGS.model_version)))
    builder = saved_model_builder.SavedModelBuilder(export_path)
    classification_signature = signature_def_utils.build_signature_def(
        inputs={signature_constants.CLASSIFY_INPUTS: utils.build_tensor_info(serialized_tf_example)},
        outputs={
            signature_constants.CLASSIFY_OUTPUT_CLASSES: utils.build_tensor_info(prediction_classes),
            signature_constants.CLASSIFY_OUTPUT_SCORES: utils.build_tensor_info(values),
        },
        method_name=signature_constants.CLASSIFY_METHOD_NAME,
    )
    prediction_signature = signature_def_utils.build_signature_def(
        inputs={"images": utils.build_tensor_info(x)},
        outputs={"scores": utils.build_tensor_info(y)},
        method_name=signature_constants.PREDICT_METHOD_NAME,
    )
    legacy_init_op = tf.group(tf.tables_initializer(), name="legacy_init_op")
    builder.add_meta_graph_and_variables(
        sess,
        [tag_constants.SERVING],
        signature_def_map={
            "predict_images": prediction_signature,
            signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: classification_signature,
        },
        legacy_init_op=legacy_init_op,
    )
    builder.save()

    with tf.Session(graph=tf.Graph()) as server:
        model = tf.saved_model.loader.load(server, [tag_constants.SERVING], compat.as_text(export_path))
        signature = model.signature_def["predict_images"]
        scores = server.run(signature.outputs["scores"].name, {signature.inputs["images"].name: images[:2]})
        print("scores", np.allclose(scores, sess.run(y, {x: images[:2]})))
        signature = model.signature_def[signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        float_list = tf.train.FloatList(value=[0, 9, 0, 0, 0, 0, 0, 0])
        example = tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=float_list)}))
        feed = {signature.inputs["inputs"].name: [example.SerializeToString()]}
        print("class", server.run(signature.outputs["classes"].name, feed)[0][0].decode())


if __name__ == "__main__":
    tf.app.run()
