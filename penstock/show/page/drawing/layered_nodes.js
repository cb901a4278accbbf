// The nodes of one layered drawing, the same as layered_nodes.py: members, ports of the scope's border, and the bends of
// long lines. A cell is {member, width, height, ports, labelled, selfArrows, across}.

function buildNodes(cells, nets, titled) {
  const nodes = { layer: [], cell: [], wires: [], member: new Map(), port: new Map(), bend: new Map(), trunks: [],
    shared: new Set(), title: null };
  const add = (layer, cell = null) => { nodes.layer.push(layer); nodes.cell.push(cell); return nodes.layer.length - 1; };
  const layers = cellLevels(cells, nets);
  nodes.borderRow = titled || nets.some(entersAbove); // lines from above begin in a layer of their own
  const first = nodes.borderRow ? 1 : 0
  const last = layers.reduce((most, layer) => Math.max(most, layer), -1) + first + 1;
  if (titled) nodes.title = add(0);
  cells.forEach((cell, number) => nodes.member.set(cell.member, add(layers[number] + first, cell)));
  for (const net of nets) {
    if (net.hub === BORDER) nodes.port.set(net.stream, add(net.stream.down ? 0 : last));
    else if (net.ends.includes(BORDER)) nodes.port.set(net.stream, add(net.stream.down ? last : 0));
  }
  for (const net of nets) addLines(nodes, net, add);
  return nodes;
}

function fixEntries(nodes, layers, hints) {
  if (!nodes.borderRow || !hints.size) return false;
  const rank = new Map();
  for (const [stream, node] of nodes.port) rank.set(node, hints.has(stream) ? hints.get(stream) : 0);
  const of = (node) => (rank.has(node) ? rank.get(node) : -Infinity);
  layers[0].sort((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
  return true;
}

const nodeOf = (nodes, stream, member) => (member === BORDER ? nodes.port.get(stream) : nodes.member.get(member));

// One trunk of bends from the hub to the farthest end; each end hangs on it one layer before.
function addLines(nodes, net, add) {
  const stream = net.stream, hub = nodeOf(nodes, stream, net.hub), step = stream.down ? 1 : -1;
  const trunk = [hub], bends = new Map(), tip = () => trunk[trunk.length - 1];
  const wire = (one, other) => nodes.wires.push(
    stream.down ? { upper: one, lower: other, stream } : { upper: other, lower: one, stream });
  nodes.bend.set(stream, bends);
  if (net.ends.length > 1) nodes.shared.add(stream);
  const ends = net.ends.map((end) => nodeOf(nodes, stream, end));
  ends.sort((a, b) => (nodes.layer[a] - nodes.layer[b]) * step);
  for (const end of ends) {
    while (nodes.layer[tip()] + step !== nodes.layer[end] && nodes.layer[tip()] !== nodes.layer[end]) {
      const bend = add(nodes.layer[tip()] + step);
      bends.set(nodes.layer[bend], bend);
      wire(tip(), bend);
      trunk.push(bend);
    }
    wire(tip(), end);
  }
  // A port is a bend too: it may move along the border to keep its line straight.
  const line = net.hub === BORDER ? trunk : trunk.slice(1);
  if (net.ends.includes(BORDER)) line.push(nodes.port.get(stream));
  if (line.length) nodes.trunks.push(stream.down ? [...line] : [...line].reverse());
}

function pinFraction(cell, stream) {
  if (!cell || !cell.ports) return 0.5;
  return Math.min(Math.max(cell.ports.get(stream) / cell.width, 0.01), 0.99);
}

// The wires that hardly pull at their ends: those between a box and a bend of a line with several ends, and those from a
// node that feeds only this box, such as a constant, if the box has a larger input too.
function wiresBeside(nodes) {
  const above = nodes.layer.map(() => 0), below = nodes.layer.map(() => 0), beside = new Set(), leaves = new Set();
  for (const wire of nodes.wires) {
    above[wire.lower]++;
    below[wire.upper]++;
    if (nodes.shared.has(wire.stream) && !nodes.cell[wire.upper] !== !nodes.cell[wire.lower]) beside.add(wire);
  }
  for (const wire of nodes.wires)
    if (nodes.cell[wire.upper] && !above[wire.upper] && below[wire.upper] === 1) leaves.add(wire);
  const larger = new Set(nodes.wires.filter((wire) => !beside.has(wire) && !leaves.has(wire)).map((wire) => wire.lower));
  for (const wire of leaves) if (larger.has(wire.lower)) beside.add(wire);
  return beside;
}

// The layer of each member by longest path; tall members that do not need each other stand side by side.
function cellLevels(cells, nets) {
  const edges = memberEdges(cells.map((cell) => cell.member), nets), levels = levelsOf(cells.length, edges);
  const tall = cells.map((_, number) => number).filter((number) => cells[number].ports && cells[number].height > 150);
  return tall.length > 1 ? sideBySide(levels, edges, tall) : levels;
}

function sideBySide(levels, edges, tall) {
  const below = levels.map(() => []), found = [...levels];
  for (const [source, target] of edges) if (levels[source] < levels[target]) below[source].push(target);
  const reachedFrom = (start) => {
    const seen = new Set(), waiting = [start];
    while (waiting.length)
      for (const target of below[waiting.pop()]) if (!seen.has(target)) { seen.add(target); waiting.push(target); }
    return seen;
  };
  for (const a of tall) {
    const reached = reachedFrom(a);
    for (const b of tall)
      if (levels[b] > levels[a] && levels[b] - levels[a] <= 3 && !reached.has(b)) found[a] = Math.max(found[a], levels[b]);
  }
  for (const source of levels.map((_, number) => number).sort((a, b) => levels[a] - levels[b]))
    for (const target of below[source]) found[target] = Math.max(found[target], found[source] + 1);
  const used = [...new Set(found)].sort((a, b) => a - b), numbers = new Map(used.map((level, number) => [level, number]));
  return found.map((level) => numbers.get(level)); // no level is left empty
}

// The edges between members by their numbers, downwards.
function memberEdges(members, nets) {
  const index = new Map(members.map((member, number) => [member, number])), edges = [];
  for (const net of nets)
    if (net.hub !== BORDER)
      for (const end of net.ends)
        if (end !== BORDER) {
          const pair = [index.get(net.hub), index.get(end)];
          edges.push(net.stream.down ? pair : pair.reverse());
        }
  return edges;
}

// Whether a net has a port on the upper or lower border.
const entersAbove = (net) => (net.hub === BORDER && net.stream.down) || (net.ends.includes(BORDER) && !net.stream.down);
const leavesBelow = (net) => (net.hub === BORDER && !net.stream.down) || (net.ends.includes(BORDER) && net.stream.down);
