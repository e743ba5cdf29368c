// ---- How an edge looks: its line is its verdict, its width how probable it is, its head how far its direction is known.

const GUESSED = 0.35; // as how probable the edges of too few networks are drawn
const real = (edge) => (view.few ? GUESSED : edge.probability === undefined ? edge.confidence : edge.probability); // its probability, or else its confidence
const measure = view.scale ? "probability" : "confidence";
const shownShare = (edge) => (view.few ? `in ${Math.round(edge.confidence * view.few)} of ${view.few} network${view.few === 1 ? "" : "s"}` : `${measure} ${confidence(real(edge), 2)}`);
const thickness = (probability) => 0.8 + 3.6 * probability;
const HEADS = { settled: "head", yours: "head said" };
const headOf = (edge, arc) => (!view.few && arc.tail === edge.tail && HEADS[edge.direction]) || "head open";

function counted() { // "4 rely on, 2 open": how many edges of the network each verdict has
  const shown = visibleEdges().map((index) => view.edges[index].verdict);
  return Object.entries(view.verdicts).map(([key, { title }]) => [title, shown.filter((verdict) => verdict === key).length])
    .filter(([, count]) => count).map(([title, count]) => `${title} ${count}`).join(", ");
}

function buildLegend() {
  const line = (kind, text, { head = null, wide = 0.8 } = {}) => {
    const icon = draw("svg", { width: 52, height: 16, "aria-hidden": "true", class: `edge ${kind}` });
    const ink = draw("path", { class: "ink", d: head ? "M2,8L40,8" : "M2,8L50,8", "stroke-width": thickness(wide) });
    if (kind && view.verdicts[kind].dashes) ink.setAttribute("stroke-dasharray", view.verdicts[kind].dashes);
    icon.append(ink);
    if (head) icon.append(draw("path", { class: head, d: "M51,8L39,3L39,13Z" }));
    return make("li", {}, icon, text);
  };
  const kinds = new Set(view.edges.map((edge) => edge.verdict)), ways = new Set(view.edges.map((edge) => edge.direction));
  const items = Object.entries(view.verdicts).filter(([kind]) => kinds.has(kind)).map(([kind, { words }]) => line(kind, view.few ? "a guess: too few networks to tell" : words));
  if (!view.few) items.push(line("", "thin: not probable", { wide: 0.15 }));
  if (ways.has("settled")) items.push(line("", "direction settled by the data", { head: "head" }));
  if (ways.has("yours")) items.push(line("", "direction is what you said", { head: "head said" }));
  if (view.few || ways.has("likely")) items.push(line("", view.few ? "direction of the network" : "direction likely", { head: "head open" }));
  byId("legend").append(...items, line("", "no arrow head: direction unknown"));
}
