// ---- Start.

for (const id of ["controls", "table-controls", "evidence", "save"]) byId(id).hidden = false;
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
if (view.target !== undefined) {
  clearPanel();
  goAround(view.target);
} else if (view.drawing.start !== undefined) {
  chooseNode(view.drawing.start);
  goAround(view.drawing.start);
} else {
  clearPanel();
  scaleTo(null);
}
buildCamera();
buildSaving();
buildCopies();
buildScrollHints();
buildFolds();
openLinkedEdge();
