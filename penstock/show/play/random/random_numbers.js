// Random ops: the numbers that the session would draw. A stream of random blocks (Philox 4x32-10, as ops/random/philox.py)
// belongs to each node; a run begins where the last one ended. The formulas are those of ops/random/normal_formulas.py, each
// operation rounded by itself, so the numbers have the same bits.

const RESERVED_BLOCKS = 256; // for each number of a distribution
const MASK_64 = (1n << 64n) - 1n, MASK_128 = (1n << 128n) - 1n;

// The place of the next `count` blocks of a node's stream: [key, counter]. A node without a stream begins at its seeds.
function takeBlocks({ node, stream }, seeds, count) {
  if (stream) return stream; // of an op without a state
  const { seeds: [key, half], at } = randomStreams.starts.get(node) || { seeds: seeds.map(BigInt), at: 0n }, drawn = randomStreams.drawn.get(node) || 0n;
  randomStreams.drawn.set(node, drawn + BigInt(count));
  return [key & MASK_64, (((half & MASK_64) << 64n) + at + drawn) & MASK_128];
}

// What the calls of a node have kept so far, and what they keep now.
const keptOf = ({ node }) => randomStreams.kept.get(node) || (randomStreams.starts.get(node) || { kept: null }).kept;
const keepFor = ({ node }, kept) => randomStreams.kept.set(node, kept);

function highProduct(a, b) {
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16, low = a0 * b0, left = a1 * b0, right = a0 * b1;
  const middle = (low >>> 16) + (left & 0xffff) + (right & 0xffff);
  return (a1 * b1 + Math.floor(left / 65536) + Math.floor(right / 65536) + (middle >>> 16)) >>> 0;
}

// The four words of one block.
function blockAt([key, start], number) {
  const counter = (start + BigInt(number)) & MASK_128, word = (shift) => Number((counter >> shift) & 0xffffffffn);
  let [x0, x1, x2, x3] = [word(0n), word(32n), word(64n), word(96n)], k0 = Number(key & 0xffffffffn), k1 = Number(key >> 32n);
  for (let round = 0; round < 10; round++) {
    const h0 = highProduct(x0, 0xd2511f53), l0 = Math.imul(x0, 0xd2511f53) >>> 0, h1 = highProduct(x2, 0xcd9e8d57), l1 = Math.imul(x2, 0xcd9e8d57) >>> 0;
    [x0, x1, x2, x3] = [(h1 ^ x1 ^ k0) >>> 0, l1, (h0 ^ x3 ^ k1) >>> 0, l0];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [x0, x1, x2, x3];
}

function randomWords(at, count) {
  const found = [];
  for (let number = 0; found.length < count; number++) found.push(...blockAt(at, number));
  return found.slice(0, count);
}

// ---- uniform

const uniform32 = (word) => (word & 0x7fffff) / 8388608;
const uniform64 = (first, second) => ((first & 0xfffff) * 4294967296 + second) / 4503599627370496;

playOp("RandomUniform", {
  run([dims, { dtype }, ...seeds], call) {
    const shape = possibleSizes(sizesIn(dims)), count = sizeOfShape(shape), at = takeBlocks(call, seeds, count * RESERVED_BLOCKS);
    if (dtype === "float64") {
      const words = randomWords(at, 2 * count);
      return [tensorOf(dtype, shape, Float64Array.from({ length: count }, (_, i) => uniform64(words[2 * i], words[2 * i + 1])))];
    }
    const number = { float16: (word) => (word & 0x3ff) / 1024, bfloat16: (word) => (word & 0x7f) / 128 }[dtype] || uniform32;
    return [castTensor(tensorOf("float32", shape, Float32Array.from(randomWords(at, count), number)), dtype)];
  },
});

playOp("RandomUniformInt", {
  run([dims, minval, maxval, ...seeds], call) {
    const shape = possibleSizes(sizesIn(dims)), count = sizeOfShape(shape), { dtype } = minval;
    const [low, high] = [BigInt(minval.data[0]), BigInt(maxval.data[0])], at = takeBlocks(call, seeds, count * RESERVED_BLOCKS);
    if (count && low >= high) throw new PlayError(`Need minval < maxval, got ${low} >= ${high}`);
    const made = zerosOf(dtype, shape), wide = dtype === "int64", words = randomWords(at, wide ? 2 * count : count);
    for (let i = 0; i < count; i++) {
      const draw = wide ? BigInt(words[2 * i]) | (BigInt(words[2 * i + 1]) << 32n) : BigInt(words[i]);
      const value = (draw % BigInt.asUintN(wide ? 64 : 32, high - low)) + low;
      made.data[i] = wide ? BigInt.asIntN(64, value) : Number(BigInt.asIntN(32, value));
    }
    return [made];
  },
});

// ---- normal

const HALF_ROOT_BITS = 0x3fe6a09e00000000n, TWO_52 = 4503599627370496;
const DOUBLE_BITS = new DataView(new ArrayBuffer(8));
const bitsOfFloat = (x) => { DOUBLE_BITS.setFloat64(0, x); return DOUBLE_BITS.getBigUint64(0); };
const floatOfBits = (bits) => { DOUBLE_BITS.setBigUint64(0, bits); return DOUBLE_BITS.getFloat64(0); };

function powerSum(z, coefficients) {
  let total = z * coefficients[coefficients.length - 1] + coefficients[coefficients.length - 2];
  for (let i = coefficients.length - 3; i >= 0; i--) total = total * z + coefficients[i];
  return total;
}

// k and f with x = 2**k * (1 + f) and sqrt(1/2) <= 1 + f < sqrt(2).
function splitFloat(x) {
  const shifted = bitsOfFloat(x) + (0x3ff0000000000000n - HALF_ROOT_BITS);
  return [Number(shifted >> 52n) - 1023, floatOfBits((shifted & 0xfffffffffffffn) + HALF_ROOT_BITS) - 1];
}

const seriesOfLog = (count) => Array.from({ length: count }, (_, i) => 2 / (2 * i + 3));
const LOG_SHORT = seriesOfLog(6), LOG_LONG = seriesOfLog(11);

function logShort(x) {
  const [exponent, f] = splitFloat(x), s = f / (f + 2), z = s * s;
  return exponent * 0.6931471805599453 + s * (powerSum(z, LOG_SHORT) * z + 2);
}

function logLong(x) {
  const [exponent, f] = splitFloat(x), s = f / (f + 2), z = s * s, half = f * f * 0.5, series = powerSum(z, LOG_LONG) * z;
  return exponent * 6.9314718036912381649e-01 - ((half - (s * (half + series) + exponent * 1.9082149292705877e-10)) - f);
}

const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
const seriesOf = (terms, odd) => Array.from({ length: terms }, (_, i) => (i % 2 ? 1 : -1) / factorial(2 * (i + 1) + odd));
const SERIES = new Map([5, 8].map((terms) => [terms, [seriesOf(terms, 1), seriesOf(terms, 0)]]));

function sineAndCosine(angle, terms) {
  const [sines, cosines] = SERIES.get(terms), turns = angle * (2 / Math.PI) + TWO_52 - TWO_52;
  const rest = angle - turns * 1.57079632673412561417 - turns * 6.0771005063039659766e-11 - turns * 2.02226624879595063154e-21, z = rest * rest;
  const sine = rest + rest * z * powerSum(z, sines), cosine = z * powerSum(z, cosines) + 1, odd = turns % 2 === 1;
  const signed = (x, quadrant) => (quadrant & 2 ? -x : x);
  return [signed(odd ? cosine : sine, turns), signed(odd ? sine : cosine, turns + 1)];
}

function normalPair32(first, second) {
  const u = Math.max(uniform32(first), Math.fround(1e-7)), angle = Math.fround(uniform32(second) * (2 * Math.PI));
  const radius = Math.fround(Math.sqrt(Math.fround(Math.fround(logShort(u)) * -2))), [sine, cosine] = sineAndCosine(angle, 5);
  return [Math.fround(Math.fround(sine) * radius), Math.fround(Math.fround(cosine) * radius)];
}

function normalPair64(w0, w1, w2, w3) {
  const u = Math.max(uniform64(w0, w1), 1e-7), [sine, cosine] = sineAndCosine(uniform64(w2, w3) * (2 * Math.PI), 8), radius = Math.sqrt(logLong(u) * -2);
  return [sine * radius, cosine * radius];
}

const normalBlock = (at, number, wide) => {
  const [w0, w1, w2, w3] = blockAt(at, number);
  return wide ? normalPair64(w0, w1, w2, w3) : [...normalPair32(w0, w1), ...normalPair32(w2, w3)];
};

// `numbers` gives the numbers from a place in a stream, more than enough of them.
const normalOp = (numbers) => ({
  run([dims, { dtype }, ...seeds], call) {
    const shape = possibleSizes(sizesIn(dims)), count = sizeOfShape(shape), at = takeBlocks(call, seeds, count * RESERVED_BLOCKS), wide = dtype === "float64";
    const found = numbers(at, count, wide).slice(0, count);
    return [castTensor(tensorOf(wide ? "float64" : "float32", shape, (wide ? Float64Array : Float32Array).from(found)), dtype)];
  },
});

playOp("RandomStandardNormal", normalOp((at, count, wide) => {
  const found = [];
  for (let number = 0; found.length < count; number++) found.push(...normalBlock(at, number, wide));
  return found;
}));

// A group of numbers takes as many blocks as it needs until enough of its candidates are small.
playOp("TruncatedNormal", normalOp((at, count, wide) => {
  const found = [], size = wide ? 2 : 4;
  for (let group = 0; found.length < count; group++) {
    const taken = [];
    for (let block = (group * size * RESERVED_BLOCKS) / 4; taken.length < size; block++) taken.push(...normalBlock(at, block, wide).filter((x) => Math.abs(x) < 2));
    found.push(...taken.slice(0, size));
  }
  return found;
}));

// ---- classes, by their log-probabilities

playOp("Multinomial", {
  run([logits, number, { dtype }, ...seeds], call) {
    const samples = scalarNumber(number, "num_samples"), [rows, classes] = logits.shape;
    if (logits.shape.length !== 2) throw new PlayError(`logits should be a matrix, got shape ${listed(logits.shape)}`);
    if (samples < 0) throw new PlayError(`num_samples should be nonnegative, got ${samples}`);
    if (!classes) throw new PlayError(`num_classes should be positive, got ${classes}`);
    const at = takeBlocks(call, seeds, rows * Math.ceil(samples / 4) * 8 * RESERVED_BLOCKS), words = randomWords(at, 2 * rows * samples);
    const found = Array.from({ length: rows * samples });
    for (let row = 0; row < rows; row++) {
      const values = Array.from(logits.data.slice(row * classes, (row + 1) * classes), Number), highest = Math.max(...values.filter(Number.isFinite));
      let total = 0;
      const totals = values.map((value) => (total += Number.isFinite(value) ? Math.exp(value - highest) : 0));
      for (let i = row * samples; i < (row + 1) * samples; i++) {
        const share = uniform64(words[2 * i], words[2 * i + 1]) * total, place = totals.findIndex((each) => each > share);
        found[i] = place < 0 ? classes : place;
      }
    }
    const made = tensorOf("int64", [rows, samples], BigInt64Array.from(found, BigInt));
    return [castTensor(made, dtype)];
  },
});

// ---- shuffle: row i is exchanged with a random one not before it

playOp("RandomShuffle", {
  run([value, ...seeds], call) {
    const rows = value.shape[0] || 0, count = sizeOf(value) > 1 && rows > 1 ? rows - 1 : 0;
    if (!count) return [value];
    const words = randomWords(takeBlocks(call, seeds, Math.ceil(count / 4)), count), order = Array.from({ length: rows }, (_, i) => i);
    words.forEach((word, i) => { const other = i + (word % (rows - i)); [order[i], order[other]] = [order[other], order[i]]; });
    const made = zerosOf(value.dtype, value.shape), width = (sizeOf(value) / rows) * partsOf(value.dtype);
    order.forEach((from, to) => copyRow(made.data, to, value.data, from, width));
    return [made];
  },
});
