// ---- Start.

for (const id of ["controls", "table-controls", "evidence"]) byId(id).hidden = false;
byId("numbers").checked = view.edges.filter((edge) => edge.confidence > view.threshold && edge.label).length <= 30;
buildTable();
buildEvidence();
buildDrawing();
buildLegend();
buildParts();
buildViews();
buildControls();
if (!view.drawing.x.length) state.around = view.target ?? view.drawing.start; // too many for one drawing
setCost(Math.log2(view.cost));
setThreshold(view.threshold);
drawStrips();
const first = view.target ?? view.drawing.start;
if (first !== undefined) {
  chooseNode(first);
  goAround(first);
} else {
  clearPanel();
  scaleTo(null);
}
buildCamera();
buildCopies();
buildScrollHints();
buildFolds();
