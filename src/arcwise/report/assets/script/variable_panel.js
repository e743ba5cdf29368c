// ---- The details of a variable: its states, what it depends on, and its table.

const MOST_CELLS = 600; // of a table that is shown

const childrenOf = (v) => view.parents.flatMap((own, child) => (own.includes(v) ? [child] : []));

function chooseNode(v) { // null: none
  state.node = v;
  state.chosen = null;
  if (v !== null) state.part = null;
  byId("filter").value = v === null ? "" : name(v);
  if (v === null) clearPanel();
  else showVariable(v);
  fade();
  refreshTable();
}

function clearPanel() {
  openPanel("What to do about each edge");
  if (location.hash.startsWith("#edge=")) setAddress("");
  byId("details-body").replaceChildren();
  byId("details").classList.add("empty");
  offerEdges();
}

function showVariable(v) {
  const parents = view.parents[v], children = childrenOf(v);
  const badge = make("p", {}, make("span", { class: "badge" }, `${plural(parents.length, "parent", "parents")}, ${plural(children.length, "child", "children")} in the recommended network`));
  const about = state.around === v ? [] : [make("p", {}, press(`Show what is around ${name(v)}`, () => goAround(v)))];
  openPanel(name(v), badge, ...about,
    make("h4", {}, "States"),
    make("p", { class: "help" }, canAsk ? "Press a state to take it as known: all other bars move." : view.evidence.refusal), stateBars(v),
    ...neighbourTable(v, parents, children), ...heatMap(v));
  for (const row of rows) row.classList.remove("chosen");
}

// What each parent tells about a variable beyond its other parents, and the variable about each child beyond the
// child's other parents; and what the two of a pair tell about each other alone, in the data.
function neighbourTable(v, parents, children) {
  const listed = [...parents.map((u) => [u, "parent", v]), ...children.map((u) => [u, "child", u])];
  const title = make("h4", {}, "What it depends on");
  if (!listed.length) return [title, make("p", { class: "help" }, "No edge joins it to another variable in the recommended network.")];
  const table = make("table", {}, make("caption", {}, `Information in bits: what the two tell about each other alone, in the data${tree === null ? "" : "; and what the arc adds to the other parents of its head, by the network"}.`));
  const head = make("tr", {}, ...["variable", "probability", "alone", ...(tree === null ? [] : ["adds"])].map((text, k) =>
    make("th", { scope: "col", ...(k ? { class: "number" } : {}) }, text)));
  if (tree !== null) tree.propagate(new Map());
  const lines = listed.map(([u, role, child]) => {
    const index = view.edges.findIndex((edge) => (edge.first === u && edge.second === v) || (edge.first === v && edge.second === u));
    const family = [...view.parents[child], child], other = child === v ? u : v;
    const adds = tree === null ? null : informationOf(tree.family(child), family.map((w) => arities[w]), family.indexOf(other));
    return { u, role, edge: view.edges[index], alone: mutualInformation(view.edges[index].counts), adds };
  });
  if (tree !== null) ask();
  lines.sort((s, t) => (t.adds === null ? t.alone - s.alone : t.adds - s.adds));
  const body = make("tbody", {}, ...lines.map(({ u, role, edge, alone, adds }) => make("tr", {},
    make("th", { scope: "row" }, press(name(u), () => chooseNode(u), { class: "link" }), ` ${role}`),
    make("td", { class: "number" }, view.few ? shownShare(edge) : confidence(real(edge), 2)), make("td", { class: "number" }, fixed(alone, 3)),
    ...(adds === null ? [] : [make("td", { class: "number", "data-adds": String(adds) }, fixed(adds, 3))]))));
  table.append(make("thead", {}, head), body);
  return [title, boxed(`What ${name(v)} depends on`, table)];
}

function mutualInformation(counts) { // of two variables, from a table of their cases, in bits
  const total = counts.flat().reduce((sum, count) => sum + count, 0);
  const inRow = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const inColumn = counts[0].map((_, k) => counts.reduce((sum, row) => sum + row[k], 0));
  let bits = 0;
  counts.forEach((row, i) => row.forEach((count, j) => {
    if (count > 0) bits += (count / total) * Math.log2((count * total) / (inRow[i] * inColumn[j]));
  }));
  return Math.max(0, bits);
}

function heatMap(v) { // the fitted table, a row for each combination of the parents' states; darker is more probable
  const parents = view.parents[v], probabilities = view.tables[v];
  const title = make("h4", {}, parents.length ? "Its table in the recommended network" : "Its probabilities in the recommended network");
  if (probabilities === null || probabilities.length * arities[v] > MOST_CELLS) {
    return [title, make("p", { class: "help" }, `The table over ${parents.map(name).join(", ")} is too large to show; it is in network.bif.`)];
  }
  const table = make("table", { class: "heat" }, make("caption", {}, "Fitted probabilities."));
  const head = make("tr");
  for (const p of parents) head.append(make("th", { scope: "col" }, name(p)));
  for (const label of view.nodes[v].states) head.append(make("th", { scope: "col", class: "number" }, label));
  const body = make("tbody");
  probabilities.forEach((row, configuration) => {
    const line = make("tr");
    let rest = configuration;
    const codes = parents.map(() => 0);
    for (let k = parents.length - 1; k >= 0; k -= 1) {
      codes[k] = rest % arities[parents[k]];
      rest = Math.floor(rest / arities[parents[k]]);
    }
    codes.forEach((code, k) => line.append(make("th", { scope: "row" }, view.nodes[parents[k]].states[code])));
    for (const value of row) {
      const cell = make("td", { class: "number" }, value > 0 && value < 0.005 ? "<1%" : value < 1 && value >= 0.995 ? ">99%" : percent(value));
      cell.style.setProperty("--heat", `${Math.round(62 * value)}%`);
      line.append(cell);
    }
    body.append(line);
  });
  table.append(make("thead", {}, head), body);
  return [title, boxed(title.textContent, table)];
}
