// ---- The details of an edge.

const MOST_OFFERED = 12; // edges of a verdict that are listed beside the drawing

function openPanel(title, ...content) {
  byId("details").classList.remove("empty");
  byId("details-title").textContent = title;
  byId("details-body").replaceChildren(press("← all edges", clearPanel), ...content);
  byId("details").scrollTop = 0;
}

function choose(index) {
  state.chosen = index;
  state.node = null;
  const edge = view.edges[index];
  const badges = make("p", {}, make("span", { class: "badge", id: "badge" }));
  badges.append(" ", make("span", { class: `badge verdict ${edge.verdict}` }, `${view.verdicts[edge.verdict].title}: ${edge.action}`));
  const ends = make("p", { class: "ends" }, "Variables: ", press(name(edge.first), () => chooseNode(edge.first)), " ", press(name(edge.second), () => chooseNode(edge.second)));
  openPanel(nameOf(edge, state.consensus.get(index)), badges, ends);
  const body = byId("details-body");
  for (const said of edge.sentences) { // what stands between backticks is a name of the program
    const parts = (typeof said === "number" ? view.phrases[said] : said).split("`");
    body.append(make("p", {}, ...parts.map((part, k) => (k % 2 ? make("code", {}, part) : part))));
  }
  if (edge.picture) body.append(make("h4", {}, "The rows"), ...edgePicture(edge));
  body.append(make("h4", {}, "Confidence by method and score"), methodTable(edge));
  body.append(make("h4", {}, "Direction"), directionTable(edge));
  if (!edge.picture) body.append(make("h4", {}, "Effect"), effectTable(edge, edge.tail), effectTable(edge, edge.tail === edge.first ? edge.second : edge.first));
  if (edge.curve.length) body.append(make("h4", {}, "Dependence on the strength of the prior"), priorChart(edge), priorNote(edge));
  refreshBadge();
  fade();
  setAddress(`edge=${encodeURIComponent(`${name(edge.first)}--${name(edge.second)}`)}`);
  for (const row of rows) row.classList.toggle("chosen", Number(row.dataset.edge) === index);
}

function setAddress(hash) { // so that an edge can be sent to somebody; a page within another one has no address
  try {
    history.replaceState(null, "", hash ? `#${hash}` : "#");
  } catch { /* the page stays as it is */ }
}

const LINKED = location.hash; // what the page was opened with

function openLinkedEdge() { // "#edge=age--smoke"
  if (!LINKED.startsWith("#edge=")) return;
  const wanted = decodeURIComponent(LINKED.slice(6));
  const found = view.edges.findIndex(({ first, second }) => [`${name(first)}--${name(second)}`, `${name(second)}--${name(first)}`].includes(wanted));
  if (found >= 0) choose(found);
}

function offerEdges() { // before anything is chosen: the edges by their verdicts, each with what to do about it
  const shown = visibleEdges(), at = view.target, touches = (index) => [view.edges[index].first, view.edges[index].second].includes(at);
  if (!shown.length) return;
  const heads = ["edge", view.few ? "" : measure, "direction", "do"].map((text, k) => make("th", { scope: "col", ...(k === 1 ? { class: "number" } : {}) }, view.glossary[text] ? make("abbr", { title: view.glossary[text] }, text) : text));
  const table = make("table", { class: "offers" }, make("thead", {}, make("tr", {}, ...heads)));
  if (at === undefined) table.append(...offeredGroups(shown, ""));
  else table.append(...offeredGroups(shown.filter(touches), `, at ${name(at)}`), ...offeredGroups(shown.filter((index) => !touches(index)), ", elsewhere"));
  byId("details-body").append(table);
  if (view.record) byId("details-body").append(make("p", { class: "help" }, view.record));
}

function offeredGroups(shown, where) {
  return Object.entries(view.verdicts).flatMap(([key, { title }]) => {
    const own = shown.filter((index) => view.edges[index].verdict === key);
    if (!own.length) return [];
    const more = own.length > MOST_OFFERED ? `; the first ${MOST_OFFERED}` : "";
    const heading = make("th", { scope: "rowgroup", colspan: 4, class: `verdict ${key}` }, `${title[0].toUpperCase()}${title.slice(1)} (${own.length})${where}${more}`);
    return [make("tbody", {}, make("tr", {}, heading), ...own.slice(0, MOST_OFFERED).map((index) => {
      const edge = view.edges[index], open = () => { choose(index); byId("details").focus(); };
      return make("tr", { "data-edge": index }, make("th", { scope: "row" }, press(nameOf(edge, state.consensus.get(index)), open, { class: "link" })),
        make("td", { class: "number" }, view.few ? "" : confidence(real(edge), 2)), make("td", { class: "way" }, edge.way), make("td", {}, edge.action));
    }))];
  });
}

function refreshBadge() {
  const edge = view.edges[state.chosen];
  byId("details-title").textContent = nameOf(edge, state.consensus.get(state.chosen));
  byId("badge").textContent = `${shownShare(edge)}, ${stateOf(state.chosen)}`;
}

function bar(share) {
  const filled = make("span", { class: "bar" });
  filled.style.width = `${(100 * share).toFixed(1)}%`;
  return make("span", { class: "track", "aria-hidden": "true" }, filled);
}

function shareTable(caption, entries, show) {
  const table = make("table", {}, make("caption", {}, caption));
  const lines = make("tbody");
  for (const [label, share] of entries) {
    lines.append(make("tr", {}, make("th", { scope: "row" }, label),
      make("td", { class: "number" }, share === null ? "–" : show(share)), make("td", {}, share === null ? "" : bar(share))));
  }
  table.append(lines);
  return table;
}

function methodTable(edge) {
  return shareTable("The first is the one that the network rests on.", view.methods.map((title, k) => [title, edge.by_method[k]]), confidence);
}

const sharesOf = (edge) => (edge.confidence > 0 ? [edge.forward / edge.confidence, edge.backward / edge.confidence, edge.undirected / edge.confidence] : [0, 0, 0]);

function directionTable(edge) {
  const [forward, backward, either] = sharesOf(edge);
  return shareTable("If there is an edge: the shares of the networks that have it.", [
    [`${name(edge.first)} → ${name(edge.second)}`, forward], [`${name(edge.second)} → ${name(edge.first)}`, backward],
    ["either way", either]], percent);
}

function boxed(label, table) { // a table that may be wider than its place
  return make("div", { class: "small", tabindex: "0", role: "region", "aria-label": label }, table);
}

function effectTable(edge, from) {
  const to = from === edge.first ? edge.second : edge.first;
  const counts = from === edge.tail ? edge.counts : edge.counts[0].map((_, k) => edge.counts.map((row) => row[k]));
  const table = make("table", {}, make("caption", {}, `Share of the rows in each state of ${name(to)}, by ${name(from)}.`));
  const head = make("tr", {}, make("th", { scope: "col" }, name(from)));
  for (const label of view.nodes[to].states) head.append(make("th", { scope: "col", class: "number" }, label));
  head.append(make("th", { scope: "col", class: "number" }, "rows"));
  const body = make("tbody");
  counts.forEach((row, k) => {
    const total = row.reduce((sum, count) => sum + count, 0);
    const line = make("tr", {}, make("th", { scope: "row" }, view.nodes[from].states[k]));
    for (const count of row) line.append(make("td", { class: "number" }, total ? percent(count / total) : "–"));
    line.append(make("td", { class: "number" }, total.toLocaleString("en")));
    body.append(line);
  });
  table.append(make("thead", {}, head), body);
  return boxed(`Effect of ${name(from)} on ${name(to)}`, table);
}

function priorChart(edge) {
  const width = 360, height = 170, left = 52, right = 10, top = 10, bottom = 36;
  const logs = view.ess.map(Math.log10);
  const [first, last] = [logs[0], logs[logs.length - 1]];
  const squeeze = (value) => Math.sign(value) * Math.log10(1 + Math.abs(value)); // the curve spans orders of magnitude
  const values = edge.curve.map(squeeze);
  const low = Math.min(0, ...values), high = Math.max(0, ...values) || 1;
  const px = (value) => left + ((value - first) / (last - first)) * (width - left - right);
  const py = (value) => top + ((high - value) / (high - low || 1)) * (height - top - bottom);
  const chart = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "Support for the arc over the strength of the prior. Above zero the score prefers the network with the arc." });
  for (let power = Math.ceil(first); power <= last; power += 2) {
    chart.append(draw("line", { class: "grid", x1: px(power), x2: px(power), y1: top, y2: height - bottom }));
    chart.append(draw("text", { class: "middle", x: px(power), y: height - bottom + 16 }, power === 0 ? "1" : power < 0 ? `${10 ** power}` : (10 ** power).toLocaleString("en")));
  }
  chart.append(draw("line", { class: "zero", x1: left, x2: width - right, y1: py(0), y2: py(0) }));
  const ticks = [0];
  for (const sign of [1, -1]) for (const size of [1, 10, 100, 1000, 10000]) {
    const at = squeeze(sign * size);
    if (at < high * 1.001 && at > low * 1.001 && Math.abs(py(at) - py(0)) > 14) ticks.push(sign * size);
  }
  for (const tick of ticks) chart.append(draw("text", { class: "end", x: left - 6, y: py(squeeze(tick)) + 4 }, String(tick)));
  chart.append(draw("path", { class: "line s0", d: values.map((value, k) => `${k ? "L" : "M"}${px(logs[k]).toFixed(1)},${py(value).toFixed(1)}`).join("") }));
  chart.append(draw("text", { class: "label middle", x: (left + width - right) / 2, y: height - 4 }, "strength of the prior (imaginary rows, ESS)"));
  return chart;
}

function priorNote(edge) {
  const head = edge.tail === edge.first ? edge.second : edge.first;
  const given = edge.given.length ? `, over and above ${edge.given.map(name).join(", ")}` : "";
  return make("p", { class: "help" }, `The height is the support of BDeu for ${name(edge.tail)} → ${name(head)}${given}: above zero it prefers the network with the arc (log Bayes factor, squeezed scale). The strength of the prior is how many imaginary rows it adds to the data; 1 to 50 are usual.`);
}
