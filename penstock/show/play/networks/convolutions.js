// Convolutions of images and volumes, plain and depthwise, and their gradients: sums over the taps of a window.

// The sizes and steps of a convolution by spatial axis. `attrs`: strides, padding, explicit paddings, layout, dilations.
function convolutionOf(type, inputShape, filterShape, attrs, isDepthwise) {
  const [strides, padding, pairs, layout, dilations] = attrs, count = strides.length - 2, isFirst = layout.startsWith("NC");
  const spatial = (list) => (isFirst ? list.slice(2) : list.slice(1, -1)).map(Number);
  const others = (list) => (isFirst ? list.slice(0, 2) : [list[0], list[list.length - 1]]).map(Number);
  if ([...others(strides), ...others(dilations)].some((step) => step !== 1))
    throw new PlayError(
      `Current implementation does not yet support strides or dilations in the batch and depth dimensions: ${listed([...others(strides), ...others(dilations)])}`,
    );
  for (const [what, shape] of [["input", inputShape], ["filter", filterShape]])
    if (shape.length !== count + 2) throw new PlayError(`${what} must be ${count + 2}-dimensional: ${listed(shape)}`);
  const window = filterShape.slice(0, count), [depth, width] = filterShape.slice(count);
  const sizes = spatial(inputShape), channels = inputShape[isFirst ? 1 : count + 1];
  if (window.includes(0)) throw new PlayError(`filter must have at least one tap along each axis: ${listed(filterShape)}`);
  const { groups, filters } = isDepthwise ? depthwiseGroups(channels, depth, width) : channelGroups(channels, depth, width);
  const steps = spatial(strides), apart = spatial(dilations), before = [], outputs = [];
  for (let a = 0; a < count; a++) {
    const reach = (window[a] - 1) * apart[a] + 1;
    const pair = padding === "EXPLICIT" ? [pairs[2 * (a + (isFirst ? 2 : 1))], pairs[2 * (a + (isFirst ? 2 : 1)) + 1]].map(Number) : [0, 0];
    const same = Math.ceil(sizes[a] / steps[a]);
    outputs.push(padding === "SAME" ? same : Math.trunc((sizes[a] + pair[0] + pair[1] - reach + steps[a]) / steps[a]) + 0);
    before.push(padding === "SAME" ? Math.floor(Math.max(0, (same - 1) * steps[a] + reach - sizes[a]) / 2) : pair[0]);
    if (outputs[a] < 0)
      throw new PlayError(
        `Computed output size would be negative: ${outputs[a]} [input_size: ${sizes[a]}, effective_filter_size: ${reach}, stride: ${steps[a]}] along spatial axis ${a}`,
      );
  }
  const shapeOf = (spatialSizes, last) => (isFirst ? [inputShape[0], last, ...spatialSizes] : [inputShape[0], ...spatialSizes, last]);
  return {
    batch: inputShape[0], sizes, window, outputs, channels, filters, groups, depth, isDepthwise, isFirst, filterShape,
    strides: steps, dilations: apart, before, inputShape, outputShape: shapeOf(outputs, filters),
  };
}

function channelGroups(channels, depth, width) {
  if (depth === 0) throw new PlayError("Depth of filter must not be 0");
  if (channels % depth) throw new PlayError(`input depth must be evenly divisible by filter depth: ${channels} vs ${depth}`);
  const groups = channels / depth;
  if (groups && width % groups) throw new PlayError(`output depth must be evenly divisible by number of groups: ${width} vs ${groups}`);
  return { groups: Math.max(groups, 1), filters: width };
}

function depthwiseGroups(channels, depth, width) {
  if (channels !== depth) throw new PlayError(`input and filter must have the same depth: ${channels} vs ${depth}`);
  return { groups: channels, filters: channels * width };
}

// The same for a gradient, of which the output's gradient must have the shape of the output.
function gradientOf(type, inputShape, filterShape, dy, attrs, isDepthwise) {
  for (const [what, shape] of [["input", inputShape], ["filter", filterShape]])
    if (shape.some((size) => size < 0)) throw new PlayError(`${type}: sizes of ${what} must not be negative: ${listed(shape)}`);
  const found = convolutionOf(type, inputShape, filterShape, attrs, isDepthwise);
  if (!sameShape(dy.shape, found.outputShape))
    throw new PlayError(
      `${type}: Size of out_backprop doesn't match computed: actual = ${listed(dy.shape)}, computed = ${listed(found.outputShape)}, of an input ${listed(inputShape)} and a filter ${listed(filterShape)}`,
    );
  return found;
}

// Calls visit(element of the input, of the filter, of the output) for each product of the convolution.
function eachTap(g, visit) {
  const places = (sizes) => Array.from(countTo(sizeOfShape(sizes)), (i) => placeOf(i, sizes));
  const outputs = places(g.outputs), taps = places(g.window), width = g.filters / g.groups || 0;
  const element = (shape, n, place, channel) => {
    const all = g.isFirst ? [n, channel, ...place] : [n, ...place, channel], steps = stridesOf(shape);
    return all.reduce((sum, index, d) => sum + index * steps[d], 0);
  };
  const filterSteps = stridesOf(g.filterShape);
  for (let n = 0; n < g.batch; n++)
    for (const output of outputs)
      for (const tap of taps) {
        const from = output.map((o, a) => o * g.strides[a] + tap[a] * g.dilations[a] - g.before[a]);
        if (from.some((i, a) => i < 0 || i >= g.sizes[a])) continue;
        const start = tap.reduce((sum, k, d) => sum + k * filterSteps[d], 0);
        for (let f = 0; f < g.filters; f++) {
          const group = Math.floor(f / width), depth = g.isDepthwise ? 1 : g.depth;
          for (let c = 0; c < depth; c++) {
            const channel = group * depth + c;
            const inFilter = g.isDepthwise ? channel * width + (f % width) : c * g.filters + f;
            visit(element(g.inputShape, n, from, channel), start + inFilter, element(g.outputShape, n, output, f));
          }
        }
      }
}

// A tensor of a shape: the sums of products over the taps, `pick` choosing [target, one factor, other factor].
function summedTaps(g, shape, one, other, pick) {
  const [x, y] = [widened(one), widened(other)], made = zerosOf(x.dtype, shape), addProduct = productAdder(x.dtype);
  eachTap(g, (...elements) => {
    const [to, i, j] = pick(elements);
    addProduct(made.data, to, x.data, i, y.data, j);
  });
  return narrowed(made, one.dtype);
}

// For each element of a result the elements of operands `first` and `second` of which it is made.
function tapOrigins(g, shape, first, second, pick) {
  const origins = Array.from(countTo(sizeOfShape(shape)), () => []);
  eachTap(g, (...elements) => {
    const [to, i, j] = pick(elements);
    origins[to].push([first, i], [second, j]);
  });
  return [origins];
}

const OF_OUTPUT = ([x, w, y]) => [y, x, w];
const OF_INPUT = ([x, w, y]) => [x, w, y];
const OF_FILTER = ([x, w, y]) => [w, x, y];

// The attributes with those that an op of volumes lacks.
const attributesOf = (attrs) => (attrs.length === 5 ? attrs : [attrs[0], attrs[1], [], attrs[2], attrs[3]]);

function forwardKernel(type, isDepthwise) {
  const found = ([x, w, ...attrs]) => convolutionOf(type, x.shape, w.shape, attributesOf(attrs), isDepthwise);
  return {
    run(args) {
      const g = found(args);
      return [summedTaps(g, g.outputShape, args[0], args[1], OF_OUTPUT)];
    },
    moves: (args) => tapOrigins(found(args), found(args).outputShape, 0, 1, OF_OUTPUT),
  };
}

function inputKernel(type, isDepthwise) {
  const found = ([sizes, w, dy, ...attrs]) =>
    gradientOf(type, listedInput(numbersOf(sizes), w, dy, attributesOf(attrs)), w.shape, dy, attributesOf(attrs), isDepthwise);
  return {
    run(args) {
      const g = found(args);
      return [summedTaps(g, g.inputShape, args[1], args[2], OF_INPUT)];
    },
    moves: (args) => tapOrigins(found(args), found(args).inputShape, 1, 2, OF_INPUT),
  };
}

// The shape of the input: of images its height and width may be listed alone.
function listedInput(sizes, w, dy, [, , , layout]) {
  if (sizes.length !== 2 || rankOf(w) !== 4 || rankOf(dy) !== 4) return sizes;
  return layout === "NCHW" ? [dy.shape[0], w.shape[2], ...sizes] : [dy.shape[0], ...sizes, w.shape[2]];
}

function filterKernel(type, isDepthwise) {
  const found = ([x, sizes, dy, ...attrs]) => gradientOf(type, x.shape, numbersOf(sizes), dy, attributesOf(attrs), isDepthwise);
  return {
    run(args) {
      const g = found(args);
      return [summedTaps(g, g.filterShape, args[0], args[2], OF_FILTER)];
    },
    moves: (args) => tapOrigins(found(args), found(args).filterShape, 0, 2, OF_FILTER),
  };
}

playOp("Conv2D", forwardKernel("Conv2D", false));
playOp("Conv2DBackpropInput", inputKernel("Conv2DBackpropInput", false));
playOp("Conv2DBackpropFilter", filterKernel("Conv2DBackpropFilter", false));
playOp("Conv3D", forwardKernel("Conv3D", false));
playOp("Conv3DBackpropInputV2", inputKernel("Conv3DBackpropInputV2", false));
playOp("Conv3DBackpropFilterV2", filterKernel("Conv3DBackpropFilterV2", false));
playOp("DepthwiseConv2dNative", forwardKernel("DepthwiseConv2dNative", true));
playOp("DepthwiseConv2dNativeBackpropInput", inputKernel("DepthwiseConv2dNativeBackpropInput", true));
playOp("DepthwiseConv2dNativeBackpropFilter", filterKernel("DepthwiseConv2dNativeBackpropFilter", true));
