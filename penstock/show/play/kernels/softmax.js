// Softmax along an axis, its logarithm, and the cross entropies of a softmax.

// What a kernel makes of its arguments.
const computed = (type, ...args) => PLAY_KERNELS.get(type).run(args)[0];

// An axis as reductions take it.
const axisTensor = (axis) => int32Of([1], [axis]);

function softmaxAxis(logits, axis) {
  const rank = rankOf(logits);
  if (!rank) throw new PlayError("logits must have >= 1 dimension, got []");
  if (axis < -rank || axis >= rank)
    throw new PlayError(`\`dim\` must be in the range [-${rank}, ${rank}) where ${rank} is the number of dimensions in the input. Received: dim=${axis}`);
  return axis < 0 ? axis + rank : axis;
}

// The logits less the largest one of their line, the powers of e of these, and the sums of the powers.
function shiftedPowers(logits, axis) {
  const shifted = sizeOf(logits) ? computed("Sub", logits, computed("Max", logits, axisTensor(axis), true)) : logits;
  const powers = computed("Exp", shifted);
  return { shifted, powers, sums: computed("Sum", powers, axisTensor(axis), true) };
}

// `finish(shifted, powers, sums)` makes the result; each element depends on all of its line.
function playSoftmax(type, finish) {
  playOp(type, {
    run([logits, axis]) {
      const at = softmaxAxis(logits, Number(axis));
      return [narrowed(finish(shiftedPowers(widened(logits), at)), logits.dtype)];
    },
    moves([logits, axis]) {
      const origins = new Array(sizeOf(logits));
      for (const line of reducedGroups(logits.shape, [softmaxAxis(logits, Number(axis))], false).groups)
        for (const element of line) origins[element] = line.map((each) => [0, each]);
      return [origins];
    },
  });
}

playSoftmax("Softmax", ({ powers, sums }) => computed("RealDiv", powers, sums));
playSoftmax("LogSoftmax", ({ shifted, sums }) => computed("Sub", shifted, computed("Log", sums)));

// ---- cross entropies: the loss of each row, and its gradient

playOp("SoftmaxCrossEntropyWithLogits", {
  run([features, labels]) {
    checkProbabilities(features, labels);
    const logits = widened(features), wanted = computed("BroadcastTo", widened(labels), int32Of([2], features.shape));
    const { shifted, powers, sums } = shiftedPowers(logits, 1);
    const losses = computed("Mul", computed("Sub", computed("Log", sums), shifted), wanted);
    const gradient = computed("Sub", computed("RealDiv", powers, sums), wanted);
    return [computed("Sum", losses, axisTensor(1), false), gradient].map((each) => narrowed(each, features.dtype));
  },
  moves([features, labels]) {
    const [rows, classes] = features.shape, [repeatsRows, repeatsClasses] = labels.shape.map((size) => size === 1);
    const labelAt = (row, k) => [1, (repeatsRows ? 0 : row) * labels.shape[1] + (repeatsClasses ? 0 : k)];
    const rowOrigins = (row) => Array.from(countTo(classes), (k) => [0, row * classes + k]);
    const losses = Array.from(countTo(rows), (row) => [...rowOrigins(row), ...Array.from(countTo(repeatsClasses ? 1 : classes), (k) => labelAt(row, k))]);
    const gradient = Array.from(countTo(rows * classes), (e) => [...rowOrigins(Math.floor(e / classes)), labelAt(Math.floor(e / classes), e % classes)]);
    return [losses, gradient];
  },
});

function checkProbabilities(features, labels) {
  const [size, labelSize] = [features, labels].map((each) => listed(each.shape));
  if (rankOf(features) !== 2 || rankOf(labels) !== 2)
    throw new PlayError(`logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional, not ${size} and ${labelSize}`);
  if (labels.shape.some((count, d) => count !== 1 && count !== features.shape[d]))
    throw new PlayError(`logits and labels must be broadcastable: logits_size=${size} labels_size=${labelSize}`);
}

playOp("SparseSoftmaxCrossEntropyWithLogits", {
  run([features, labels]) {
    const classes = checkedClasses(features, labels), [rows, width] = features.shape;
    const { shifted, powers, sums } = shiftedPowers(widened(features), 1);
    const logs = computed("Log", sums), places = classes.map((k, row) => row * width + k);
    const losses = computed("Sub", withShape(logs, [rows]), taken(shifted, [rows], places));
    const gradient = computed("RealDiv", powers, sums);
    for (const place of places) gradient.data[place] -= 1;
    return [losses, gradient].map((each) => narrowed(each, features.dtype));
  },
  moves([features]) {
    const [rows, width] = features.shape;
    const rowOrigins = (row) => Array.from(countTo(width), (k) => [0, row * width + k]);
    return [Array.from(countTo(rows), rowOrigins), Array.from(countTo(rows * width), (e) => rowOrigins(Math.floor(e / width)))];
  },
});

function checkedClasses(features, labels) {
  if (rankOf(features) !== 2) throw new PlayError(`logits must be 2-D, but got shape ${listed(features.shape)}`);
  if (!sameShape(labels.shape, features.shape.slice(0, 1)))
    throw new PlayError(`logits and labels must have the same first dimension, got logits shape ${listed(features.shape)} and labels shape ${listed(labels.shape)}`);
  const [rows, width] = features.shape, classes = numbersOf(labels);
  if (rows && !width) throw new PlayError(`Must have at least one class, but got logits shape ${listed(features.shape)}`);
  const least = Math.min(...classes), most = Math.max(...classes);
  if (rows && (least < 0 || most >= width))
    throw new PlayError(
      `Received a label value of ${least < 0 ? least : most} which is outside the valid range of [0, ${width}).  Label values: ${classes.slice(0, 10).join(" ")}${rows > 10 ? " ..." : ""}`,
    );
  return classes;
}
