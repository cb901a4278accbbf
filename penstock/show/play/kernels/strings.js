// Strings: read as numbers, joined, and taken apart; printing, which on a page only passes values on. A string is a text
// in which each character is one byte.

const TEXT_BLANK = "[ \\t\\n\\r\\f\\v]*";
const INT_TEXT = new RegExp(`^${TEXT_BLANK}([+-]?)0*([0-9]+)${TEXT_BLANK}$`);
const FLOAT_TEXT = new RegExp(`^${TEXT_BLANK}([+-]?)([0-9]*)\\.?([0-9]*)(?:e([+-]?[0-9]+))?${TEXT_BLANK}$`, "i");
const HEX_TEXT = new RegExp(`^${TEXT_BLANK}([+-]?)0x([0-9a-f]*)\\.?([0-9a-f]*)(?:p([+-]?[0-9]+))?${TEXT_BLANK}$`, "i");
const NAMED_TEXT = new RegExp(`^${TEXT_BLANK}([+-]?)(inf|infinity|nan|nan\\([0-9a-z_]*\\))${TEXT_BLANK}$`, "i");

playOp("StringToNumber", {
  isElementwise: true,
  run([strings, { dtype }]) {
    const made = zerosOf(dtype, strings.shape);
    strings.data.forEach((text, i) => (made.data[i] = isIntType(dtype) ? intOfText(text, dtype) : floatOfText(text, dtype)));
    return [made];
  },
});

const refusedText = (text) => new PlayError(`StringToNumberOp could not correctly convert string: ${readableText(text)}`);

// Bytes as the UTF-8 text that they are; bytes that are none are written \xff.
function readableText(bytes) {
  try {
    return decodeURIComponent(escape(bytes));
  } catch (error) {
    return [...bytes].map((byte) => (byte < "\x80" ? byte : `\\x${byte.charCodeAt(0).toString(16)}`)).join("");
  }
}

function intOfText(text, dtype) {
  const match = INT_TEXT.exec(text), [least, most] = intRange(dtype);
  if (!match || match[2].length > 19) throw refusedText(text);
  const number = BigInt(match[2]) * (match[1] === "-" ? -1n : 1n);
  if (number < least || number > most) throw refusedText(text);
  return isBigType(dtype) ? number : Number(number);
}

function floatOfText(text, dtype) {
  const named = NAMED_TEXT.exec(text);
  if (named) return /^nan/i.test(named[2]) ? NaN : named[1] === "-" ? -Infinity : Infinity;
  const hex = HEX_TEXT.exec(text), decimal = hex ? null : FLOAT_TEXT.exec(text);
  const match = hex || decimal;
  if (!match || !(match[2] || match[3])) throw refusedText(text);
  const near = hex ? nearestOfHex(hex) : Number(`${match[1]}${match[2] || "0"}.${match[3] || "0"}e${match[4] || "0"}`);
  return dtype === "float64" ? near : float32OfText(near, match, Boolean(hex));
}

// The digits of a number as an int, and the exponent of its base that follows.
const digitsOf = ([, , whole, fraction, exponent], isHex) =>
  isHex ? [BigInt(`0x${whole}${fraction}`), Number(exponent || 0) - 4 * fraction.length] : [BigInt(`${whole}${fraction}`), Number(exponent || 0) - fraction.length];

// digits * 2**exponent as the nearest float64, ties to even.
function nearestOfHex(match) {
  const [digits, exponent] = digitsOf(match, true);
  const drop = Math.max(digits.toString(2).length - 53, -1074 - exponent, 0);
  const size = digits === 0n || drop > 5000 ? 0 : Number(roundedShift(digits, BigInt(drop))) * 2 ** Math.min(exponent + drop, 1100);
  return match[1] === "-" ? -size : size;
}

function roundedShift(digits, drop) {
  const kept = digits >> drop, rest = digits - (kept << drop), half = drop ? 1n << (drop - 1n) : 1n;
  return drop && (rest > half || (rest === half && kept % 2n)) ? kept + 1n : kept;
}

// The nearest float32 of the written number: where its float64 lies halfway between two, the digits decide.
function float32OfText(near, match, isHex) {
  const size = Math.abs(near), low = Math.fround(near);
  if (!Number.isFinite(near) || near === low) return low;
  const between = size < 2 ** -126 ? (size * 2 ** 150) % 2 === 1 : (float64Bits(size) & 0x1fffffffn) === 0x10000000n;
  if (!between) return low;
  const [digits, exponent] = digitsOf(match, isHex), base = isHex ? 2n : 10n;
  const [whole, scale] = wholeHex(size);
  // digits * base**exponent against whole / 2**scale
  const left = digits * 2n ** BigInt(scale) * base ** BigInt(Math.max(exponent, 0));
  const right = whole * base ** BigInt(Math.max(-exponent, 0));
  if (left === right) return low;
  const step = float64OfBits(float64Bits(size) + (left > right ? 1n : -1n));
  return Math.fround(near < 0 ? -step : step);
}

// A number as an int and the power of two that divides it.
function wholeHex(size) {
  let scale = 0;
  for (; !Number.isInteger(size); scale++) size *= 2;
  return [BigInt(size), scale];
}

const float64Bits = (number) => new BigUint64Array(Float64Array.of(number).buffer)[0];
const float64OfBits = (bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0];

// ---- joined and taken apart

playOp("StringJoin", {
  isElementwise: true,
  run([inputs, separator]) {
    const shapes = inputs.filter(rankOf).map((each) => each.shape), [shape = []] = shapes;
    const other = shapes.find((each) => !sameShape(each, shape));
    if (other) throw new PlayError(`Input shapes do not match: ${listed(shape)} vs. ${listed(other)}`);
    const joined = (_, i) => inputs.map((each) => each.data[rankOf(each) ? i : 0]).join(separator);
    return [tensorOf("string", shape, Array.from({ length: sizeOfShape(shape) }, joined))];
  },
});

function partsOfText(text, delimiters, skipEmpty) {
  if (!delimiters) return [...text];
  let row = [], part = "";
  for (const byte of text)
    if (delimiters.includes(byte)) {
      row.push(part);
      part = "";
    } else part += byte;
  if (text) row.push(part);
  return skipEmpty ? row.filter(Boolean) : row;
}

playOp("StringSplit", {
  run([input, delimiter, skipEmpty]) {
    const rows = splitRows(input, delimiter, skipEmpty);
    const entries = rows.flatMap((row, i) => row.flatMap((_, j) => [i, j])), parts = rows.flat();
    const big = (numbers) => BigInt64Array.from(numbers, BigInt);
    const longest = rows.reduce((most, row) => Math.max(most, row.length), 0);
    return [
      tensorOf("int64", [parts.length, 2], big(entries)),
      tensorOf("string", [parts.length], parts),
      tensorOf("int64", [2], big([rows.length, longest])),
    ];
  },
  moves([input, delimiter, skipEmpty]) {
    const from = splitRows(input, delimiter, skipEmpty).flatMap((row, i) => row.map(() => [[0, i]]));
    return [from.flatMap((each) => [each, each]), from, [0, 1].map(() => Array.from(countTo(sizeOf(input)), (i) => [0, i]))];
  },
});

function splitRows(input, delimiter, skipEmpty) {
  if (rankOf(input) !== 1) throw new PlayError(`input must be a vector, got shape: ${listed(input.shape)}`);
  if (rankOf(delimiter)) throw new PlayError(`delimiter must be a scalar, got shape: ${listed(delimiter.shape)}`);
  return input.data.map((text) => partsOfText(text, delimiter.data[0], skipEmpty));
}

// ---- printing

playOp("Print", { isElementwise: true, run: ([input]) => [input] });
playOp("PrintV2", { run: () => [] });
