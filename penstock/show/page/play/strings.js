// Numbers read from strings, strings joined, and printing, which on a page only passes values on.

const cannotRead = (text) => new PlayError(`StringToNumberOp could not correctly convert string: ${decodeText(text)}`);

// The text of the bytes of a string, if they are UTF-8.
function decodeText(bytes) {
  try {
    return decodeURIComponent(escape(bytes));
  } catch {
    return bytes;
  }
}

function intFromString(text, dtype) {
  const found = /^[ \t\n\r\f\v]*([+-]?)0*(\d+)[ \t\n\r\f\v]*$/.exec(text);
  if (!found || found[2].length > 19) throw cannotRead(text);
  const number = BigInt(found[2]) * (found[1] === "-" ? -1n : 1n);
  const [least, most] = intRange(dtype);
  if (number < least || number > most) throw cannotRead(text);
  return isBigType(dtype) ? number : Number(number);
}

function floatFromString(text) {
  const trimmed = text.replace(/^[ \t\n\r\f\v]+|[ \t\n\r\f\v]+$/g, "");
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (/^[+-]?nan(\([0-9a-z_]*\))?$/i.test(trimmed)) return NaN;
  const infinity = /^([+-]?)inf(inity)?$/i.exec(trimmed);
  if (infinity) return infinity[1] === "-" ? -Infinity : Infinity;
  const hex = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i.exec(trimmed);
  if (!hex || !(hex[2] + hex[3])) throw cannotRead(text);
  const size = Number(BigInt(`0x${hex[2]}${hex[3]}`)) * 2 ** (Number(hex[4] || 0) - 4 * hex[3].length);
  return hex[1] === "-" ? -size : size;
}

playOp("StringToNumber", {
  run([strings, { dtype }]) {
    const read = isIntType(dtype) ? (text) => intFromString(text, dtype) : floatFromString;
    return [tensorOf(dtype, strings.shape, PLAY_DTYPES[dtype].array.from(strings.data, read))];
  },
});

playOp("StringJoin", {
  run([inputs, separator]) {
    const shape = inputs.reduce((found, each) => (each.shape.length ? each.shape : found), []);
    for (const each of inputs)
      if (each.shape.length && !sameShape(each.shape, shape)) throw new PlayError(`Input shapes do not match: ${listed(shape)} vs. ${listed(each.shape)}`);
    const made = zerosOf("string", shape);
    for (let i = 0; i < made.data.length; i++) made.data[i] = inputs.map((each) => each.data[each.shape.length ? i : 0]).join(separator);
    return [made];
  },
});

playOp("Print", { isElementwise: true, run: ([input]) => [input] });
playOp("PrintV2", { run: () => [] });
