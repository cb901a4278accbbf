// Softmax along an axis and the cross entropies, which subtract the largest number first so that no exponential overflows.

// Runs `law` on each line of `logits` along `axis`, in float32 where the dtype is a 16-bit float; it gives a new line.
function alongAxis(logits, axis, law) {
  const rank = logits.shape.length;
  if (!rank) throw new PlayError("logits must have >= 1 dimension, got []");
  if (axis < -rank || axis >= rank)
    throw new PlayError(`\`dim\` must be in the range [-${rank}, ${rank}) where ${rank} is the number of dimensions in the input. Received: dim=${axis}`);
  const along = axis < 0 ? axis + rank : axis;
  const made = zerosOf(logits.dtype, logits.shape);
  const length = logits.shape[along], step = sizeOfShape(logits.shape.slice(along + 1));
  const round = isHalfType(logits.dtype) ? Math.fround : rounderOf(logits.dtype), last = rounderOf(logits.dtype);
  for (let i = 0; i < sizeOf(logits); i++) {
    if (Math.floor(i / step) % length) continue; // not the first of its line
    const line = Array.from({ length }, (_, k) => logits.data[i + k * step]);
    law(line, round).forEach((value, k) => (made.data[i + k * step] = last(value)));
  }
  return made;
}

function shiftedLine(line, round) {
  const largest = line.reduce((a, b) => (a > b || a !== a ? a : b));
  const shifted = line.map((value) => round(value - largest));
  const powers = shifted.map((value) => round(Math.exp(value)));
  return { shifted, powers, sum: pairwiseSum(powers, 0, powers.length, round) };
}

function softmaxLine(line, round) {
  const { powers, sum } = shiftedLine(line, round);
  return powers.map((value) => value / sum);
}

function logSoftmaxLine(line, round) {
  const { shifted, sum } = shiftedLine(line, round);
  return shifted.map((value) => value - round(Math.log(sum)));
}

playOp("Softmax", { run: ([logits, axis]) => [alongAxis(logits, Number(axis), softmaxLine)] });
playOp("LogSoftmax", { run: ([logits, axis]) => [alongAxis(logits, Number(axis), logSoftmaxLine)] });

// The losses of rows and their gradients; `targets(row)` gives the labels of a row as weights of its classes.
function crossEntropies(features, targets) {
  const [rows, classes] = features.shape;
  const loss = zerosOf(features.dtype, [rows]), slope = zerosOf(features.dtype, features.shape);
  const round = isHalfType(features.dtype) ? Math.fround : rounderOf(features.dtype), last = rounderOf(features.dtype);
  for (let row = 0; row < rows && classes; row++) {
    const { shifted, powers, sum } = shiftedLine(Array.from(features.data.subarray(row * classes, (row + 1) * classes)), round);
    const log = round(Math.log(sum)), wanted = targets(row);
    const parts = shifted.map((value, k) => round(round(log - value) * wanted[k]));
    loss.data[row] = last(wanted.one === undefined ? pairwiseSum(parts, 0, classes, round) : round(log - shifted[wanted.one]));
    powers.forEach((power, k) => (slope.data[row * classes + k] = last(round(power / sum) - wanted[k])));
  }
  return [loss, slope];
}

playOp("SoftmaxCrossEntropyWithLogits", {
  run([features, labels]) {
    if (features.shape.length !== 2 || labels.shape.length !== 2)
      throw new PlayError(`logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional, not ${listed(features.shape)} and ${listed(labels.shape)}`);
    if (labels.shape.some((size, d) => size !== 1 && size !== features.shape[d]))
      throw new PlayError(`logits and labels must be broadcastable: logits_size=${listed(features.shape)} labels_size=${listed(labels.shape)}`);
    const places = broadcastPlaces(labels.shape, features.shape), classes = features.shape[1];
    const at = (i) => labels.data[places === null ? i : places[i]];
    return crossEntropies(features, (row) => Array.from({ length: classes }, (_, k) => at(row * classes + k)));
  },
});

playOp("SparseSoftmaxCrossEntropyWithLogits", {
  run([features, labels]) {
    if (features.shape.length !== 2) throw new PlayError(`logits must be 2-D, but got shape ${listed(features.shape)}`);
    const [rows, classes] = features.shape;
    if (!sameShape(labels.shape, [rows]))
      throw new PlayError(`logits and labels must have the same first dimension, got logits shape ${listed(features.shape)} and labels shape ${listed(labels.shape)}`);
    if (rows && !classes) throw new PlayError(`Must have at least one class, but got logits shape ${listed(features.shape)}`);
    const numbers = numbersOf(labels);
    const wrong = numbers.some((label) => label < 0) ? Math.min(...numbers) : Math.max(...numbers, -1);
    if (wrong < 0 && rows || wrong >= classes && rows)
      throw new PlayError(`Received a label value of ${wrong} which is outside the valid range of [0, ${classes}).  Label values: ${numbers.slice(0, 10).join(" ")}${rows > 10 ? " ..." : ""}`);
    return crossEntropies(features, (row) => Object.assign(Array.from({ length: classes }, (_, k) => Number(k === numbers[row])), { one: numbers[row] }));
  },
});
