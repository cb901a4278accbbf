// Random ops that try again: gamma numbers, candidate samplers, parts of images. The words and the order in which they are
// used are those of ops/random/random_gamma.py, ops/candidates and ops/images/distorted_boxes.py.

// ---- gamma distributions, by rejection from a normal number (Marsaglia and Tsang)

// A number with the shape `alpha`, from the blocks that begin at `block`; NaN where none would ever be accepted.
function gammaNumber(at, block, alpha) {
  if (!(alpha >= 0)) return NaN;
  let next = block;
  const kept = { normal: [], uniform: [] }; // two numbers of each block, of which the second comes first
  const number = (kind, pair) => {
    if (!kept[kind].length) kept[kind] = pair(blockAt(at, next++));
    return kept[kind].pop();
  };
  const uniform = () => number("uniform", ([w0, w1, w2, w3]) => [uniform64(w0, w1), uniform64(w2, w3)]);
  const normal = () => number("normal", (words) => normalPair64(...words));
  if (alpha === 1) return -Math.log1p(-uniform());
  const d = alpha + (alpha < 1 ? 2 / 3 : -1 / 3), c = 1 / 3 / Math.sqrt(d);
  for (;;) {
    const x = normal(), root = 1 + c * x;
    if (!(root > 0)) continue;
    const v = root * root * root, u = uniform();
    if (!(u < 1 - 0.0331 * (x * x) * (x * x) || Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v)))) continue;
    return alpha < 1 ? d * v * uniform() ** (1 / alpha) : d * v;
  }
}

playOp("RandomGamma", {
  run([dims, alpha, ...seeds], call) {
    const sizes = sizesIn(dims), shape = possibleSizes([...sizes, ...alpha.shape]), samples = sizeOfShape(sizes), count = sizeOf(alpha);
    const at = takeBlocks(call, seeds, sizeOfShape(shape) * RESERVED_BLOCKS), made = zerosOf("float64", shape);
    for (let k = 0; k < count; k++) for (let i = 0; i < samples; i++) made.data[i * count + k] = gammaNumber(at, (k * samples + i) * RESERVED_BLOCKS, Number(alpha.data[k]));
    return [castTensor(made, alpha.dtype)];
  },
});

// ---- words one after the other

// The words from a place in a stream: `word()` is the next one, `below(bound, bits)` an int in [0, bound) of 32 or 64 bits.
function wordStream(at) {
  let used = 0, block = [];
  const word = () => {
    if (used % 4 === 0) block = blockAt(at, used / 4);
    return block[used++ % 4];
  };
  // A value of the range that is drawn more often than others is drawn again.
  const below = (bound, bits) => {
    const wide = BigInt(bound), isPower = (wide & (wide - 1n)) === 0n, most = (1n << BigInt(bits)) - 1n, rejected = isPower ? 0n : (most % wide) + 1n;
    for (;;) {
      const low = BigInt(word()), drawn = bits === 64 ? low | (BigInt(word()) << 32n) : low;
      if (drawn >= rejected) return Number(drawn % wide);
    }
  };
  return { word, below, float: () => uniform32(word()), double: () => { const first = word(); return uniform64(first, word()); } };
}

// ---- candidate samplers: a few classes of many

const BLOCKS_OF_A_CANDIDATE = 512;

function requireClasses(classes, numTrue, numSampled, unique, most) {
  if (rankOf(classes) !== 2) throw new PlayError(`true_classes must be a matrix, got shape ${listed(classes.shape)}`);
  if (classes.shape[1] !== numTrue) throw new PlayError(`true_classes must have num_true columns, expected: ${classes.shape[1]} was: ${numTrue}`);
  if (unique && numSampled > most) throw new PlayError(`Sampler's range is too small: ${numSampled} different classes are wanted of ${most}`);
  const wrong = Array.from(classes.data).find((each) => each < 0n || each >= BigInt(most));
  if (wrong !== undefined) throw new PlayError(`\`true_candidate\` out of range [0, ${most}), received ${wrong}`);
}

// The classes, how often each true one is expected among them, how often each of them is.
function sampledClasses(call, seeds, classes, numSampled, unique, sampler) {
  const stream = wordStream(takeBlocks(call, seeds, numSampled * BLOCKS_OF_A_CANDIDATE)), found = [], seen = new Set();
  let draws = 0;
  while (found.length < numSampled) {
    const drawn = sampler.draw(stream);
    draws++;
    if (unique && seen.has(drawn)) continue;
    seen.add(drawn);
    found.push(drawn);
  }
  const expected = (shape, numbers) => {
    const counts = Float32Array.from(numbers, (each) => {
      const p = Math.fround(sampler.probability(each));
      return draws === numSampled ? Math.fround(p * numSampled) : -Math.fround(Math.expm1(Math.fround(draws * Math.fround(Math.log1p(-p)))));
    });
    return tensorOf("float32", shape, counts);
  };
  return [tensorOf("int64", [numSampled], BigInt64Array.from(found, BigInt)), expected(classes.shape, numbersOf(classes)), expected([numSampled], found)];
}

const uniformClasses = (count) => ({ draw: (stream) => stream.below(count, 64), probability: () => 1 / count });

const logUniformClasses = (count) => {
  const logCount = Math.log1p(count);
  return {
    draw: (stream) => (Math.trunc(Math.exp(stream.double() * logCount)) - 1) % count,
    probability: (each) => Math.log((each + 2) / (each + 1)) / logCount,
  };
};

const ofRange = (sampler) => ({
  run([classes, numTrue, numSampled, unique, most, ...seeds], call) {
    requireClasses(classes, Number(numTrue), Number(numSampled), unique, Number(most));
    return sampledClasses(call, seeds, classes, Number(numSampled), unique, sampler(Number(most)));
  },
});

playOp("UniformCandidateSampler", ofRange(uniformClasses));
playOp("LogUniformCandidateSampler", ofRange(logUniformClasses));

playOp("AllCandidateSampler", {
  run([classes, numTrue, numSampled, unique, ...seeds], call) {
    const count = Number(numSampled), ones = (shape) => filledTensor("float32", shape, 1);
    requireClasses(classes, Number(numTrue), count, unique, count);
    takeBlocks(call, seeds, count * BLOCKS_OF_A_CANDIDATE);
    return [tensorOf("int64", [count], BigInt64Array.from(Array.from(countTo(count)), BigInt)), ones(classes.shape), ones([count])];
  },
});

// Sampled classes that are true ones: of equal candidates the last one counts.
playOp("ComputeAccidentalHits", {
  run([classes, sampled, numTrue]) {
    if (rankOf(classes) !== 2 || classes.shape[1] !== Number(numTrue))
      throw new PlayError(`true_classes must be a matrix with num_true = ${numTrue} columns, got shape ${listed(classes.shape)}`);
    if (rankOf(sampled) !== 1) throw new PlayError(`sampled_candidates must be a vector, which is typically an output from CandidateSampler, got shape ${listed(sampled.shape)}`);
    const places = new Map(Array.from(sampled.data, (each, place) => [each, place])), hits = [];
    Array.from(classes.data).forEach((each, i) => { if (places.has(each)) hits.push([Math.floor(i / classes.shape[1]), places.get(each)]); });
    const shape = [hits.length];
    return [
      tensorOf("int32", shape, Int32Array.from(hits, ([row]) => row)),
      tensorOf("int64", shape, BigInt64Array.from(hits, ([, place]) => BigInt(place))),
      filledTensor("float32", shape, -LARGEST_FLOATS.float32),
    ];
  },
});

// ---- a part of an image that shows enough of its objects

const areaOf = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

function commonArea(one, other) {
  const [left, top] = [Math.max(one.left, other.left), Math.max(one.top, other.top)];
  const [right, bottom] = [Math.min(one.right, other.right), Math.min(one.bottom, other.bottom)];
  return left > right || top > bottom ? 0 : areaOf({ left, top, right, bottom });
}

// A part of an image with that ratio of width to height; null where the roundings leave the range of areas. All in float32.
function randomPart(stream, width, height, [least, largest], ratio) {
  if (width <= 0 || height <= 0) return null;
  const { fround, sqrt } = Math, rounded = roundHalfToEven, wideOf = (tall) => rounded(fround(fround(tall) * ratio));
  let tall = rounded(fround(sqrt(fround(least / ratio)))), tallest = rounded(fround(sqrt(fround(largest / ratio))));
  if (wideOf(tallest) > width) { // the largest that is not too wide when it is rounded
    tallest = Math.trunc(fround(fround(width + 0.5 - 0.0000001) / ratio));
    if (wideOf(tallest) > width) tallest--;
  }
  tallest = Math.min(tallest, height);
  tall = Math.min(tall, tallest);
  if (tall < tallest) tall += stream.below(tallest - tall + 1, 32);
  let wide = wideOf(tall);
  if (fround(wide * tall) < least) wide = wideOf(++tall);
  if (fround(wide * tall) > largest) wide = wideOf(--tall);
  const area = fround(wide * tall);
  if (!(least <= area && area <= largest) || !(wide > 0 && wide <= width) || !(tall > 0 && tall <= height)) return null;
  const top = tall < height ? stream.below(height - tall, 32) : 0, left = wide < width ? stream.below(width - wide, 32) : 0;
  return { left, top, right: left + wide, bottom: top + tall };
}

playOp("SampleDistortedBoundingBoxV2", {
  run([sizes, boxes, covered, ratios, areas, attempts, whole, ...seeds], call) {
    if (!sameShape(sizes.shape, [3])) throw new PlayError(`image_size must contain 3 elements, but has shape ${listed(sizes.shape)}`);
    if (rankOf(boxes) !== 3 || boxes.shape[2] !== 4) throw new PlayError(`bounding_boxes must have shape [batch, boxes, 4], got shape ${listed(boxes.shape)}`);
    if (rankOf(covered)) throw new PlayError(`min_object_covered must be a scalar, got shape ${listed(covered.shape)}`);
    const stream = wordStream(takeBlocks(call, seeds, Number(attempts))), { fround } = Math, [height, width] = numbersOf(sizes);
    const image = { left: 0, top: 0, right: width, bottom: height };
    const ends = Array.from(boxes.data, (share, i) => Math.trunc(fround(share * (i % 2 ? width : height))));
    if (Array.from(boxes.data).some((share) => !(share >= 0 && share <= 1))) throw new PlayError("All bounding box coordinates must be in [0.0, 1.0]");
    let objects = Array.from({ length: ends.length / 4 }, (_, i) => ({ top: ends[4 * i], left: ends[4 * i + 1], bottom: ends[4 * i + 2], right: ends[4 * i + 3] }));
    if (!objects.length) {
      if (!whole) throw new PlayError("No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes.");
      objects = [image];
    }
    const [least, largest] = ratios.map((each) => fround(Number(each))), range = areas.map((share) => fround(fround(fround(Number(share)) * fround(width)) * fround(height)));
    const shows = (part) => objects.some((each) => areaOf(each) >= 1 && fround(fround(commonArea(part, each)) / fround(areaOf(each))) >= covered.data[0]);
    let found = null;
    for (let i = 0; i < Number(attempts) && !found; i++) {
      const part = randomPart(stream, width, height, range, fround(fround(stream.float() * fround(largest - least)) + least));
      if (part && areaOf(part) >= 1 && shows(part)) found = part;
    }
    const { left, top, right, bottom } = found || image, vector = (numbers) => castTensor(tensorOf("float64", [3], Float64Array.from(numbers)), sizes.dtype);
    const box = Float32Array.from([top, left, bottom, right], (end, i) => fround(end) / fround(i % 2 ? width : height));
    return [vector([top, left, 0]), vector([bottom - top, right - left, -1]), tensorOf("float32", [1, 1, 4], box)];
  },
});
