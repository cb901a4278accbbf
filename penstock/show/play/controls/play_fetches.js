// What is fetched, and what the fetches need: all else is grey and is not computed.

// The names of the nodes that the chosen fetches need, found in the picture of the plan: through data and control edges.
function neededNodes(shown, names) {
  const needed = new Set(), fed = new Set(DATA.play.feeds.map(([name]) => name.replace(/:\d+$/, "")));
  const waiting = names.flatMap((name) => nodesOfFetch(name).map((node) => shown.byId.get(node))).filter(Boolean);
  while (waiting.length) {
    const box = waiting.pop();
    if (needed.has(box.id)) continue;
    needed.add(box.id);
    for (const { name } of box.constants) needed.add(name);
    if (!fed.has(box.id)) for (const { source } of box.inputs) waiting.push(source);
  }
  return needed;
}

// The names of the nodes that compute a fetch: its own, and those of the steps that do so in the plan in use.
function nodesOfFetch(name) {
  const plan = DATA.play.plans[player.inUse], place = placesOfPlan(player.inUse).get(name), asked = ASKED.indexOf(name);
  const steps = asked < 0 ? [] : [...plan.fetched[asked].steps, producersOf(plan)[plan.fetched[asked].slot]];
  if (place) steps.push(outerStep(place));
  return [name, name.replace(/:\d+$/, ""), ...steps.filter((k) => k !== undefined).map((k) => plan.steps[k].node)];
}

// The steps that run; null for all.
function wantedSteps() {
  if (!fetchesNow) return null;
  const needed = neededNodes(viewAt(VIEW_OF_PLAN.get(player.inUse)), fetchesNow);
  return new Set(player.frame.plan.steps.flatMap(({ node }, k) => (needed.has(node) ? [k] : [])));
}

// Greys what is not needed.
function fadeUnneeded() {
  const number = VIEW_OF_PLAN.get(player.inUse), shown = viewAt(number);
  if (!fetchesNow && player.inUse !== "written") return void (DATA.views[number].faded = {}); // its unneeded nodes are gone
  const needed = neededNodes(shown, fetchesNow || ASKED);
  DATA.views[number].faded = Object.fromEntries(shown.boxes.filter(({ id }) => !needed.has(id)).map(({ id }) => [id, "the fetches do not need it"]));
}

const isFetched = (name) => (fetchesNow || ASKED).includes(name);

// The button on a node's card that fetches this node alone, and goes back to all.
function fetchButton(box) {
  const name = ASKED.includes(box.id) ? box.id : `${box.id}:0`, only = fetchesNow && fetchesNow.length === 1 && fetchesNow[0] === name;
  if (["constant", "fed"].includes(box.kind) && !fetchesNow) return null;
  return element("p", { class: "actions" },
    element("button", { id: "fetch-only", "aria-pressed": Boolean(only), onclick: () => chooseFetches(only ? null : [name]),
      title: "Compute only what this node needs; the rest is grey" }, only ? "Fetch all again" : "Fetch only this"));
}

// The list of fetches with a switch for each, on the overview.
function fetchList() {
  const rest = (fetchesNow || []).filter((name) => !ASKED.includes(name));
  return section("Fetches", element("ul", { class: "fetch-list" }, ...[...ASKED, ...rest].slice(0, 60).map((name) => {
    const box = element("input", { type: "checkbox", checked: isFetched(name), "aria-label": `fetch ${name}`, onchange: () => turnFetch(name, box.checked) });
    const made = view.byId.get(name.replace(/:\d+$/, "")) || view.byId.get(name);
    return element("li", {}, box, " ", made ? link(made, actions.go, shorten(name, 44)) : cut(name, 44));
  })), fetchesNow ? element("button", { class: "link", onclick: () => chooseFetches(null) }, "all that were asked for") : null);
}

function turnFetch(name, isOn) {
  const now = fetchesNow || ASKED, next = isOn ? [...now, name] : now.filter((each) => each !== name);
  const isAll = next.length === ASKED.length && ASKED.every((each) => next.includes(each));
  chooseFetches(isAll ? null : next);
}
player.choose = wantedSteps;
