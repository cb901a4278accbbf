"""Digits as slim reads them: TFRecords, a decoder, a data provider, training and evaluation of checkpoints."""
import os
import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
folder = tempfile.mkdtemp()


def _bytes(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _ints(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=value))


def _floats(value):
    return tf.train.Feature(float_list=tf.train.FloatList(value=value))


def write_records():
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as sess:
        pixels = tf.placeholder(tf.uint8, [6, 6, 1])
        png = tf.image.encode_png(pixels)
        for split, count in (("train", 24), ("test", 8)):
            with tf.python_io.TFRecordWriter(os.path.join(folder, "digits_%s.tfrecord" % split)) as writer:
                for i in range(count):
                    label = i % 2
                    image = (rng.rand(6, 6, 1) * 100 + 120 * label).astype(np.uint8)
                    boxes = {"image/object/bbox/" + side: _floats([0.1 * k + j for j in range(i % 3)])
                             for k, side in enumerate(("ymin", "xmin", "ymax", "xmax"))}
                    writer.write(tf.train.Example(features=tf.train.Features(feature=dict(
                        boxes, **{"image/encoded": _bytes(sess.run(png, {pixels: image})),
                                  "image/format": _bytes(b"png"), "image/class/label": _ints([label]),
                                  "image/height": _ints([6]), "image/ids": _ints(list(range(i % 4)))}))
                    ).SerializeToString())


def get_split(split_name):
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "image/class/label": tf.FixedLenFeature([1], tf.int64, default_value=tf.zeros([1], dtype=tf.int64)),
        "image/height": tf.FixedLenFeature([], tf.int64),
        "image/ids": tf.VarLenFeature(tf.int64),
        "image/object/bbox/ymin": tf.VarLenFeature(tf.float32),
        "image/object/bbox/xmin": tf.VarLenFeature(tf.float32),
        "image/object/bbox/ymax": tf.VarLenFeature(tf.float32),
        "image/object/bbox/xmax": tf.VarLenFeature(tf.float32),
    }
    items_to_handlers = {
        "image": slim.tfexample_decoder.Image(shape=[6, 6, 1], channels=1),
        "label": slim.tfexample_decoder.Tensor("image/class/label", shape=[]),
        "ids": slim.tfexample_decoder.Tensor("image/ids", default_value=-1),
        "boxes": slim.tfexample_decoder.BoundingBox(["ymin", "xmin", "ymax", "xmax"], "image/object/bbox/"),
        "twice": slim.tfexample_decoder.ItemHandlerCallback(["image/height"], lambda k: k["image/height"] * 2),
    }
    decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
    return slim.dataset.Dataset(
        data_sources=os.path.join(folder, "digits_%s.tf*" % split_name), reader=tf.TFRecordReader, decoder=decoder,
        num_samples=24 if split_name == "train" else 8, items_to_descriptions={"image": "An image."}, num_classes=2)


def model(images, is_training):
    with slim.arg_scope([slim.fully_connected], weights_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1),
                        normalizer_fn=slim.batch_norm, normalizer_params={"is_training": is_training, "decay": 0.9}):
        net = slim.flatten(images)
        net = slim.fully_connected(net, 8, scope="fc1")
        return slim.fully_connected(net, 2, activation_fn=None, normalizer_fn=None, scope="logits")


def inputs(dataset, batch_size):
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=1, shuffle=False)
    image, label = provider.get(["image", "label"])
    image = tf.image.convert_image_dtype(image, tf.float32)
    return tf.train.batch([image, label], batch_size=batch_size, num_threads=1, capacity=2 * batch_size)


write_records()
with tf.Graph().as_default():
    dataset = get_split("train")
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=False, num_epochs=1)
    print(sorted(provider.list_items()), provider.num_samples(), dataset.num_classes)
    items = provider.get(["image", "label", "ids", "boxes", "twice"])
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(3):
            image, label, ids, boxes, twice = sess.run(items)
            print(image.shape, image.sum(), label, ids.tolist(), boxes.round(2).tolist(), twice)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=5)
with tf.Graph().as_default():
    tf.set_random_seed(0)
    images, labels = inputs(get_split("train"), 8)
    logits = model(images, True)
    slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(labels, 2))
    total_loss = slim.losses.get_total_loss()
    tf.summary.scalar("losses/Total", total_loss)
    train_op = slim.learning.create_train_op(total_loss, tf.train.AdamOptimizer(0.05))
    loss = slim.learning.train(train_op, folder, number_of_steps=25, save_summaries_secs=300, log_every_n_steps=100)
    print("loss %.4f" % loss)
with tf.Graph().as_default():
    slim.get_or_create_global_step()
    images, labels = inputs(get_split("test"), 8)
    predictions = tf.argmax(model(images, False), 1)
    names_to_values, names_to_updates = slim.metrics.aggregate_metric_map({
        "accuracy": slim.metrics.streaming_accuracy(predictions, labels),
        "mse": slim.metrics.streaming_mean_squared_error(predictions, labels)})
    for name, value in names_to_values.items():
        tf.summary.scalar(name, value)
    checkpoint = tf.train.latest_checkpoint(folder)
    values = slim.evaluation.evaluate_once(
        master="", checkpoint_path=checkpoint, logdir=os.path.join(folder, "eval"), num_evals=2,
        eval_op=list(names_to_updates.values()), final_op=list(names_to_values.values()),
        variables_to_restore=slim.get_variables_to_restore())
    print("accuracy %.2f, mse %.2f" % tuple(values), len(os.listdir(os.path.join(folder, "eval"))))
