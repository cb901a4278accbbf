// Layout of a whole picture, the same as picture_layout.py: scopes are laid out from the inside outwards, each one is a
// single node of the scope around it, and lines through borders join up at ports.

const LABEL_DROP = 4, WELL_USED = 1.1, RIGHT_GAIN = 0.85, FLAT = 0.8, STEEP = 2.4,
  CLIMBS = 2, CLIMB = 0.04, READABLY_USED = 1.25, SCREEN = { width: 1600, height: 1000 }, ENDLESS = { width: Infinity, height: Infinity };

// Returns {width, height, direction, boxes: [{box, x, y, width, height, lines}], scopes: [{scope, x, y, width, height}],
// arrows: [{arrow, points, label, across}]}. `direction` is "auto", "down" or "right"; `screen` is the room to fit into;
// `folds`: whether a part that is too tall for it may be cut into columns.
function layOut(picture, direction = "auto", screen = SCREEN, folds = true) {
  const routed = scopesOf(picture), cut = { picture, routed, labelled: labelledStreams(routed), screen };
  if (direction !== "auto") return finishLayout(folds ? readableDrawing(cut, direction === "right") : bestDrawing(cut, direction === "right", false));
  const down = readableDrawing(cut, false), used = screenUsed(down), root = down.drawings.get(picture.scopes[0]);
  const proportion = root.width / Math.max(root.height, 1), turns = used > WELL_USED && !(FLAT < proportion && proportion < STEEP);
  const unfolds = down.climbs > 0 && used <= READABLY_USED;
  if (!turns && !unfolds) return finishLayout(down);
  const right = readableDrawing(cut, true);
  if (unfolds && !right.climbs && screenUsed(right) <= READABLY_USED) return finishLayout(right);
  return finishLayout(turns && burden(right) < RIGHT_GAIN * burden(down) ? right : down);
}

// The drawing, folded into columns only where it is too large for the screen otherwise; after a click only if it was before.
function readableDrawing(cut, across) {
  const folded = bestDrawing(cut, across, true);
  if (!folded.climbs || (kept && kept.folded) || screenUsed(folded) > READABLY_USED) return folded;
  const plain = bestDrawing(cut, across, false);
  return screenUsed(plain) <= READABLY_USED ? plain : folded;
}

const roomOfScreen = (across, { width, height }) => (across ? { width: height, height: width } : { width, height });

function screenUsed({ cut, across, drawings }) {
  const root = drawings.get(cut.picture.scopes[0]);
  return roomUsed(roomOfScreen(across, cut.screen), root.width, root.height);
}

// The same, more where many lines rise from column to column.
function burden(drawn) {
  return screenUsed(drawn) * (1 + CLIMB * Math.max(drawn.climbs - CLIMBS, 0));
}

// The drawing of the picture, the arrows pointing down, or to the right with `across`; x and y are still exchanged.
function bestDrawing(cut, across, folds) {
  const columns = columnsNow = new Map();
  let drawings = drawAll(cut, across, new Map(), folds);
  if (sumOf(drawings, "crossings")) {
    // The first pass shows where lines come from. The second lets scopes take their lines in that order.
    const again = drawAll(cut, across, streamOrigins(cut.picture, cut.routed, drawings), folds);
    if (sumOf(again, "crossings") < sumOf(drawings, "crossings")) drawings = again;
  }
  return { cut, across, drawings, columns, climbs: sumOf(drawings, "climbs") };
}

function finishLayout({ cut, across, drawings, columns, climbs }) {
  const { picture, routed, labelled } = cut;
  const places = scopePlaces(picture, drawings), root = drawings.get(picture.scopes[0]);
  const inner = new Map(picture.boxes.map((box) => [box, placeBox(box, across, drawings, places)]));
  return {
    columns,
    folded: climbs > 0,
    ...turnedRect({ width: root.width, height: root.height, x: 0, y: 0 }, across),
    direction: across ? "right" : "down",
    boxes: [...inner.values()].map((placed) => turnedRect(placed, across)),
    scopes: picture.scopes.slice(1).map((scope) => {
      const drawing = drawings.get(scope), [x, y] = places.get(scope);
      return turnedRect({ scope, x, y, width: drawing.width, height: drawing.height, padding: drawing.padding }, across);
    }),
    arrows: routed.map((item) => placeArrow(item, inner, labelled, across, drawings, places)),
  };
}

const turnedRect = (rect, across) =>
  (across ? { ...rect, x: rect.y, y: rect.x, width: rect.height, height: rect.width } : rect);

function drawAll({ picture, routed, labelled, screen }, across, hints, folds) {
  const own = new Map(), loops = new Set(), drawings = new Map(), rooms = roomsOf(picture.scopes, roomOfScreen(across, screen));
  for (const stream of labelled) {
    if (!own.has(stream.source)) own.set(stream.source, new Set());
    own.get(stream.source).add(stream);
  }
  for (const { arrow, stream } of routed) if (!stream) loops.add(arrow.source);
  for (const scope of [...picture.scopes].sort((a, b) => b.depth - a.depth)) {
    const cells = scope.members.map((member) => {
      if (member.scope) {
        const drawing = drawings.get(member.scope);
        return { member, width: drawing.width, height: drawing.height, ports: drawing.ports, labelled: new Set(),
          selfArrows: false, across: false };
      }
      const text = boxText(member.box), [width, height] = across ? [text.height, text.width] : [text.width, text.height];
      return { member, width, height, ports: null, labelled: own.get(member.box) || new Set(),
        selfArrows: loops.has(member.box), across };
    });
    const title = scope.parent ? { width: scopeTitleWidth(scope), height: TITLE_HEIGHT } : null;
    drawings.set(scope, drawScope(cells, [...scope.nets.values()], title, folds ? rooms.get(scope) : ENDLESS, hints, across));
  }
  return drawings;
}

const scopeTitle = (scope) => shorten(scope.label);
const scopeTitleWidth = (scope) => textWidth(scopeTitle(scope), LABEL_SIZE) + 8;

function sumOf(drawings, key) {
  let sum = 0;
  for (const drawing of drawings.values()) sum += drawing[key];
  return sum;
}

function streamOrigins(picture, routed, drawings) {
  const places = scopePlaces(picture, drawings), origins = new Map(), outermost = new Map();
  for (const { stream, meeting: { scope, end } } of routed) {
    if (!stream || outermost.get(stream) <= scope.depth) continue;
    outermost.set(stream, scope.depth);
    origins.set(stream, routeTo(drawings.get(scope), stream, end)[0][0] + places.get(scope)[0]);
  }
  return origins;
}

function scopePlaces(picture, drawings) {
  const places = new Map([[picture.scopes[0], [0, 0]]]);
  for (const scope of picture.scopes.slice(1)) { // parents come before their children
    const [x, y] = places.get(scope.parent), [dx, dy] = drawings.get(scope.parent).origins.get(scope.member);
    places.set(scope, [x + dx, y + dy]);
  }
  return places;
}

// Boxes and lines are placed before x and y are exchanged.
function placeBox(box, across, drawings, places) {
  const text = boxText(box), drawing = drawings.get(box.scope), [left, top] = places.get(box.scope);
  const [x, y] = drawing.origins.get(box.member);
  return { box, x: x + left, y: y + top, width: drawing.widths.get(box.member), height: across ? text.width : text.height,
    lines: text.lines, ran: text.ran, room: text.room };
}

function placeArrow({ arrow, stream, pieces }, placed, labelled, across, drawings, places) {
  const from = placed.get(arrow.source);
  const line = (points) => simplifiedPoints(across ? points.map(([x, y]) => [y, x]) : points);
  if (!stream) return { arrow, points: line(loopPoints(from)), label: null, across };
  const points = pieces.flatMap(({ scope, end }) => {
    const [dx, dy] = places.get(scope);
    return routeTo(drawings.get(scope), stream, end).map(([x, y]) => [x + dx, y + dy]);
  });
  let label = null;
  if (labelled.has(stream)) {
    const [width, height] = across ? [LABEL_HEIGHT, labelWidth(stream)] : [labelWidth(stream), LABEL_HEIGHT];
    const y = stream.down ? from.y + from.height + LABEL_DROP : from.y - LABEL_DROP - height;
    label = turnedRect({ x: points[0][0] - width / 2, y, width, height }, across);
  }
  return { arrow, points: line(points), label, across };
}

function loopPoints(rect) {
  const y = rect.y + rect.height / 2, right = rect.x + rect.width, out = right + LOOP_ROOM - 8;
  return [[right, y - 7], [out, y - 7], [out, y + 7], [right, y + 7]];
}

// The line without repeated points and without points in the middle of a vertical or horizontal piece.
function simplifiedPoints(points) {
  const kept = [];
  for (const [px, py] of points) {
    const x = Math.round(px * 100) / 100, y = Math.round(py * 100) / 100, size = kept.length;
    if (size && kept[size - 1][0] === x && kept[size - 1][1] === y) continue;
    const along = (axis, value) => size >= 2 && kept[size - 1][axis] === kept[size - 2][axis] && kept[size - 1][axis] === value;
    if (along(0, x) || along(1, y)) kept[size - 1] = [x, y];
    else kept.push([x, y]);
  }
  return kept;
}
