// ---- Evidence: states that are taken as known, and what that does to all other variables.

const evidence = new Map(); // from variables to states
const arities = view.nodes.map((node) => node.states.length);
const fullTables = view.evidence.order.length ? view.tables.map((rows) => Float64Array.from(rows.flat())) : [];
const tree = view.evidence.order.length ? junctionTree(arities, view.parents, fullTables, view.evidence.order) : null;
const offsets = [];
arities.reduce((sum, count, v) => { offsets[v] = sum; return sum + count; }, 0);
const canAsk = tree !== null || view.evidence.given.length > 0;
let prior = null; // the distributions without evidence
let posterior = null; // and with it
let likelihood = 0; // the log probability of the evidence
const whenKnown = []; // what is to be drawn again

function ask() {
  if (tree !== null) {
    const found = tree.propagate(evidence);
    if (found === null) return false;
    posterior = found.marginals;
    likelihood = found.logEvidence;
  } else if (evidence.size) {
    const [[v, known]] = evidence;
    const row = view.evidence.given[offsets[v] + known];
    posterior = arities.map((count, u) => row.slice(offsets[u], offsets[u] + count));
    likelihood = Math.log(prior[v][known]);
  } else posterior = view.nodes.map((node) => node.shares);
  if (prior === null) prior = posterior;
  return true;
}

function know(v, known) { // or forget it, if it is known already
  const before = new Map(evidence);
  if (tree === null) evidence.clear();
  if (before.get(v) === known) evidence.delete(v);
  else evidence.set(v, known);
  if (!ask()) { // nothing is possible that contradicts itself
    evidence.clear();
    before.forEach((value, u) => evidence.set(u, value));
    ask();
    say("known", `${name(v)} = ${view.nodes[v].states[known]} is impossible given what is known.`);
    return;
  }
  showEvidence();
}

function forget() {
  evidence.clear();
  ask();
  showEvidence();
}

function showEvidence() {
  const told = [...evidence].map(([v, known]) => `${name(v)} = ${view.nodes[v].states[known]}`).join(", ");
  const chance = Math.exp(likelihood);
  say("known", evidence.size
    ? `Known: ${told}. ${evidence.size === 1 ? "It is" : "Together these are"} seen in ${percent(chance)} of the rows, by the network.`
    : "Nothing is known yet: the bars are what the network says of all rows.");
  byId("forget").hidden = evidence.size === 0;
  for (const act of whenKnown) act();
}

const moved = (v) => Math.max(...posterior[v].map((value, k) => Math.abs(value - prior[v][k])));

// The states of a variable as bars to press; a thin line marks where a bar was before anything was known.
function stateBars(v) {
  const list = make("ul", { class: "states", "data-variable": v });
  view.nodes[v].states.forEach((label, k) => {
    const bar = make("span", { class: "fill" }), was = make("span", { class: "was" });
    const number = make("span", { class: "share" });
    const row = make("button", { type: "button", class: "state-bar", "aria-pressed": "false", "data-state": k },
      make("span", { class: "label" }, label), make("span", { class: "track", "aria-hidden": "true" }, bar, was), number);
    if (canAsk) row.addEventListener("click", () => know(v, k));
    else row.disabled = true;
    list.append(make("li", {}, row));
  });
  moveBars(list);
  return list;
}

function moveBars(list) {
  const v = Number(list.dataset.variable);
  list.querySelectorAll(".state-bar").forEach((row, k) => {
    const value = posterior[v][k], before = prior[v][k];
    row.dataset.p = String(value);
    row.setAttribute("aria-pressed", String(evidence.get(v) === k));
    row.querySelector(".fill").style.width = `${(100 * value).toFixed(2)}%`;
    row.querySelector(".was").style.left = `${(100 * before).toFixed(2)}%`;
    row.querySelector(".share").textContent = percent(value);
  });
  list.closest(".card")?.classList.toggle("known", evidence.has(v));
}

function buildEvidence() {
  ask();
  const cards = view.nodes.map((node, v) => {
    const title = press(node.name, () => { chooseNode(v); byId("details").focus(); }, { class: "name" });
    return make("li", { class: "card", "data-variable": v }, title, stateBars(v));
  });
  const grid = byId("cards");
  grid.append(...cards);
  if (view.evidence.refusal) byId("evidence-help").append(` ${view.evidence.refusal}`);
  whenKnown.push(() => {
    document.querySelectorAll(".states").forEach(moveBars);
    // What is known comes first, then what it changes most.
    const rank = (v) => (evidence.has(v) ? -2 : evidence.size ? -moved(v) : 0);
    const order = [...cards].sort((s, t) => rank(Number(s.dataset.variable)) - rank(Number(t.dataset.variable)));
    const focused = document.activeElement;
    if (!grid.contains(focused)) grid.append(...order.length ? order : cards);
  });
  grid.addEventListener("focusout", (event) => { // sorting under the reader's hands would take the focus away
    if (!grid.contains(event.relatedTarget)) setTimeout(() => showEvidence(), 0);
  });
  byId("forget").addEventListener("click", forget);
  showEvidence();
}
