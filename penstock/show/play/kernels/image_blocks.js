// Images cut into blocks and patches: every element of a result is one of an operand, or 0.

// For each element of a result of shape `shape` the element of `source` that `place` gives the indices of.
function placesIn(source, shape, place) {
  const steps = stridesOf(source);
  return Int32Array.from({ length: sizeOfShape(shape) }, (_, element) => {
    const at = place(placeOf(element, shape));
    return at.every((i, d) => i >= 0 && i < source[d]) ? at.reduce((sum, i, d) => sum + i * steps[d], 0) : -1;
  });
}

// The sizes of an image, of which those at `axes` must be multiples of `by`.
function sizesOfImage({ shape }, format, axes, by) {
  if (shape.length !== 4) throw new PlayError(`Input rank should be 4 instead of ${shape.length}`);
  const sizes = outOfLayout(shape, format);
  for (const axis of axes) if (sizes[axis] % by) throw new PlayError(`A size of ${listed(shape)}, ${sizes[axis]}, should be divisible by ${by}`);
  return sizes;
}

// The sizes of blocks of a batch, and what is put before and behind each axis, or cut off.
function blocksOf(input, blockShape, ends, what) {
  if (blockShape.shape.length !== 1) throw new PlayError(`block_shape must be a vector: ${listed(blockShape.shape)}`);
  const blocks = numbersOf(blockShape), pairs = numbersOf(ends), count = blocks.length;
  if (ends.shape.length !== 2 || ends.shape[0] !== count || ends.shape[1] !== 2) throw new PlayError(`${what} should have shape [${count}, 2] instead of ${listed(ends.shape)}`);
  if (input.shape.length < count + 1) throw new PlayError(`input rank should be >= ${count + 1} instead of ${input.shape.length}`);
  if (blocks.some((size) => size < 1)) throw new PlayError(`block_shape must be positive, but is ${listed(blocks)}`);
  if (pairs.some((size) => size < 0)) throw new PlayError(`${what} must be non-negative, but is [${blocks.map((_, d) => `[${pairs[2 * d]}, ${pairs[2 * d + 1]}]`).join(", ")}]`);
  return [blocks, pairs];
}

// [batch, height, width, channels] of an image in either layout, and the way back.
const inLayout = ([n, h, w, c], format) => (format === "NCHW" ? [n, c, h, w] : [n, h, w, c]);
const outOfLayout = (at, format) => (format === "NCHW" ? [at[0], at[2], at[3], at[1]] : at);

playMove("SpaceToDepth", (input, blockSize, format) => {
  const b = Number(blockSize), [n, h, w, c] = sizesOfImage(input, format, [1, 2], b);
  const shape = inLayout([n, h / b, w / b, c * b * b], format);
  const from = placesIn(input.shape, shape, (place) => {
    const [i, y, x, k] = outOfLayout(place, format), tap = Math.floor(k / c);
    return inLayout([i, y * b + Math.floor(tap / b), x * b + (tap % b), k % c], format);
  });
  return [{ shape, from }];
});

playMove("DepthToSpace", (input, blockSize, format) => {
  const b = Number(blockSize), [n, h, w, c] = sizesOfImage(input, format, [3], b * b), depth = c / (b * b);
  const shape = inLayout([n, h * b, w * b, depth], format);
  const from = placesIn(input.shape, shape, (place) => {
    const [i, y, x, k] = outOfLayout(place, format);
    return inLayout([i, Math.floor(y / b), Math.floor(x / b), ((y % b) * b + (x % b)) * depth + k], format);
  });
  return [{ shape, from }];
});

playMove("SpaceToBatchND", (input, blockShape, paddings) => {
  const [blocks, pads] = blocksOf(input, blockShape, paddings, "paddings"), count = blocks.length, [batch, ...sizes] = input.shape;
  const spatial = blocks.map((b, d) => {
    const size = sizes[d] + pads[2 * d] + pads[2 * d + 1];
    if (size % b) throw new PlayError(`padded_shape=${size} is not divisible by block_shape=${b}`);
    return size / b;
  });
  const shape = [batch * blocks.reduce((a, b) => a * b, 1), ...spatial, ...sizes.slice(count)];
  const from = placesIn(input.shape, shape, ([i, ...at]) => {
    const tap = placeOf(Math.floor(i / batch), blocks);
    return [i % batch, ...at.map((o, d) => (d < count ? o * blocks[d] + tap[d] - pads[2 * d] : o))];
  });
  return [{ shape, from }];
});

playMove("BatchToSpaceND", (input, blockShape, crops) => {
  const [blocks, cut] = blocksOf(input, blockShape, crops, "crops"), count = blocks.length, [rows, ...sizes] = input.shape;
  const whole = blocks.reduce((a, b) => a * b, 1), batch = rows / whole;
  if (rows % whole) throw new PlayError(`Input batch dimension (${rows}) is not divisible by product of block sizes (${whole})`);
  const shape = [batch, ...sizes.map((size, d) => (d < count ? size * blocks[d] - cut[2 * d] - cut[2 * d + 1] : size))];
  for (const size of shape) if (size < 0) throw new PlayError(`cropped_shape=${size} must be non-negative`);
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
