// Images cut into blocks, patches and pixels of another size: every element of a result is one of an operand, or 0.

// For each element of a result of shape `shape` the element of `source` that `place` gives the indices of.
function placesIn(source, shape, place) {
  const steps = stridesOf(source);
  return Int32Array.from({ length: sizeOfShape(shape) }, (_, element) => {
    const at = place(placeOf(element, shape));
    return at.every((i, d) => i >= 0 && i < source[d]) ? at.reduce((sum, i, d) => sum + i * steps[d], 0) : -1;
  });
}

function requireMultiple(size, block, what) {
  if (size % block) throw new PlayError(`${what} ${size} is no multiple of ${block}`);
  return size / block;
}

// [batch, height, width, channels] of an image in either layout, and the way back.
const inLayout = ([n, h, w, c], format) => (format === "NCHW" ? [n, c, h, w] : [n, h, w, c]);
const outOfLayout = (at, format) => (format === "NCHW" ? [at[0], at[2], at[3], at[1]] : at);

playMove("SpaceToDepth", (input, blockSize, format) => {
  const b = Number(blockSize), [n, h, w, c] = outOfLayout(input.shape, format);
  const shape = inLayout([n, requireMultiple(h, b, "the height"), requireMultiple(w, b, "the width"), c * b * b], format);
  const from = placesIn(input.shape, shape, (place) => {
    const [i, y, x, k] = outOfLayout(place, format), tap = Math.floor(k / c);
    return inLayout([i, y * b + Math.floor(tap / b), x * b + (tap % b), k % c], format);
  });
  return [{ shape, from }];
});

playMove("DepthToSpace", (input, blockSize, format) => {
  const b = Number(blockSize), [n, h, w, c] = outOfLayout(input.shape, format), depth = requireMultiple(c, b * b, "the number of channels");
  const shape = inLayout([n, h * b, w * b, depth], format);
  const from = placesIn(input.shape, shape, (place) => {
    const [i, y, x, k] = outOfLayout(place, format);
    return inLayout([i, Math.floor(y / b), Math.floor(x / b), ((y % b) * b + (x % b)) * depth + k], format);
  });
  return [{ shape, from }];
});

playMove("SpaceToBatchND", (input, blockShape, paddings) => {
  const blocks = numbersOf(blockShape), pads = numbersOf(paddings), count = blocks.length, [batch, ...sizes] = input.shape;
  const spatial = blocks.map((b, d) => requireMultiple(sizes[d] + pads[2 * d] + pads[2 * d + 1], b, "a padded size"));
  const shape = [batch * blocks.reduce((a, b) => a * b, 1), ...spatial, ...sizes.slice(count)];
  const from = placesIn(input.shape, shape, ([i, ...at]) => {
    const tap = placeOf(Math.floor(i / batch), blocks);
    return [i % batch, ...at.map((o, d) => (d < count ? o * blocks[d] + tap[d] - pads[2 * d] : o))];
  });
  return [{ shape, from }];
});

playMove("BatchToSpaceND", (input, blockShape, crops) => {
  const blocks = numbersOf(blockShape), cut = numbersOf(crops), count = blocks.length, [rows, ...sizes] = input.shape;
  const batch = requireMultiple(rows, blocks.reduce((a, b) => a * b, 1), "the batch");
  const shape = [batch, ...sizes.map((size, d) => (d < count ? size * blocks[d] - cut[2 * d] - cut[2 * d + 1] : size))];
  if (shape.some((size) => size < 0)) throw new PlayError("crops are larger than a size");
  const from = placesIn(input.shape, shape, ([i, ...at]) => {
    const wide = blocks.map((b, d) => at[d] + cut[2 * d]);
    const tap = wide.reduce((sum, o, d) => sum * blocks[d] + (o % blocks[d]), 0);
    return [tap * batch + i, ...at.map((o, d) => (d < count ? Math.floor(wide[d] / blocks[d]) : o))];
  });
  return [{ shape, from }];
});

playMove("ExtractImagePatches", (images, ksizes, strides, rates, padding) => {
  const [, kh, kw] = ksizes.map(Number), steps = strides.map(Number), apart = rates.map(Number), channels = images.shape[3];
  const spans = [1, (kh - 1) * apart[1] + 1, (kw - 1) * apart[2] + 1, 1];
  const { before, outputs } = windowsOf(images.shape, [spans, steps, padding]);
  const shape = [...outputs.slice(0, 3), kh * kw * channels];
  const from = placesIn(images.shape, shape, ([i, y, x, k]) => {
    const tap = Math.floor(k / channels);
    return [i, y * steps[1] + Math.floor(tap / kw) * apart[1] - before[1], x * steps[2] + (tap % kw) * apart[2] - before[2], k % channels];
  });
  return [{ shape, from }];
});

// ---- another size

// Where the positions of a resized axis lie on the old one, in float32 as ops/images/resizing_kernels.py.
function placesOfAxis(old, size, corners, half, isBetween) {
  const scale = Math.fround(corners && size > 1 ? (old - 1) / (size - 1) : old / size);
  return Array.from(countTo(size), (i) => {
    if (!half) return Math.fround(i * scale);
    const at = Math.fround((i + 0.5) * scale);
    return isBetween ? Math.fround(at - 0.5) : at;
  });
}

function resizedShape(images, size) {
  if (images.shape.length !== 4) throw new PlayError(`input must be 4-dimensional${listed(images.shape)}`);
  const [height, width] = numbersOf(size);
  if (height <= 0 || width <= 0) throw new PlayError("output dimensions must be positive");
  return [images.shape[0], height, width, images.shape[3]];
}

playMove("ResizeNearestNeighbor", (images, size, corners, half) => {
  const shape = resizedShape(images, size);
  const [rows, columns] = [1, 2].map((d) => placesOfAxis(images.shape[d], shape[d], corners, half, false).map((at) => {
    const whole = Math.floor(corners ? Math.fround(at + 0.5) : at);
    return Math.min(Math.max(whole, 0), Math.max(images.shape[d] - 1, 0));
  }));
  return [{ shape, from: placesIn(images.shape, shape, ([i, y, x, c]) => [i, rows[y], columns[x], c]) }];
});
