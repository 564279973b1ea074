// Draws the explored graph from the page's own data. Text from data only ever goes into textContent or a canvas.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var box = document.getElementById("graph");
  var tip = document.getElementById("tip");
  var pruned = document.getElementById("pruned");
  var colours = { topic: "#2f6fde", answer: "#1a8a4c", other: "#8a94a6", text: "#b7791f" };

  var graph = cytoscape({
    container: box,
    elements: { nodes: data.nodes.map(wrap), edges: data.edges.map(wrap) },
    minZoom: 0.1, maxZoom: 4, autoungrabify: false,
    style: [
      { selector: "node", style: {
        "background-color": function (n) { return n.data("colour") || colours[n.data("role")] || colours.other; },
        "label": "data(label)", "font-size": 12, "text-wrap": "wrap", "text-max-width": 130, "color": "#1c2330",
        "text-valign": "bottom", "text-margin-y": 4, "width": 22, "height": 22,
        "text-background-color": "#fff", "text-background-opacity": 0.8, "text-background-padding": 1 } },
      { selector: 'node[role = "topic"], node[role = "answer"]', style: { "width": 34, "height": 34, "font-weight": "bold" } },
      { selector: "edge", style: {
        "label": "data(label)", "font-size": 9, "color": "#475067", "width": 1, "line-color": "#c3cad6",
        "target-arrow-color": "#c3cad6", "target-arrow-shape": "triangle", "arrow-scale": 0.8, "curve-style": "bezier",
        "text-rotation": "autorotate",
        "text-background-color": "#fff", "text-background-opacity": 0.85, "text-background-padding": 1 } },
      { selector: "edge[?kept]", style: {
        "width": 1.5, "line-color": "#7fbf9b", "target-arrow-color": "#7fbf9b", "color": "#1c2330" } },
      { selector: 'node[role = "source"]', style: { "shape": "round-rectangle", "width": 26 } },
      { selector: "edge[?colour]", style: {
        "width": "data(width)", "line-color": "data(colour)", "target-arrow-color": "data(colour)" } },
      { selector: "edge[?own]", style: {
        "width": 4, "line-color": "#1a8a4c", "target-arrow-color": "#1a8a4c", "font-weight": "bold" } },
      { selector: ".faded", style: { "opacity": 0.2 } }
    ],
    layout: { name: "preset" }
  });

  function wrap(d) { return { data: d, position: d.x === undefined ? undefined : { x: d.x, y: d.y } }; }

  var away = graph.collection();

  // Takes pruned edges out, with the nodes that nothing else holds, or puts them back.
  function choose() {
    away.restore();
    away = graph.collection();
    if (pruned.checked) { return; }
    var idle = graph.nodes('[role = "other"]').filter(function (n) {
      return !n.connectedEdges().some(function (e) { return e.data("kept"); });
    });
    away = graph.edges().filter(function (e) { return !e.data("kept"); }).union(idle);
    graph.remove(away);
  }

  function arrange() {
    choose();
    var shown = graph.elements();
    shown.forEach(function (e) { if (e.isNode()) { e.position({ x: e.data("x"), y: e.data("y") }); } });
    if (shown.nodes().length > 16) {
      // Starts from the given positions, so that the same answer is drawn the same way every time.
      shown.layout({ name: "cose", animate: false, randomize: false, nodeDimensionsIncludeLabels: true,
        idealEdgeLength: function () { return 140; }, nodeRepulsion: function () { return 400000; },
        gravity: 0.4, numIter: 1500 }).run();
    }
    graph.fit(shown, 40);
    if (graph.zoom() > 1.4) { graph.zoom(1.4); graph.center(shown); }
  }

  function show(event) {
    var d = event.target.data();
    tip.textContent = d.tip;
    tip.style.display = "block";
    var p = event.renderedPosition, width = box.clientWidth;
    tip.style.left = Math.max(4, Math.min(p.x + 14, width - tip.offsetWidth - 4)) + "px";
    tip.style.top = (p.y + 14) + "px";
    var near = event.target.isNode() ? event.target.closedNeighborhood() : event.target.union(event.target.connectedNodes());
    graph.elements().not(near).addClass("faded");
  }

  function hide() {
    tip.style.display = "none";
    graph.elements().removeClass("faded");
  }

  graph.on("mouseover tap", "node, edge", show);
  graph.on("mouseout", "node, edge", hide);
  graph.on("tap", function (event) { if (event.target === graph) { hide(); } });
  pruned.addEventListener("change", arrange);
  arrange();
  window.hydraGraph = graph;
  document.documentElement.setAttribute("data-drawn", String(graph.nodes().length));
})();
