// The search: finds nodes by name, op type, dtype, shape, line and attribute, and goes from hit to hit.
//
// A search is a list of words, and a box is a hit if it has all of them: in its name or op type, or in one of its facts
// ("float32 (batch, 3)", "axis=1", "model.py:25"). A bracket keeps its spaces: `(batch, 3)` is one word.

const search = document.getElementById("search"), results = document.getElementById("results");
const MOST_RESULTS = 30;
// Hits of `view`; `at` is the place of the hit that was gone to (-1: none yet), `marked` that of the row in the list.
let hits = { view: null, text: "", found: [], at: -1, marked: 0 };

function wordsOf(text) {
  const words = text.toLowerCase().match(/[^\s([]*(?:\([^)]*\)?|\[[^\]]*\]?)\S*|\S+/g) || [];
  return words.map((word) => {
    const letters = word.replace(/\s+/g, "");
    return { text: word, type: letters, attribute: letters.replace(/_/g, ""), line: /:\d*$|\.py/.test(word) ? letters : "", known: new Map() };
  });
}

// ---- what a box has ---------------------------------------------------------------------------------------------

const factsOfCard = []; // [text, kind] for each card; the kind is type, attribute or line
const packedTexts = new Map();

function packed(text) {
  let found = packedTexts.get(text);
  if (found === undefined) packedTexts.set(text, found = text.toLowerCase().replace(/\s+/g, ""));
  return found;
}

function cardFacts(number) {
  if (!factsOfCard[number]) {
    const [, attributes, outputs, origins, device] = DATA.cards[number];
    factsOfCard[number] = [
      ...outputs.map(([dtype, shape]) => [`${TEXTS[dtype]} ${TEXTS[shape]}`, "type"]),
      ...attributes.map(([name, value]) => [`${name}=${value}`, "attribute"]),
      ...origins.map(([place]) => [TEXTS[place], "line"]),
      ...(TEXTS[device] ? [[TEXTS[device], "type"]] : [])];
  }
  return factsOfCard[number];
}

// The types of the values that a box made in the recorded run, and the nodes that were fused into it.
function runFactsOf(box) {
  if (!FACTS.plan) return [];
  const types = valueNamesOf(box).map((name) => valueOfName(name)[0]), members = stepMembers.get(box.id) || [];
  return members.length > 1 ? [...types, ...members] : types;
}

const stepMembers = new Map((FACTS.plan || []).map(([node, members]) => [node, members]));

// Whether a fact has the word. A number at the end of a word is complete: ":2" is not found in ":25". TensorFlow's
// keep_dims is called keepdims here, so underscores of attributes do not count.
function factHas(fact, kind, word) {
  const sought = word[kind];
  if (!sought) return false;
  let has = word.known.get(fact);
  if (has === undefined) {
    const text = kind === "attribute" ? packed(fact).replace(/_/g, "") : packed(fact);
    const complete = /\d$/.test(sought) && /[:=]/.test(text);
    let at = text.indexOf(sought);
    while (complete && at >= 0 && /\d/.test(text[at + sought.length] || "")) at = text.indexOf(sought, at + 1);
    word.known.set(fact, has = at >= 0);
  }
  return has;
}

// The fact of a box that has the word, or null. The constants that are written in a box are facts of it.
function factWith(box, word) {
  for (const { name, line, card } of box.constants) {
    if (name.toLowerCase().includes(word.text) || factHas(line, "attribute", word)) return line;
    if (card >= 0 && cardFacts(card).some(([fact, kind]) => factHas(fact, kind, word))) return line;
  }
  for (const fact of [...box.detail, ...(box.ran || [])]) if (factHas(fact, "type", word)) return fact;
  if (box.card >= 0) for (const [fact, kind] of cardFacts(box.card)) if (factHas(fact, kind, word)) return fact;
  for (const fact of runFactsOf(box)) if (factHas(fact, "type", word)) return fact;
  return null;
}

// How a box fits: 0 by its whole name, 1 by parts of name and op type, 2 by its facts; null if it does not.
function fitOf(box, words) {
  box.plainName = box.plainName || box.id.toLowerCase();
  const name = box.plainName, type = packed(box.type);
  let rank = 1, says = box.type;
  for (const word of words) {
    if (name.includes(word.text) || type.includes(word.text)) continue;
    const fact = word.text.startsWith(`${name}:`) ? "" : factWith(box, word);
    if (fact === null) return null;
    if (fact) { rank = 2; says = fact; }
  }
  const only = words[0].text.replace(/:\d+$/, ""); // a tensor is found by the node that made it
  const isName = name === only || box.constants.some((each) => each.name.toLowerCase() === only);
  return { box, rank: words.length === 1 && isName ? 0 : rank, says };
}

function hitsIn(shown, text) {
  const words = wordsOf(text), ranks = [[], [], []];
  if (words.length)
    for (const box of shown.boxes) {
      const fit = fitOf(box, words);
      if (fit) ranks[fit.rank].push(fit);
    }
  return ranks.flat();
}

// ---- the hits on the screen -------------------------------------------------------------------------------------

// Another view has other boxes, so its hits are found anew.
function hitsNow() {
  const text = search.value.trim();
  if (hits.view !== view || hits.text !== text) {
    const found = hitsIn(view, text), chosen = found.findIndex(({ box }) => box === state.selected);
    hits = { view, text, found, at: chosen, marked: Math.max(chosen, 0) };
    tellHits();
  }
  return hits;
}

// The boxes in view that are hits, or closed scopes with a hit in them.
function boxesOfHits() {
  const { found } = hitsNow();
  if (hits.picture !== picture) Object.assign(hits, { picture, homes: new Set(found.map(({ box }) => homeOf(box))) });
  return hits.homes;
}

function tellHits() {
  const { found, at, text } = hits, count = found.length;
  document.getElementById("hits").textContent = !text ? "" : at >= 0 ? `${at + 1} of ${count}` : count === 1 ? "1 hit" : `${count || "no"} hits`;
  document.getElementById("finds").hidden = !text;
  for (const name of ["hit-before", "hit-after"]) document.getElementById(name).disabled = !count;
}

function listHits() {
  const { found, marked, text } = hitsNow(), first = Math.max(0, Math.min(marked - MOST_RESULTS + 8, found.length - MOST_RESULTS));
  const shown = found.slice(first, first + MOST_RESULTS).map(({ box, says }, row) => element("li", {
    "aria-selected": first + row === marked, onclick: () => { goToHit(first + row); canvas.focus(); } },
  element("b", {}, cut(box.id, 56)), element("small", {}, cut(says, 40))));
  const more = found.length - first - shown.length;
  if (more > 0) shown.push(element("li", { class: "more" }, `and ${more} more`));
  if (text && !found.length) shown.push(element("li", { class: "more" }, "No node has that name, op type, dtype, shape, line or attribute."));
  results.replaceChildren(...shown);
  results.hidden = !shown.length;
}

// Selects a hit, in whatever scope it is; after the last one comes the first.
function goToHit(at) {
  const { found } = hitsNow();
  if (!found.length) return;
  if (hits.at >= 0) replaceAddress();
  hits.at = hits.marked = (at + found.length) % found.length;
  closeResults();
  tellHits();
  const { box } = found[hits.at], before = placesOf(layout), opened = openInPassing([box], true);
  select(box, false);
  if (opened) moveFrom(before, layout);
}

function closeResults() { results.hidden = true; }

function clearSearch() {
  search.value = "";
  hitsNow();
  closeResults();
  if (!closePassing([...(state.selected ? [state.selected] : []), ...nodesOfStep(state.step)])) paint();
}

search.addEventListener("input", () => { hitsNow(); listHits(); paint(); });

search.addEventListener("keydown", (event) => {
  const { found, at, marked } = hitsNow(), listed = !results.hidden;
  if (event.key === "Escape") { clearSearch(); canvas.focus(); }
  else if (event.key === "Enter" && listed && !event.shiftKey) goToHit(marked);
  else if (event.key === "Enter") goToHit(event.shiftKey ? (at < 0 ? -1 : at - 1) : at + 1);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (listed) hits.marked = Math.min(Math.max(marked + (event.key === "ArrowDown" ? 1 : -1), 0), found.length - 1);
    listHits();
  } else return;
  event.stopPropagation();
});

document.getElementById("hit-before").addEventListener("click", () => goToHit(hitsNow().at < 0 ? -1 : hits.at - 1));
document.getElementById("hit-after").addEventListener("click", () => goToHit(hitsNow().at + 1));
