// What a layout keeps of the one before, so that a click moves little: the columns of folded parts, and the order of what
// stands side by side. A layout that keeps nothing is that of the exported picture.

let kept = null; // the arrangement that the layout in progress keeps: {columns, folded, at}; or null
let keepsEveryOrder = false; // in a run that is followed: who watches a box must not look for it anew
let columnsNow = new Map(); // the column of each member in the drawing in progress
const MORE_CROSSINGS = 1.5, FEW_CROSSINGS = 3; // an order is not kept if it has more crossings than these allow

const MOST_REMEMBERED = 30; // drawings of a view

// What is in view of a view and its layout, which keeps the arrangement of `before` if that is not null. Where clicks lead
// back to scopes that were open before, the drawing is the same again.
function arrangedView(view, before) {
  const picture = visiblePicture(view), name = picture.scopes.map((scope) => scope.origin.number).join(" ");
  if (!before || !view.drawings || LAYER.laysOut) view.drawings = new Map(); // values change the sizes of boxes
  if (LAYER.laysOut) LAYER.laysOut(picture);
  const known = view.drawings.get(name);
  if (known) return known;
  const found = { picture, layout: layOutLike(picture, before) };
  view.drawings.set(name, found);
  if (view.drawings.size > MOST_REMEMBERED) view.drawings.delete(view.drawings.keys().next().value);
  return found;
}

const memberName = (member) => (member.box ? member.box.id : `${member.scope.origin.path}/`);

// Lays out a picture, keeping the arrangement of `before`, which is the layout on the screen or null.
function layOutLike(picture, before) {
  if (before) {
    const centre = ({ x, y, width, height }) => (before.direction === "right" ? y + height / 2 : x + width / 2), at = new Map();
    for (const placed of before.scopes) at.set(`${placed.scope.origin.path}/`, centre(placed));
    for (const placed of before.boxes) at.set(placed.box.id, centre(placed));
    kept = { columns: before.columns, folded: before.folded, at };
  }
  const folds = DATA.direction === "auto"; // a direction that was asked for is kept all the way
  try {
    return narrow.matches ? layOut(picture, direction === "auto" ? "down" : direction, narrowRoom(), folds) : layOut(picture, direction, SCREEN, folds);
  } finally { kept = null; }
}

// The columns that the members of a part had; null if one is new, or if a line would lead back to an earlier column.
function keptColumns(cells, nets) {
  if (!kept || !cells.every(({ member }) => kept.columns.has(memberName(member)))) return null;
  const numberOf = new Map(cells.map(({ member }) => [member, kept.columns.get(memberName(member))]));
  for (const net of nets) {
    const numbers = [net.hub, ...net.ends].filter((member) => member !== BORDER).map((member) => numberOf.get(member));
    if (numbers.some((number) => (net.stream.down ? number < numbers[0] && net.hub !== BORDER : number !== numbers[0]))) return null;
  }
  const numbers = [...new Set(numberOf.values())].sort((a, b) => a - b);
  return numbers.map((number) => cells.filter(({ member }) => numberOf.get(member) === number));
}

function rememberColumns(columns) {
  columns.forEach((cells, number) => cells.forEach(({ member }) => columnsNow.set(memberName(member), number)));
  return columns;
}

// The layers in the order that their members had; bends and new members stand between their neighbours. The order with
// few crossings where nothing is known, or where keeping costs too many.
function keptOrder(graph, nodes) {
  const best = orderLayers(graph), fixed = new Map();
  if (!kept) return best;
  for (const [member, node] of nodes.member)
    if (kept.at.has(memberName(member))) fixed.set(node, kept.at.get(memberName(member)));
  if (fixed.size < 2) return best;
  const at = betweenNeighbours(graph, fixed), layers = graph.layers.map((layer) => [...layer].sort((a, b) => at[a] - at[b]));
  keepPinned(graph, layers);
  if (graph.links.length <= SWAP_EDGES) swapNeighbours(graph, layers, fixed);
  const few = keepsEveryOrder ? Infinity : MORE_CROSSINGS * countCrossings(graph, best) + FEW_CROSSINGS;
  return countCrossings(graph, layers) <= few ? layers : best;
}

// A place for every node: the known one, or the mean of its neighbours' places.
function betweenNeighbours(graph, fixed) {
  const at = new Array(graph.count).fill(null);
  for (const [node, place] of fixed) at[node] = place;
  for (let round = 0; round < 8; round++)
    for (const layer of round % 2 ? [...graph.layers].reverse() : graph.layers)
      for (const node of layer) {
        if (fixed.has(node)) continue;
        const near = [...graph.above[node], ...graph.below[node]].map(([other]) => at[other]).filter((place) => place !== null);
        if (near.length) at[node] = near.reduce((sum, place) => sum + place, 0) / near.length;
      }
  return at.map((place) => (place === null ? 0 : place));
}
