"""Random beam searches find the sequences that a search in lists, written with NumPy, finds.

TensorFlow 2 has no `BeamSearchDecoder` any more, so nothing here was compared with it: the search below was written
from TensorFlow 1.15's documentation of the scores. PENSTOCK_NUMPY_BEAMS says how many; `docs/verified.md` has the last
large run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..helpers import some_nightly
from ..recurrent.numpy_cells import Values, below, filled, gru, softmax

COUNT = int(os.environ.get("PENSTOCK_NUMPY_BEAMS", "24"))
UNITS, DEPTH, MEMORY = 3, 4, 5
LEAST = np.finfo(np.float64).min


@dataclass(frozen=True)
class Sequence:
    """One hypothesis of a search."""

    log: float
    ids: tuple[int, ...]
    state: Any
    finished: bool = False
    length: int = 0
    score: float = 0.0
    attended: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Search:
    """The options of a search, and what it reads."""

    beams: int
    end: int
    steps: int
    length_weight: float
    coverage_weight: float
    vectors: Any
    values: Values
    memory: Any = None
    """The rows of a sequence's memory; None for a cell without attention."""

    def continued(self, row: Sequence) -> tuple[Any, Any, Any]:
        """(logits, state, alignments) of the cell after the last id."""
        scope = "decoder/attention_wrapper/gru_cell" if self.memory is not None else "decoder/gru_cell"
        x = self.vectors[row.ids[-1]][None]
        if self.memory is None:
            out, state = gru(below(self.values, scope), x, row.state)
            weights = None
        else:
            h, attention = row.state
            h, _ = gru(below(self.values, scope), np.concatenate([x, attention], 1), h)
            keys = self.memory @ self.values["memory_layer/kernel"]
            weights = softmax(keys @ h[0])
            out = (weights @ self.memory)[None]
            state = (h, out)
        return (out @ self.values["decoder/dense/kernel"] + self.values["decoder/dense/bias"])[0], state, weights

    def step(self, rows: list[Sequence]) -> list[Sequence]:
        """The best continuations of all hypotheses."""
        made: list[Sequence] = []
        for row in rows:
            logits, state, weights = self.continued(row)
            logs = np.log(softmax(logits))
            attended = row.attended if weights is None else (*row.attended, weights * (not row.finished))
            for token in range(len(logs)):
                log = row.log + ((0.0 if token == self.end else LEAST) if row.finished else logs[token])
                ranked_length = row.length + (not row.finished and token != self.end)
                score = log / np.float64(np.float32((5 + ranked_length) / 6) ** np.float32(self.length_weight))
                if self.coverage_weight and row.finished:
                    seen = np.sum(attended, 0)
                    score += self.coverage_weight * np.log(np.minimum(np.where(seen == 0, 1, seen), 1)).sum()
                made.append(replace(
                    row, log=log, ids=(*row.ids, token), state=state, score=score, attended=attended,
                    finished=row.finished or token == self.end, length=row.length + (not row.finished),
                ))  # fmt: skip
        return sorted(made, key=lambda each: -each.score)[: self.beams]

    def run(self, start: int, state: Any) -> list[list[Sequence]]:
        """The hypotheses after each step."""
        first = Sequence(0.0, (start,), state)
        rows = [first] + [replace(first, log=-np.inf, finished=True)] * (self.beams - 1)
        found = []
        for _ in range(self.steps):
            rows = self.step(rows)
            found.append(rows)
        return found


@pytest.mark.share(4)
@pytest.mark.parametrize("seed", some_nightly(range(COUNT), range(0, COUNT, 2)))
def test_a_random_search_finds_the_sequences_of_a_search_in_lists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    beams, vocabulary, batch = (int(rng.integers(low, high)) for low, high in ((1, 5), (4, 7), (1, 4)))
    has_attention = bool(rng.random() < 0.5)
    options = {"length_penalty_weight": float(rng.choice([0.0, 0.6, 1.0]))}
    if has_attention:
        options["coverage_penalty_weight"] = float(rng.choice([0.0, 0.3]))
    vectors, h = rng.standard_normal((vocabulary, DEPTH)), rng.standard_normal((batch, UNITS))
    memory = rng.standard_normal((batch, MEMORY, 2)) if has_attention else None
    start, end, most = rng.integers(0, vocabulary, batch), int(rng.integers(0, vocabulary)), int(rng.integers(1, 8))
    seq2seq: Any = tf.contrib.seq2seq
    with tf.Graph().as_default(), tf.Session() as session:
        cell: Any = tf.nn.rnn_cell.GRUCell(UNITS)
        tokens = tf.placeholder(tf.int32, [None] if rng.random() < 0.5 else [batch])
        state = seq2seq.tile_batch(tf.constant(h), beams)
        if memory is not None:
            luong = seq2seq.LuongAttention(UNITS, seq2seq.tile_batch(tf.constant(memory), beams))
            cell = seq2seq.AttentionWrapper(cell, luong, alignment_history=True)
            state = cell.zero_state(batch * beams, tf.float64).clone(cell_state=state)
        decoder = seq2seq.BeamSearchDecoder(cell, tf.constant(vectors), tokens, end, state, beams,
                                            tf.layers.Dense(vocabulary), **options)  # fmt: skip
        outputs, last, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=most)
        values = filled(session)
        values["decoder/dense/bias"][end] += 1.0  # so that some sequences end
        tf.global_variables()[-1].load(values["decoder/dense/bias"], session)
        found, after = session.run([outputs, last], {tokens: start})
    each, chosen = found.predicted_ids, found.beam_search_decoder_output
    for row in range(batch):
        search = Search(beams, end, each.shape[1], options["length_penalty_weight"],
                        options.get("coverage_penalty_weight", 0.0), vectors, values,
                        None if memory is None else memory[row])  # fmt: skip
        zero = h[row : row + 1] if memory is None else (h[row : row + 1], np.zeros((1, 2)))
        steps = search.run(int(start[row]), zero)
        assert each[row].T.tolist() == [list(hypothesis.ids[1:]) for hypothesis in steps[-1]]
        np.testing.assert_allclose(chosen.scores[row], [[one.score for one in rows] for rows in steps], 1e-6, 1e-9)
        np.testing.assert_allclose(after.log_probs[row], [one.log for one in steps[-1]], 1e-9)
        assert after.lengths[row].tolist() == [one.length for one in steps[-1]]
        assert after.finished[row].tolist() == [one.finished for one in steps[-1]]
        if memory is not None:
            history = after.cell_state.alignment_history.reshape(each.shape[1], batch, beams, MEMORY)[:, row]
            for beam, one in enumerate(steps[-1]):
                np.testing.assert_allclose(history[: one.length, beam], one.attended[: one.length], 1e-9)
    if each.shape[1] < most:
        assert after.finished.all()
