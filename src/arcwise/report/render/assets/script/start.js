// ---- Start.

for (const id of ["controls", "table-controls", "evidence"]) byId(id).hidden = false;
byId("numbers").checked = view.edges.filter((edge) => edge.p > view.threshold && edge.l).length <= 30;
buildTable();
buildEvidence();
buildDrawing();
buildLegend();
buildParts();
buildViews();
buildControls();
setCost(Math.log2(view.cost));
setThreshold(view.threshold);
drawStrips();
if (view.target !== undefined) {
  chooseNode(view.target);
  goAround(view.target);
} else {
  clearPanel();
  scaleTo(null);
}
buildCamera();
buildCopies();
buildScrollHints();
