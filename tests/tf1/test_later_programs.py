"""Programs in the style of 2016 to 2019 run unchanged: with TensorFlow's numbers where TensorFlow 2.21 runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..helpers import some_nightly
from .programs import run_tf1

PROGRAMS = Path(__file__).with_name("later_programs")
OF_TENSORFLOW = {
    "multi_task": """\
step 0 regression 8.5766 classification 0.7441
step 20 regression 5.0539 classification 0.6216
step 40 regression 2.3427 classification 0.6480
['shared/dense/kernel:0', 'shared/dense/bias:0'] 1.2557
""",
    "spectral_gan": """\
d 1.197 g -0.048
d 1.151 g -0.033
d 1.106 g 0.113
d 1.025 g 0.135
""",
    "a2c": """\
step 50 total 34.0 value loss 0.304
step 100 total 81.0 value loss 0.001
step 150 total 129.0 value loss 0.011
""",
    "causal_transformer": """\
step 0 loss 2.4087
step 20 loss 2.2668
step 40 loss 2.1556
step 60 loss 2.0866
['normalized/scale', 'normalized_1/bias', 'normalized_1/scale', 'out', 'q', 'v']
""",
    "audio_features": """\
features [-30.510000228881836, 11.34000015258789, 7.96999979019165]
step 0 loss 0.6931
step 10 loss 0.0499
step 20 loss 0.0199
step 30 loss 0.0133
back 1.0e+00
""",
    "guided_saliency": """\
True [[1.1230000257492065, -1.3300000429153442, 1.5110000371932983, -1.6619999408721924], [-0.6919999718666077, \
0.5910000205039978, -0.4790000021457672, 0.3569999933242798]]
False [[0.09799999743700027, -0.777999997138977, 1.4429999589920044, -2.0789999961853027], [-1.6740000247955322, \
1.1410000324249268, -0.5849999785423279, 0.017999999225139618]]
['norm/mean', 'norm/variance', 'norm/norm/mean/biased', 'norm/norm/mean/local_step', 'norm/norm/variance/biased', \
'norm/norm/variance/local_step']
score [0.5, 0.25, 2.0, 0.75, 0.0]
""",
}
"""What TensorFlow 2.21 prints with `import tensorflow.compat.v1 as tf`, tf_keras and `tf.disable_v2_behavior()`."""
OTHERS = {
    "bucketed_seq2seq": "steps 61 falls True",
    "crf_tagger": r"Loss: 15\.2492 Accuracy: 26\.36%\n(.*\n)*Loss: 13\.\d+ Accuracy: 40\.00%",
    "siamese": r"loss below 0\.1: True accuracy (0\.9\d|1\.00)",
    "vae": "elbo rises: True",
    "captioning_queues": r"step 0 loss 1\.9\d+\n(.*\n)*step 40 loss 1\.6\d+\ndone",
    "fine_tuned_resnet": r"60 variables, 20 updates\n.*\nTrue True falls: True\n2 of 40 trained, falls: True",
    "text_cnn": r"step 40 loss 0\.0\d+ accuracy 1\.00",
    "exported_classifier": "trained True\nscores True\nclass 1",
    "slim_records": r"\(6, 6, 1\) 1995 0 \[\] \[\] 12\n(.*\n)*loss 0\.00\d\d\naccuracy 1\.00, mse 0\.00 1",
    "towers": r"finite True steps 60\n\['global_step', 'linear/biases/ExponentialMovingAverage'",
}
"""What the others print; they need tf.contrib, which TensorFlow 2 has not. 15.2492 is 11 ln 4: no weights yet."""


LONG = ("bucketed_seq2seq", "fine_tuned_resnet", "causal_transformer", "a2c", "text_cnn", "crf_tagger", "siamese")
"""For the nightly run: each takes half a second or more, to make and plan its graph above all."""


@pytest.mark.parametrize("name", some_nightly([*OF_TENSORFLOW, *OTHERS], {*OF_TENSORFLOW, *OTHERS}.difference(LONG)))
def test_a_program_runs_unchanged(name: str, tmp_path: Path) -> None:
    done = run_tf1(tmp_path, "--era", "1", str(PROGRAMS / f"{name}.py"))
    assert done.returncode == 0, done.stderr
    if name in OF_TENSORFLOW:
        assert done.stdout == OF_TENSORFLOW[name]
    else:
        assert re.search(OTHERS[name], done.stdout), done.stdout


MISTAKES = {
    "multi_task": (
        'out2 = tf.layers.dense(shared, 2, ', 'out2 = tf.layers.dense(shared, "2", ', "units"
    ),
    "crf_tagger": ("lengths_t)\n        viterbi", "lengths_t, 3)\n        viterbi", "transition_params"),
    "siamese": ("contrastive_loss(same, out1, out2", "contrastive_loss(out1, out2, same", "contrastive_loss"),
    "captioning_queues": ("dynamic_pad=True", "dynamic_pad=False", "Use dynamic_pad=True"),
    "vae": ("Independent(tfd.Bernoulli(logits=logits), 1)", "Independent(tfd.Bernoulli(logits=logits), 3)",
            "cannot exceed"),
    "text_cnn": ("tf.concat(pooled, 3)", "tf.concat(3, pooled)", "concat"),
}  # fmt: skip
"""A text of a program, a mistake in its place, and words of the error."""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_the_line_of_the_program(name: str, tmp_path: Path) -> None:
    right, wrong, words = MISTAKES[name]
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    assert right in text
    path = tmp_path / f"{name}.py"
    path.write_text(text.replace(right, wrong), "utf-8")
    done = run_tf1(tmp_path, "--era", "1", str(path))
    assert done.returncode != 0
    last = done.stderr[done.stderr.rindex("Traceback") :]
    assert words in last and f"{name}.py" in last
