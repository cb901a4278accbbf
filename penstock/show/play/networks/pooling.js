// Pooling of images and volumes: the largest number or the mean of each window, and the gradients, as
// ops/pooling/pooling_kernels.py computes them. A window has a size and a step along every axis of the array.

// The windows over an array. Position o of an axis sees, with tap k, element o * stride + k - before.
function windowsOf(sizes, [ksize, strides, padding, pairs]) {
  const window = ksize.map(Number), steps = strides.map(Number), explicit = padding === "EXPLICIT" ? pairs.map(Number) : [];
  if (sizes.length !== window.length) throw new PlayError(`input must be ${window.length}-dimensional: ${listed(sizes)}`);
  const before = [], outputs = [];
  sizes.forEach((size, axis) => {
    const [lead, trail] = [explicit[2 * axis] || 0, explicit[2 * axis + 1] || 0], span = window[axis], step = steps[axis];
    const most = Math.max(lead, trail);
    if (most >= span && most > 0) throw new PlayError(`Padding ${most} along dimension ${axis} needs to be smaller than the window size ${span}`);
    const same = Math.ceil(size / step), count = padding === "SAME" ? same : Math.trunc((size + lead + trail - span + step) / step) + 0;
    if (count < 0) throw new PlayError(`Computed output size would be negative: ${count} [input_size: ${size}, window: ${span}, stride: ${step}] along axis ${axis}`);
    before.push(padding === "SAME" ? Math.floor(Math.max(0, (same - 1) * step + span - size) / 2) : lead);
    outputs.push(count);
  });
  return { sizes, window, steps, before, outputs };
}

// For each tap, in the order of their indices, the [position, element] pairs that it sees.
function tapsOfWindows({ sizes, window, steps, before, outputs }) {
  const strides = stridesOf(sizes), places = Array.from(countTo(sizeOfShape(outputs)), (i) => placeOf(i, outputs));
  return Array.from(countTo(sizeOfShape(window)), (number) => {
    const tap = placeOf(number, window), seen = [];
    places.forEach((place, position) => {
      const at = place.map((o, axis) => o * steps[axis] + tap[axis] - before[axis]);
      if (at.every((i, axis) => i >= 0 && i < sizes[axis])) seen.push([position, at.reduce((sum, i, axis) => sum + i * strides[axis], 0)]);
    });
    return seen;
  });
}

function requirePositions(type, what, tensor, { outputs }) {
  if (!sameShape(tensor.shape, outputs)) throw new PlayError(`${type}: Expected ${what} shape to be ${listed(outputs)}, but got ${listed(tensor.shape)}`);
}

// What every maximum begins with: the smallest finite number.
function lowestOf(dtype) {
  if (isFloatType(dtype)) return dtype === "bfloat16" ? -Infinity : -LARGEST_FLOATS[dtype];
  return isBigType(dtype) ? intRange(dtype)[0] : Number(intRange(dtype)[0]);
}

// The largest number of each position, and the number of the tap that sees it (-1 where no tap sees an element).
function largestOfWindows(x, windows, taps) {
  const made = filledTensor(x.dtype, windows.outputs, lowestOf(x.dtype)), winners = new Int32Array(sizeOf(made)).fill(-1);
  taps.forEach((seen, number) => {
    for (const [position, element] of seen) {
      const isLarger = x.data[element] > made.data[position];
      if (isLarger) made.data[position] = x.data[element];
      if (isLarger || winners[position] < 0) winners[position] = number;
    }
  });
  return { made, winners };
}

// A gradient in the shape of the array: `share(position, element, tap)` is what a tap hands to its element. The taps
// backwards are the order of the windows; where windows do not overlap, an element has the share as it is.
function handedBack(dtype, windows, taps, share) {
  const made = zerosOf(widenedType(dtype), windows.sizes), overlap = windows.window.some((size, axis) => size > windows.steps[axis]);
  for (let number = taps.length - 1; number >= 0; number--)
    for (const [position, element] of taps[number]) {
      const part = share(position, element, number);
      if (overlap) made.data[element] += part;
      else made.data[element] = part;
    }
  return narrowed(made, dtype);
}

// For each position the elements that its window sees; for each element the positions of the windows that hand it a share.
function seenByPosition(operand, windows, taps) {
  const seen = Array.from(countTo(sizeOfShape(windows.outputs)), () => []);
  for (const pairs of taps) for (const [position, element] of pairs) seen[position].push([operand, element]);
  return seen;
}

function seenByElement(operand, windows, taps, isChosen) {
  const seen = Array.from(countTo(sizeOfShape(windows.sizes)), () => []);
  taps.forEach((pairs, number) => pairs.forEach(([position, element]) => { if (isChosen(position, element, number)) seen[element].push([operand, position]); }));
  return seen;
}

// [ksize, strides, padding, pairs] of an op's attributes; those of volumes have no pairs. The layout says nothing here.
const ofImages = (attrs) => attrs.slice(0, 4);
const withoutPairs = ([ksize, strides, padding]) => [ksize, strides, padding, []];

// ---- the largest number

// Which tap gets the gradient of a position: of images the first that sees the largest number, of volumes all of them.
const firstLargest = (x, y, windows, taps) => {
  const { winners } = largestOfWindows(x, windows, taps);
  return (position, element, number) => winners[position] === number;
};
const equalToLargest = (x, y) => (position, element) => x.data[element] === y.data[position];

const windowsAndTaps = (shape, attrs) => {
  const windows = windowsOf(shape, attrs);
  return [windows, tapsOfWindows(windows)];
};

const maxPool = (attributes) => ({
  run: ([x, ...attrs]) => [largestOfWindows(x, ...windowsAndTaps(x.shape, attributes(attrs))).made],
  moves: ([x, ...attrs]) => [seenByPosition(0, ...windowsAndTaps(x.shape, attributes(attrs)))],
});

const maxPoolGrad = (type, attributes, chosen) => ({
  run([x, y, g, ...attrs]) {
    const [windows, taps] = windowsAndTaps(x.shape, attributes(attrs));
    requirePositions(type, "orig_output", y, windows);
    requirePositions(type, "grad", g, windows);
    const isChosen = chosen(x, y, windows, taps), zero = zeroOf(x.dtype);
    return [handedBack(x.dtype, windows, taps, (position, element, number) => (isChosen(position, element, number) ? g.data[position] : zero))];
  },
  moves([x, y, g, ...attrs]) {
    const [windows, taps] = windowsAndTaps(x.shape, attributes(attrs));
    return [seenByElement(2, windows, taps, chosen(x, y, windows, taps))];
  },
});

// For each position the first element of its window that is the largest number there.
function firstEqual(x, y, windows, taps) {
  const from = new Array(sizeOfShape(windows.outputs)).fill(null), isEqual = equalToLargest(x, y);
  for (let number = taps.length - 1; number >= 0; number--)
    for (const [position, element] of taps[number]) if (isEqual(position, element)) from[position] = element;
  return from;
}

const maxPoolGradGrad = (type, attributes) => ({
  run([x, y, h, ...attrs]) {
    const [windows, taps] = windowsAndTaps(x.shape, attributes(attrs)), made = zerosOf(h.dtype, windows.outputs);
    requirePositions(type, "orig_output", y, windows);
    if (!sameShape(h.shape, x.shape)) throw new PlayError(`${type}: Expected grad shape to be ${listed(x.shape)}, but got ${listed(h.shape)}`);
    firstEqual(x, y, windows, taps).forEach((element, position) => { if (element !== null) made.data[position] = h.data[element]; });
    return [made];
  },
  moves: ([x, y, h, ...attrs]) => [firstEqual(x, y, ...windowsAndTaps(x.shape, attributes(attrs))).map((element) => (element === null ? null : [2, element]))],
});

playOp("MaxPool", maxPool(ofImages));
playOp("MaxPoolGrad", maxPoolGrad("MaxPoolGrad", ofImages, firstLargest));
playOp("MaxPoolGradGrad", maxPoolGradGrad("MaxPoolGradGrad", ofImages));
playOp("MaxPool3D", maxPool(withoutPairs));
playOp("MaxPool3DGrad", maxPoolGrad("MaxPool3DGrad", withoutPairs, equalToLargest));
playOp("MaxPool3DGradGrad", maxPoolGradGrad("MaxPool3DGradGrad", withoutPairs));

// ---- the mean

// How many taps see an element at each position.
function countsOfPositions(windows, taps) {
  const counts = new Float64Array(sizeOfShape(windows.outputs));
  for (const pairs of taps) for (const [position] of pairs) counts[position]++;
  return counts;
}

const avgPool = {
  run([x, ...attrs]) {
    const [windows, taps] = windowsAndTaps(x.shape, withoutPairs(attrs)), counts = countsOfPositions(windows, taps);
    const made = zerosOf(widenedType(x.dtype), windows.outputs);
    for (const pairs of taps) for (const [position, element] of pairs) made.data[position] += x.data[element];
    counts.forEach((count, position) => (made.data[position] /= count));
    return [narrowed(made, x.dtype)];
  },
  moves: ([x, ...attrs]) => [seenByPosition(0, ...windowsAndTaps(x.shape, withoutPairs(attrs)))],
};

const avgPoolGrad = (type) => {
  const found = (sizes, attrs) => {
    const entries = numbersOf(sizes);
    if (rankOf(sizes) !== 1) throw new PlayError(`${type}: orig_input_shape must be 1-dimensional, not ${rankOf(sizes)}`);
    if (entries.some((entry) => entry < 0)) throw new PlayError(`${type}: sizes must not be negative: ${listed(entries)}`);
    return windowsAndTaps(entries, withoutPairs(attrs));
  };
  return {
    run([sizes, g, ...attrs]) {
      const [windows, taps] = found(sizes, attrs), counts = countsOfPositions(windows, taps), parts = zerosOf(widenedType(g.dtype), g.shape);
      requirePositions(type, "grad", g, windows);
      counts.forEach((count, position) => (parts.data[position] = g.data[position] / count));
      return [handedBack(g.dtype, windows, taps, (position) => parts.data[position])];
    },
    moves: ([sizes, g, ...attrs]) => [seenByElement(1, ...found(sizes, attrs), () => true)],
  };
};

playOp("AvgPool", avgPool);
playOp("AvgPoolGrad", avgPoolGrad("AvgPoolGrad"));
playOp("AvgPool3D", avgPool);
playOp("AvgPool3DGrad", avgPoolGrad("AvgPool3DGrad"));
