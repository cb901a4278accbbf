// Folding, the same as column_layout.py and channel_tracks.py: a part that is too tall for its room is cut into columns that
// stand side by side. A room is {width, height}.

const LAYER_GAP = 38, CELL_AIR = 18, PASSING_LINE = 16, TRACK = 8, BORDER_STRIP = 12, GUTTER = 20, CUT_LINE = 60,
  FOLD_GAIN = 0.85, SMALL_ENOUGH = 0.84, LEAST_COLUMN = 0.3, CROSSED = 0.025, MOST_COLUMNS = 24, TRACK_AIR = 8,
  FAR_COLUMN = 1e6, FAR_OUT = 1e9;

const roomUsed = (room, width, height) => Math.max(width / room.width, height / room.height);
const wholeSize = (size) => Math.ceil(size - 1e-6);

function drawPart(cells, nets, title, hints, room) {
  const columns = rememberColumns(room === ENDLESS ? [cells] : keptColumns(cells, nets) || columnsOf(cells, nets, room));
  return columns.length === 1 ? drawComponent(cells, nets, title, hints) : drawColumns(columns, nets, title, hints);
}

// ---- where to cut -----------------------------------------------------------------------------------------------

function columnsOf(cells, nets, room) {
  if (cells.reduce((sum, cell) => sum + wholeSize(cell.height + LAYER_GAP), 0) <= room.height) return [cells];
  const levels = cellLevels(cells, nets);
  const profile = profileOf(cells, nets, levels);
  const height = profile.heights.reduce((sum, each) => sum + each, 0), width = Math.max(...profile.widths);
  const whole = roomUsed(room, width, height);
  if (height <= room.height || whole <= width / room.width) return [cells];
  const wished = Math.floor(Math.sqrt(height * room.width / (width * room.height)));
  let best = FOLD_GAIN * whole, chosen = [];
  for (let count = Math.max(2, wished); count <= Math.min(wished + 2, profile.heights.length, MOST_COLUMNS); count++) {
    const cuts = evenCuts(profile, cutsOf(profile, count)), used = foldedUse(profile, cuts, room);
    if (cuts.length && used < best) [best, chosen] = [used, cuts];
  }
  const columns = [[], ...chosen.map(() => [])];
  cells.forEach((cell, number) => columns[chosen.filter((cut) => levels[number] >= cut).length].push(cell));
  return columns;
}

// The estimated size of each layer, and the number of lines that a cut below it cuts; null: no cut is possible.
function profileOf(cells, nets, levels) {
  const depth = Math.max(...levels) + 1, levelOf = new Map();
  const heights = new Array(depth).fill(0), widths = new Array(depth).fill(0), cut = new Array(depth).fill(0);
  cells.forEach((cell, number) => {
    const level = levels[number], label = Math.max(0, ...[...cell.labelled].map((stream) => roomAlong(cell, stream)));
    heights[level] = Math.max(heights[level], wholeSize(cell.height + LAYER_GAP + label));
    widths[level] += wholeSize(cell.width + CELL_AIR);
    levelOf.set(cell.member, level);
  });
  for (const net of nets) {
    const touched = [net.hub, ...net.ends].filter((member) => member !== BORDER).map((member) => levelOf.get(member));
    const first = Math.min(...touched), last = Math.max(...touched);
    for (let level = first; level < last; level++) {
      cut[level] = cut[level] === null || !net.stream.down ? null : cut[level] + 1;
      if (level > first) widths[level] += PASSING_LINE;
    }
  }
  return { heights, widths, cut };
}

// The first layers of the second and later columns; fewer than wished where no cut is possible.
function cutsOf({ heights, cut }, count) {
  const total = heights.reduce((sum, each) => sum + each, 0), cuts = [];
  for (let number = 1; number < count; number++) {
    const ideal = total * number / count;
    let below = 0, best = total / count, found = null;
    heights.slice(0, -1).forEach((height, level) => {
      below += height;
      if (cut[level] === null || (cuts.length && level < cuts[cuts.length - 1])) return;
      const cost = Math.abs(below - ideal) + CUT_LINE * Math.max(cut[level] - 1, 0);
      if (cost < best) [best, found] = [cost, level + 1];
    });
    if (found !== null) cuts.push(found);
  }
  return cuts;
}

// The cuts without those beside a column that is much shorter than the tallest one.
function evenCuts({ heights }, found) {
  const cuts = [...found];
  while (cuts.length) {
    const bounds = [0, ...cuts, heights.length];
    const sizes = bounds.slice(1).map((stop, at) => heights.slice(bounds[at], stop).reduce((sum, each) => sum + each, 0));
    const least = Math.min(...sizes), place = sizes.indexOf(least);
    if (least >= LEAST_COLUMN * Math.max(...sizes)) break;
    const joinsNext = place === 0 || (place + 1 < sizes.length && sizes[place + 1] < sizes[place - 1]);
    cuts.splice(joinsNext ? place : place - 1, 1);
  }
  return cuts;
}

function foldedUse({ heights, widths, cut }, cuts, room) {
  const bounds = [0, ...cuts, heights.length], lines = cuts.map((at) => cut[at - 1] || 0);
  let width = 0, height = 0;
  for (let at = 0; at + 1 < bounds.length; at++) {
    width += Math.max(...widths.slice(bounds[at], bounds[at + 1]));
    height = Math.max(height, heights.slice(bounds[at], bounds[at + 1]).reduce((sum, each) => sum + each, 0));
  }
  for (const count of lines) width += GUTTER + TRACK * count;
  const further = lines.reduce((sum, count) => sum + Math.max(count - 1, 0), 0);
  const used = roomUsed(room, width, height + 2 * TRACK * Math.max(0, ...lines));
  return Math.max(used, SMALL_ENOUGH) * (1 + CROSSED * further);
}

// ---- drawing ----------------------------------------------------------------------------------------------------

function drawColumns(groups, nets, title, hints) {
  const fold = { title, nets, columnOf: new Map(), crossings: 0, lines: new Map(), ports: new Map(), width: 0,
    columns: groups.map((cells) => ({ cells, nets: [], drawing: null, left: 0, foot: 0, drop: 0 })) };
  groups.forEach((cells, number) => cells.forEach((cell) => fold.columnOf.set(cell.member, number)));
  for (const net of nets) divideNet(fold, net);
  fold.home = new Map(nets.map((net) => [net.stream, homeColumn(fold, net)]));
  fold.columns.forEach((column, number) => {
    column.drawing = drawComponent(column.cells, column.nets, null, entriesOf(fold, number, hints));
    column.foot = column.drawing.height;
    fold.crossings += column.drawing.crossings;
  });
  placeColumns(fold);
  placePorts(fold);
  fold.top = placeTracks(fold);
  const foot = Math.max(...fold.columns.map((column) => column.foot)), last = fold.columns[fold.columns.length - 1];
  fold.height = fold.top + foot;
  last.drop = foot - last.foot; // the last one ends at the foot: there stand the results
  return wholeOf(fold);
}

const homeColumn = (fold, net) => (net.hub === BORDER ? null : fold.columnOf.get(net.hub));

// The pieces of a net by column: a line to or from another column passes the column's border.
function divideNet(fold, net) {
  const home = homeColumn(fold, net), inside = new Map();
  if (home !== null) inside.set(home, []);
  let away = false;
  for (const end of net.ends) {
    if (end === BORDER) { away = true; continue; }
    const number = fold.columnOf.get(end);
    if (!inside.has(number)) inside.set(number, []);
    inside.get(number).push(end);
    away = away || (home !== null && number !== home);
  }
  for (const [number, ends] of inside)
    fold.columns[number].nets.push({ stream: net.stream, hub: number === home ? net.hub : BORDER,
      ends: away && number === home ? [...ends, BORDER] : ends });
}

// The order in which lines enter a column, if hints are given: from the nearest column first, then from outside.
function entriesOf(fold, number, hints) {
  const entries = new Map();
  if (!hints.size) return entries;
  for (const { stream } of fold.columns[number].nets) {
    const home = fold.home.get(stream);
    entries.set(stream, home === null || home === number ? FAR_OUT + (hints.get(stream) || 0)
      : FAR_COLUMN * (number - home) + fold.columns[home].drawing.ports.get(stream));
  }
  return entries;
}

// The columns, other than that of its hub, in which a net ends.
function laterColumns(fold, net) {
  const found = new Set(net.ends.filter((end) => end !== BORDER).map((end) => fold.columnOf.get(end)));
  found.delete(homeColumn(fold, net));
  return [...found].sort((a, b) => a - b);
}

const columnPort = (fold, number, stream) => fold.columns[number].left + fold.columns[number].drawing.ports.get(stream);

function placeColumns(fold) {
  let right = 0;
  const leaving = fold.columns.map((column, number) => {
    column.left = right;
    const nets = fold.nets.filter((net) => fold.home.get(net.stream) === number && laterColumns(fold, net).length);
    right += column.drawing.width;
    if (number + 1 < fold.columns.length) right += GUTTER + TRACK * Math.max(nets.length - 1, 0);
    return nets;
  });
  leaving.forEach((nets, number) => { if (nets.length) placeRisers(fold, number, nets); });
  fold.width = right;
}

// Places the lines that leave a column for later ones: where they rise, and how they get there.
function placeRisers(fold, number, nets) {
  const column = fold.columns[number];
  const rises = nets.map((_, at) => column.left + column.drawing.width + GUTTER / 2 + TRACK * at);
  const starts = new Map(nets.map((net) => [net.stream, columnPort(fold, number, net.stream)]));
  const enters = new Map(nets.map((net) => [net.stream,
    laterColumns(fold, net).map((later) => columnPort(fold, later, net.stream))]));
  const crossings = (left, right, at) => {
    const below = [left, right].map((each, by) => trackOf([starts.get(each), rises[at + by]], []));
    const above = [left, right].map((each, by) => trackOf([], [rises[at + by], ...enters.get(each)]));
    return leastCrossings(...below) + leastCrossings(...above);
  };
  const order = nets.map((net) => net.stream).sort((a, b) => starts.get(b) - starts.get(a));
  for (let round = 0; round < order.length; round++) {
    let swapped = false;
    for (let at = 0; at + 1 < order.length; at++) {
      const [left, right] = [order[at], order[at + 1]];
      if (crossings(right, left, at) >= crossings(left, right, at)) continue;
      [order[at], order[at + 1], swapped] = [right, left, true];
    }
    if (!swapped) break;
  }
  const [levels, crossed] = levelsOfTracks(order.map((stream, at) => ({ ups: [starts.get(stream), rises[at]], downs: [] })));
  fold.crossings += crossed;
  order.forEach((stream, at) => fold.lines.set(stream, { rise: rises[at], enters: enters.get(stream),
    below: column.drawing.height + TRACK * levels[at], above: 0, port: false }));
  column.foot += TRACK * (Math.max(...levels) + 1);
}

// The x at which each stream passes the border: below where it leaves its column, above beside the title.
function placePorts(fold) {
  const upper = [];
  for (const net of fold.nets) {
    if (net.hub !== BORDER && !net.ends.includes(BORDER)) continue;
    const numbers = net.hub === BORDER ? laterColumns(fold, net) : [homeColumn(fold, net)];
    const places = numbers.map((number) => columnPort(fold, number, net.stream));
    if (net.stream.down === (net.hub === BORDER)) upper.push({ net, places });
    else fold.ports.set(net.stream, places[0]);
  }
  let least = fold.title ? fold.title.width + TRACK : 0;
  for (const { net, places } of upper.sort((a, b) => a.places[0] - b.places[0])) {
    const at = Math.max(places[0], least);
    least = at + TRACK;
    fold.ports.set(net.stream, at);
    fold.lines.set(net.stream, { rise: at, enters: places, below: 0, above: 0, port: true });
    fold.width = Math.max(fold.width, at + TRACK);
  }
}

// Places the lines above the columns; returns the top of the columns.
function placeTracks(fold) {
  const strip = fold.title ? fold.title.height + TITLE_GAP : fold.ports.size ? BORDER_STRIP : 0, tracks = new Map();
  for (const line of fold.lines.values()) {
    if (!line.port) tracks.set(line, { ups: [], downs: [line.rise, ...line.enters] });
    else if (line.enters.length !== 1 || line.enters[0] !== line.rise) tracks.set(line, { ups: [line.rise], downs: line.enters });
  }
  const [levels, crossings] = levelsOfTracks([...tracks.values()]);
  fold.crossings += crossings;
  [...tracks.keys()].forEach((line, at) => { line.above = strip + TRACK * (levels[at] + 0.5); });
  return strip + (levels.length ? TRACK * (Math.max(...levels) + 1) : 0);
}

function wholeOf(fold) {
  const whole = newDrawing();
  Object.assign(whole, { width: fold.width, height: fold.height, ports: fold.ports, crossings: fold.crossings,
    climbs: [...fold.lines.values()].filter((line) => !line.port).length });
  for (const { left, drop, drawing } of fold.columns) {
    for (const [member, width] of drawing.widths) whole.widths.set(member, width);
    for (const [member, [x, y]] of drawing.origins) whole.origins.set(member, [x + left, y + fold.top + drop]);
  }
  for (const net of fold.nets) {
    const routes = new Map();
    for (const end of net.ends) routes.set(end, foldedRoute(fold, net, end));
    whole.routes.set(net.stream, routes);
  }
  return whole;
}

function foldedRoute(fold, net, end) {
  const stream = net.stream, line = fold.lines.get(stream), first = homeColumn(fold, net);
  const last = end === BORDER ? null : fold.columnOf.get(end);
  const within = (number, to) => routeTo(fold.columns[number].drawing, stream, to)
    .map(([x, y]) => [x + fold.columns[number].left, y + fold.top + fold.columns[number].drop]);
  const fromBorder = (x) => (!line || !line.port ? [[fold.ports.get(stream), fold.height]]
    : [[line.rise, 0], [line.rise, line.above], [x, line.above]]);
  if (first !== null && first === last) return within(first, end);
  const points = first === null ? [] : within(first, BORDER);
  if (first === null) points.push(...fromBorder(last !== null ? columnPort(fold, last, stream) : 0));
  else if (last === null) points.push(...fromBorder(points[points.length - 1][0]).reverse());
  else {
    const below = fold.top + line.below, into = columnPort(fold, last, stream);
    points.push([points[points.length - 1][0], below], [line.rise, below], [line.rise, line.above], [into, line.above]);
  }
  return last === null ? points : [...points, ...within(last, end)];
}

// ---- tracks -----------------------------------------------------------------------------------------------------

// Tracks are {ups, downs}: the x at which a line leaves upwards and downwards. Returns their levels, 0 being the upmost, and
// how often the lines cross.
function levelsOfTracks(given) {
  const tracks = given.map(({ ups, downs }) => trackOf(ups, downs));
  const order = tracks.map((_, number) => number).sort((a, b) => tracks[a].left - tracks[b].left || a - b);
  for (let round = 0; round < order.length; round++) {
    let swapped = false;
    for (let at = 0; at + 1 < order.length; at++) {
      const a = tracks[order[at]], b = tracks[order[at + 1]];
      if (trackCrossings(b, a) >= trackCrossings(a, b)) continue;
      [order[at], order[at + 1], swapped] = [order[at + 1], order[at], true];
    }
    if (!swapped) break;
  }
  const levels = tracks.map(() => 0);
  let crossings = 0;
  order.forEach((number, at) => {
    for (const earlier of order.slice(0, at)) {
      const own = tracks[number], other = tracks[earlier];
      if (other.left - TRACK_AIR < own.right && own.left < other.right + TRACK_AIR)
        levels[number] = Math.max(levels[number], levels[earlier] + 1);
      crossings += trackCrossings(other, own);
    }
  });
  return [levels, crossings];
}

const trackCrossings = (upper, lower) => upper.downs.filter((x) => lower.left < x && x < lower.right).length
  + lower.ups.filter((x) => upper.left < x && x < upper.right).length;

const leastCrossings = (a, b) => Math.min(trackCrossings(a, b), trackCrossings(b, a));
const trackOf = (ups, downs) => ({ ups, downs, left: Math.min(...ups, ...downs), right: Math.max(...ups, ...downs) });
