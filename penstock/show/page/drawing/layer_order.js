// Layering and crossing reduction, step by step the same as layering.py and crossing_reduction.py: a state that is opened
// by a click looks like the exported picture of that state.

const SWEEPS = 8, SWAP_ROUNDS = 4, SWAP_EDGES = 3000;

function neighbours(count, edges) {
  const after = Array.from({ length: count }, () => new Map());
  const before = Array.from({ length: count }, () => new Map());
  for (const [source, target] of edges) {
    if (source === target) continue;
    after[source].set(target, (after[source].get(target) || 0) + 1);
    before[target].set(source, (before[target].get(source) || 0) + 1);
  }
  return [after, before];
}

const ascending = (map) => [...map.keys()].sort((a, b) => a - b);
const total = (map) => { let sum = 0; for (const number of map.values()) sum += number; return sum; };

// The nodes taken by removing sources repeatedly, then the nodes of the rest taken by removing sinks.
function peel(count, after, before) {
  const waiting = before.map((sources) => sources.size);
  const head = [];
  for (let node = 0; node < count; node++) if (!waiting[node]) head.push(node);
  for (let at = 0; at < head.length; at++)
    for (const target of ascending(after[head[at]])) if (!--waiting[target]) head.push(target);
  const taken = new Set(head), open = after.map((targets) => targets.size), tail = [];
  for (let node = 0; node < count; node++) if (!open[node] && !taken.has(node)) tail.push(node);
  for (let at = 0; at < tail.length; at++)
    for (const source of ascending(before[tail[at]]))
      if (!--open[source] && !taken.has(source)) tail.push(source);
  return [head, tail];
}

// A rank for each node; edges from a higher to a lower rank are those to reverse.
function flowOrder(count, edges) {
  const [after, before] = neighbours(count, edges);
  const [head, tail] = peel(count, after, before);
  const done = new Set([...head, ...tail]), left = [];
  for (let node = 0; node < count; node++) if (!done.has(node)) left.push(node);
  head.push(...orderCycles(left, after, before));
  const rank = new Array(count).fill(0);
  [...head, ...tail.reverse()].forEach((node, position) => { rank[node] = position; });
  return rank;
}

function orderCycles(left, after, before) {
  const remaining = new Set(left), surplus = new Map();
  for (const node of left) {
    let value = 0;
    for (const [target, number] of after[node]) if (remaining.has(target)) value += number;
    for (const [source, number] of before[node]) if (remaining.has(source)) value -= number;
    surplus.set(node, value);
  }
  const order = [];
  while (remaining.size) {
    let best = -1;
    for (const node of remaining)
      if (best < 0 || surplus.get(node) > surplus.get(best)
        || (surplus.get(node) === surplus.get(best) && node < best)) best = node;
    remaining.delete(best);
    order.push(best);
    for (const [target, number] of after[best])
      if (remaining.has(target)) surplus.set(target, surplus.get(target) + number);
    for (const [source, number] of before[best])
      if (remaining.has(source)) surplus.set(source, surplus.get(source) - number);
  }
  return order;
}

// The layers of layering.levels_of, for edges without cycles.
function levelsOf(count, edges) {
  const [after, before] = neighbours(count, edges), layer = new Array(count).fill(0);
  for (const node of peel(count, after, before)[0])
    for (const target of after[node].keys()) layer[target] = Math.max(layer[target], layer[node] + 1);
  // Nodes with more outgoing than incoming edges move down to their consumers: shorter edges, same depth.
  for (const node of layer.map((_, at) => at).sort((a, b) => layer[b] - layer[a]))
    if (after[node].size && total(after[node]) > total(before[node]))
      layer[node] = Math.min(...[...after[node].keys()].map((target) => layer[target])) - 1;
  return layer;
}

// ---- the order within layers ---------------------------------------------------------------------------------

// above and below hold [neighbour, its pin, own pin]; a pin is the position along the side of its node, from 0 to 1.
function layered(layers, links, pinned, fixedFirst) {
  const count = layers.reduce((sum, layer) => sum + layer.length, 0);
  const above = Array.from({ length: count }, () => []), below = Array.from({ length: count }, () => []);
  for (const link of links) {
    above[link.lower].push([link.upper, link.upperPin, link.lowerPin]);
    below[link.upper].push([link.lower, link.lowerPin, link.upperPin]);
  }
  return { layers, links, pinned, fixedFirst, above, below, count };
}

function orderLayers(graph) {
  let best = graph.layers, fewest = null;
  for (const down of [true, false]) {
    const [order, crossings] = sweepLayers(graph, walkLayers(graph, down));
    if (fewest === null || crossings < fewest) [best, fewest] = [order, crossings];
    if (!fewest) return best;
  }
  if (graph.links.length <= SWAP_EDGES) swapNeighbours(graph, best);
  return best;
}

function seats(graph, layers) {
  const place = new Array(graph.count).fill(0);
  for (const layer of layers) layer.forEach((node, position) => { place[node] = position; });
  return place;
}

function countCrossings(graph, layers) {
  let crossings = 0;
  const place = seats(graph, layers);
  for (const layer of layers.slice(0, -1)) {
    const ends = [];
    for (const node of layer)
      for (const [lower, pin, own] of graph.below[node]) ends.push([place[node] + own, place[lower] + pin]);
    ends.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const seen = [];
    for (const [, lower] of ends) {
      let low = 0, high = seen.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (lower < seen[middle]) high = middle; else low = middle + 1;
      }
      crossings += seen.length - low;
      seen.splice(low, 0, lower);
    }
  }
  return crossings;
}

// The layers in the order in which a depth-first walk visits the nodes: trees have no crossings.
function walkLayers(graph, downwards) {
  const layerOf = new Array(graph.count), met = graph.layers.map(() => []), seen = new Set();
  graph.layers.forEach((layer, number) => layer.forEach((node) => { layerOf[node] = number; }));
  const onward = downwards ? graph.below : graph.above;
  for (const layer of downwards ? graph.layers : [...graph.layers].reverse()) {
    for (const root of layer) {
      const waiting = [root];
      while (waiting.length) {
        const node = waiting.pop();
        if (seen.has(node)) continue;
        seen.add(node);
        met[layerOf[node]].push(node);
        const following = [...onward[node]].sort((a, b) => b[2] - a[2] || b[0] - a[0]);
        for (const item of following) waiting.push(item[0]);
      }
    }
  }
  keepPinned(graph, met);
  return met;
}

function keepPinned(graph, layers) {
  if (graph.fixedFirst) layers[0] = [...graph.layers[0]];
  if (graph.pinned === null) return;
  for (const layer of layers) {
    const at = layer.indexOf(graph.pinned);
    if (at >= 0) { layer.splice(at, 1); layer.unshift(graph.pinned); }
  }
}

function sweepLayers(graph, start) {
  let best = start.map((layer) => [...layer]), fewest = countCrossings(graph, best);
  const layers = start.map((layer) => [...layer]);
  for (let sweep = 0; sweep < SWEEPS && fewest; sweep++) {
    const down = sweep % 2 === 0, near = down ? graph.above : graph.below, place = seats(graph, layers);
    for (let step = 1; step < layers.length; step++) {
      const number = down ? step : layers.length - 1 - step;
      if (graph.fixedFirst && !number) continue;
      layers[number] = byBarycentre(layers[number], near, place);
      layers[number].forEach((node, position) => { place[node] = position; });
    }
    keepPinned(graph, layers);
    const crossings = countCrossings(graph, layers);
    if (crossings < fewest) [best, fewest] = [layers.map((layer) => [...layer]), crossings];
  }
  return [best, fewest];
}

function byBarycentre(layer, near, place) {
  const desired = new Map();
  for (const node of layer) {
    let sum = 0;
    for (const [other, pin] of near[node]) sum += place[other] + pin;
    desired.set(node, near[node].length ? sum / near[node].length - 0.5 : place[node]);
  }
  return [...layer].sort((a, b) => desired.get(a) - desired.get(b));
}

// `fixed` nodes keep their order among each other.
function swapNeighbours(graph, layers, fixed = new Map()) {
  const place = seats(graph, layers);
  for (let round = 0; round < SWAP_ROUNDS; round++) {
    let improved = false;
    for (const layer of graph.fixedFirst ? layers.slice(1) : layers) {
      for (let left = 0; left + 1 < layer.length; left++) {
        const a = layer[left], b = layer[left + 1];
        if (fixed.has(a) && fixed.has(b)) continue;
        if (a === graph.pinned || b === graph.pinned || swapGain(graph, place, a, b) <= 0) continue;
        [layer[left], layer[left + 1], place[a], place[b]] = [b, a, left + 1, left];
        improved = true;
      }
    }
    if (!improved) return;
  }
}

function swapGain(graph, place, a, b) {
  let gain = 0;
  for (const near of [graph.above, graph.below]) {
    const left = near[a].map(([node, pin]) => place[node] + pin);
    const right = near[b].map(([node, pin]) => place[node] + pin);
    for (const x of left) for (const y of right) gain += (x > y) - (x < y);
  }
  return gain;
}
