// Scopes that the page opens by itself: around the node of a step of the run, or of a hit of the search. They close again
// when the run or the search is left. A scope that the reader opens, closes or selects something in is his from then on.

const CROWD = 150; // with more boxes in view, what was opened in passing before closes
const passing = new Map(); // the scopes that are open in passing, by path
const touchedScopes = new Set(); // the paths of scopes that the reader touched since

function scopesAround(box) {
  const found = [];
  for (let scope = box.home; scope && scope.parent; scope = scope.parent) found.unshift(scope);
  return found;
}

// The id of what a box is drawn as, or in: the outermost closed scope around it, or itself.
function drawnAs(box) {
  const closed = scopesAround(box).find((scope) => !isOpen(scope));
  return closed ? `${closed.path}/` : box.id;
}

const firstBoxIn = (scope) => scope.boxes[0] || firstBoxIn(scope.inner[0]);

// Opens what is closed around the boxes and draws; false where nothing is closed. `always` opens touched scopes too.
function openInPassing(boxes, always = false) {
  const around = new Set(), closed = new Set();
  for (const box of boxes)
    for (const scope of scopesAround(box)) {
      around.add(scope.path);
      if (!isOpen(scope) && !always && touchedScopes.has(scope.path)) break;
      if (!isOpen(scope)) closed.add(scope);
    }
  if (!closed.size) return false;
  const anchor = drawnAs(boxes[0]);
  let crowd = picture.boxes.length;
  for (const scope of closed) crowd += scope.boxes.length + scope.inner.length;
  if (crowd > CROWD) for (const [path, scope] of [...passing]) if (!around.has(path)) closeAgain(scope);
  for (const scope of closed) {
    setOpen(scope, true);
    passing.set(scope.path, scope);
  }
  redraw(anchor);
  return true;
}

function closeAgain(scope) {
  passing.delete(scope.path);
  setOpen(scope, false);
}

// Closes what is open in passing, but not around the boxes in `kept`, and draws; false where there is nothing to close.
function closePassing(kept) {
  const around = new Set(kept.flatMap((box) => scopesAround(box).map((scope) => scope.path)));
  const over = [...passing].filter(([path]) => !around.has(path));
  if (!over.length) return false;
  for (const [, scope] of over) closeAgain(scope);
  const [here] = [...kept, ...nodesOfStep(state.step), firstBoxIn(over[over.length - 1][1])];
  redraw(drawnAs(here));
  return true;
}

// The scopes from `scope` outwards stay as the reader has them.
function touchScopes(scope) {
  for (; scope && scope.parent; scope = scope.parent) {
    passing.delete(scope.path);
    touchedScopes.add(scope.path);
  }
}

function forgetPassing() {
  passing.clear();
  touchedScopes.clear();
}
