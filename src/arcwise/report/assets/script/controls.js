// ---- The controls: a cut-off, by hand, by rule or by cost.

function setThreshold(value) {
  state.threshold = Math.max(view.floor, Math.min(1, value));
  const shown = confidence(probabilityAt(state.threshold), 2);
  byId("threshold").value = probabilityAt(state.threshold);
  byId("threshold-value").textContent = shown;
  byId("threshold").setAttribute("aria-valuetext", `${measure} above ${shown}`);
  const rule = view.rules.findIndex((one) => Math.abs(one.value - state.threshold) < 1e-6);
  byId("rule").value = rule < 0 ? "" : String(rule);
  byId("rule-help").textContent = rule < 0 ? "" : `${view.rules[rule].label}: ${view.rules[rule].meaning}.`;
  const byCost = Math.abs(Math.max(view.floor, cutoffAt(state.cost)) - state.threshold) < 1e-6;
  byId("cost-help").textContent = byCost ? `Best cut-off at this cost: ${shown}.`
    : `The best cut-off at this cost is ${confidence(probabilityAt(cutoffAt(state.cost)), 2)}; another one is set.`;
  redraw();
}

// One scale: what is shown and set is a probability, which grows with the confidence; networks are cut by the latter.
function between(value, from, to) {
  const at = from.findIndex((knot, k) => k > 0 && value < knot);
  if (at < 0) return to[to.length - 1];
  const span = from[at] - from[at - 1];
  return to[at - 1] + (span > 0 ? (Math.max(value, from[at - 1]) - from[at - 1]) / span : 0) * (to[at] - to[at - 1]);
}
const probabilityAt = (value) => (view.scale ? between(value, view.scale[0], view.scale[1]) : value);
const confidenceAt = (value) => (view.scale ? between(value, view.scale[1], view.scale[0]) : value);

function cutoffAt(power) { // between the given powers the cut-off changes evenly
  const last = view.powers.length - 1;
  const at = Math.max(0, Math.min(last, ((power - view.powers[0]) / (view.powers[last] - view.powers[0])) * last));
  const low = Math.floor(at), high = Math.ceil(at);
  return view.cutoffs[low] + (view.cutoffs[high] - view.cutoffs[low]) * (at - low);
}

function setCost(power) {
  state.cost = power;
  byId("cost").value = power;
  const words = short(2 ** power);
  byId("cost-value").textContent = `${words} extra ${words === "1" ? "edge" : "edges"}`;
  byId("cost").setAttribute("aria-valuetext", byId("cost-value").textContent);
}

function buildControls() {
  byId("threshold").max = probabilityAt(1);
  byId("measure").textContent = measure[0].toUpperCase() + measure.slice(1);
  const rules = view.rules.map((rule, k) => [rule, k]).sort(([s], [t]) => s.value - t.value);
  byId("rule").append(make("option", { value: "" }, "by hand"),
    ...rules.map(([rule, k]) => make("option", { value: k, title: rule.meaning }, `${rule.label} ${confidence(probabilityAt(rule.value), 2)}`)));
  byId("rule").addEventListener("change", () => { if (byId("rule").value) setThreshold(view.rules[Number(byId("rule").value)].value); });
  byId("threshold").addEventListener("input", (event) => setThreshold(confidenceAt(Number(event.target.value))));
  byId("cost").addEventListener("input", (event) => {
    setCost(Number(event.target.value));
    setThreshold(cutoffAt(state.cost));
  });
  byId("numbers").addEventListener("change", redraw);
  byId("reset").addEventListener("click", () => { setCost(Math.log2(view.cost)); setThreshold(view.threshold); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.part !== null) choosePart(null);
    else if (event.key === "Escape" && state.node !== null) chooseNode(null);
  });
}

function buildFolds() { // what is folded opens for a link to it, and in print
  const folds = [...document.querySelectorAll("details")];
  const openTarget = (hash) => {
    const target = hash.length > 1 && !hash.startsWith("#edge=") ? byId(decodeURIComponent(hash.slice(1))) : null;
    const fold = target && (target.matches("details") ? target : target.querySelector(":scope > details"));
    if (fold) fold.open = true;
  };
  for (const link of document.querySelectorAll("a[href^='#']")) link.addEventListener("click", () => openTarget(link.hash));
  openTarget(location.hash);
  let closed = [];
  addEventListener("beforeprint", () => { closed = folds.filter((fold) => !fold.open); for (const fold of closed) fold.open = true; });
  addEventListener("afterprint", () => { for (const fold of closed) fold.open = false; });
}

function buildCopies() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = byId(button.dataset.target).textContent, label = button.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        const range = document.createRange();
        range.selectNodeContents(byId(button.dataset.target));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "Selected: press Ctrl+C";
      }
      setTimeout(() => { button.textContent = label; }, 2500);
    });
  }
}

function buildScrollHints() { // what is wider or higher than its place says so, until it was scrolled to its end
  const boxes = [...document.querySelectorAll(".scroll.table")];
  const look = () => {
    for (const box of boxes) {
      box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 4);
      box.classList.toggle("more-below", box.scrollTop + box.clientHeight < box.scrollHeight - 4);
    }
  };
  for (const box of boxes) box.addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  look();
}
