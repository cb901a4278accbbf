// Layout of a whole picture, the same as picture_layout.py: scopes are laid out from the inside outwards, each one is a
// single node of the scope around it, and lines through borders join up at ports.

const LABEL_DROP = 4, LABEL_HEIGHT = 13;

// Returns {width, height, boxes: [{box, x, y, width, height, lines}], scopes: [{scope, x, y, width, height}],
// arrows: [{arrow, points, label}]}.
function layOut(picture) {
  const routed = scopesOf(picture), labelled = labelledStreams(routed);
  const inner = [...picture.scopes].sort((a, b) => b.depth - a.depth);
  let drawings = drawAll(picture, routed, labelled, inner, new Map());
  if (allCrossings(drawings)) {
    // The first pass shows where lines come from. The second lets scopes take their lines in that order.
    const again = drawAll(picture, routed, labelled, inner, streamOrigins(picture, routed, drawings));
    if (allCrossings(again) < allCrossings(drawings)) drawings = again;
  }
  const places = scopePlaces(picture, drawings), root = drawings.get(picture.scopes[0]);
  const placed = new Map(picture.boxes.map((box) => [box, placeBox(box, drawings, places)]));
  return {
    width: root.width,
    height: root.height,
    boxes: [...placed.values()],
    scopes: picture.scopes.slice(1).map((scope) => {
      const drawing = drawings.get(scope), [x, y] = places.get(scope);
      return { scope, x, y, width: drawing.width, height: drawing.height, padding: drawing.padding };
    }),
    arrows: routed.map((item) => placeArrow(item, placed, labelled, drawings, places)),
  };
}

function drawAll(picture, routed, labelled, inner, hints) {
  const own = new Map(), loops = new Set(), drawings = new Map();
  for (const stream of labelled) {
    if (!own.has(stream.source)) own.set(stream.source, new Set());
    own.get(stream.source).add(stream);
  }
  for (const { arrow, stream } of routed) if (!stream) loops.add(arrow.source);
  for (const scope of inner) {
    const cells = scope.members.map((member) => {
      if (member.scope) {
        const drawing = drawings.get(member.scope);
        return { member, width: drawing.width, height: drawing.height, ports: drawing.ports, labelled: new Set(),
          selfArrows: false };
      }
      const text = boxText(member.box);
      return { member, width: text.width, height: text.height, ports: null,
        labelled: own.get(member.box) || new Set(), selfArrows: loops.has(member.box) };
    });
    const title = scope.parent ? { width: scopeTitleWidth(scope), height: TITLE_HEIGHT } : null;
    drawings.set(scope, drawScope(cells, [...scope.nets.values()], title, hints));
  }
  return drawings;
}

const scopeTitle = (scope) => shorten(scope.label);
const scopeTitleWidth = (scope) => textWidth(scopeTitle(scope), LABEL_SIZE) + 8;

function allCrossings(drawings) {
  let sum = 0;
  for (const drawing of drawings.values()) sum += drawing.crossings;
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

function placeBox(box, drawings, places) {
  const text = boxText(box), drawing = drawings.get(box.scope), [left, top] = places.get(box.scope);
  const [x, y] = drawing.origins.get(box.member);
  return { box, x: x + left, y: y + top, width: drawing.widths.get(box.member), height: text.height, lines: text.lines };
}

function placeArrow({ arrow, stream, pieces }, placed, labelled, drawings, places) {
  if (!stream) return { arrow, points: loopPoints(placed.get(arrow.source)), label: null };
  const points = pieces.flatMap(({ scope, end }) => {
    const [dx, dy] = places.get(scope);
    return routeTo(drawings.get(scope), stream, end).map(([x, y]) => [x + dx, y + dy]);
  });
  const from = placed.get(arrow.source);
  let label = null;
  if (labelled.has(stream)) {
    const width = labelWidth(stream);
    const y = stream.down ? from.y + from.height + LABEL_DROP : from.y - LABEL_DROP - LABEL_HEIGHT;
    label = { x: points[0][0] - width / 2, y, width, height: LABEL_HEIGHT };
  }
  return { arrow, points: simplifiedPoints(points), label };
}

function loopPoints(rect) {
  const y = rect.y + rect.height / 2, right = rect.x + rect.width, out = right + LOOP_ROOM - 8;
  return simplifiedPoints([[right, y - 7], [out, y - 7], [out, y + 7], [right, y + 7]]);
}

// The line without repeated points and without points in the middle of a vertical piece.
function simplifiedPoints(points) {
  const kept = [];
  for (const [px, py] of points) {
    const x = Math.round(px * 100) / 100, y = Math.round(py * 100) / 100, size = kept.length;
    if (size && kept[size - 1][0] === x && kept[size - 1][1] === y) continue;
    if (size >= 2 && kept[size - 1][0] === kept[size - 2][0] && kept[size - 1][0] === x) kept[size - 1] = [x, y];
    else kept.push([x, y]);
  }
  return kept;
}
