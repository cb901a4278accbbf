"""`tf.contrib.learn.preprocessing`: words as numbers, in order of their first occurrence."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..api.missing_names import add_hints as _add_hints
from ..errors import ValueRuleError

_TOKEN = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


class CategoricalVocabulary:
    """Words and their numbers; 0 is the unknown word.

    Args:
        unknown_token: the word of number 0.
        support_reverse: taken for programs that give it; `reverse` always works.

    >>> import penstock as tf
    >>> words = tf.contrib.learn.preprocessing.CategoricalVocabulary()
    >>> words.get("a"), words.get("b"), words.get("a"), words.reverse(2), len(words)
    (1, 2, 1, 'b', 3)

    Source: TensorFlow 1.x, `tf.contrib.learn.preprocessing.CategoricalVocabulary`.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: list[Any] = [unknown_token]
        self._freq: Counter[Any] = Counter()
        self._is_frozen = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Whether words that are not known stay unknown."""
        self._is_frozen = freeze

    def get(self, category: Any) -> int:
        """The number of a word; a new word gets the next one, or 0 if the vocabulary is frozen."""
        if category not in self._mapping:
            if self._is_frozen:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Numbers the words anew by how often they were counted, and drops those that are too rare or too frequent."""
        listed = sorted(sorted(self._freq.items(), key=lambda each: str(each[0])), key=lambda each: -each[1])
        highest = max_frequency if max_frequency >= 0 else float("inf")
        kept = [word for word, count in listed if min_frequency < count < highest]
        self._reverse_mapping = [self._unknown_token, *kept]
        self._mapping = {word: number for number, word in enumerate(self._reverse_mapping)}
        self._freq = Counter({word: self._freq[word] for word in kept})

    def reverse(self, class_id: int) -> Any:
        """The word of a number."""
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Documents as rows of the numbers of their words.

    Args:
        max_document_length: the size of a row; longer documents are cut, shorter ones end with 0.
        min_frequency: words that occur no more often in `fit` are unknown.
        vocabulary: a CategoricalVocabulary; a new one by default.
        tokenizer_fn: a function of documents that gives their words; by default words are runs of letters, digits, `-`
            and `'`.

    Raises:
        ValueError: `restore` finds no vocabulary of `save`.

    >>> import penstock as tf
    >>> documents = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
    >>> [row.tolist() for row in documents.fit_transform(["I like it", "I like that one, too"])]
    [[1, 2, 3, 0], [1, 2, 4, 5]]
    >>> len(documents.vocabulary_)
    7

    Source: TensorFlow 1.x, `tf.contrib.learn.preprocessing.VocabularyProcessor`.
    """

    def __init__(
        self, max_document_length: int, min_frequency: int = 0, vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[list[str]]] | None = None,
    ) -> None:  # fmt: skip
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of documents."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[npt.NDArray[np.int64]]:
        """Learns the words of documents and gives their rows."""
        documents = list(raw_documents)
        self.fit(documents)
        return self.transform(documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[npt.NDArray[np.int64]]:
        """The row of each document."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            numbers = [self.vocabulary_.get(word) for word in words[: self.max_document_length]]
            row[: len(numbers)] = numbers
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of each row."""
        for row in documents:
            yield " ".join(str(self.vocabulary_.reverse(int(number))) for number in row)

    def save(self, filename: str) -> None:
        """Writes the words and the settings to a file, as JSON."""
        words = self.vocabulary_
        told = {
            "max_document_length": self.max_document_length, "min_frequency": self.min_frequency,
            "words": words._reverse_mapping, "frozen": words._is_frozen,
            "counts": [words._freq[word] for word in words._reverse_mapping],
        }  # fmt: skip
        Path(filename).write_text(json.dumps(told), "utf-8")

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """What `save` wrote; not the pickles of TensorFlow, which run code when they are read."""
        try:
            told = json.loads(Path(filename).read_text("utf-8"))
            first, *others = told["words"]
        except (UnicodeDecodeError, ValueError, KeyError, TypeError):
            raise ValueRuleError(f"{filename} holds no vocabulary that save wrote here; fit one again") from None
        words = CategoricalVocabulary(first)
        for word in others:
            words.get(word)
        words._freq = Counter({word: count for word, count in zip(told["words"], told["counts"], strict=True) if count})
        words.freeze(told["frozen"])
        return cls(told["max_document_length"], told["min_frequency"], words)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each document: runs of letters, digits, `-` and `'`.

    >>> from penstock.contrib.preprocessing import tokenizer
    >>> list(tokenizer(["Don't stop, re-read."]))
    [["Don't", 'stop', 're-read']]

    Source: TensorFlow 1.x, `tf.contrib.learn.preprocessing.tokenizer`.
    """
    for document in iterator:
        yield _TOKEN.findall(document)


__all__ = ["CategoricalVocabulary", "VocabularyProcessor", "tokenizer"]

_add_hints(__name__)
