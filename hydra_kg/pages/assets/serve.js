// Asks the service and shows what happens. Texts of sources only ever go into textContent; the part of an answer comes
// from the service with every text escaped, and the page's policy runs no script but its own files.
(function () {
  "use strict";
  var $ = function (id) { return document.getElementById(id); };
  var form = $("ask"), box = $("question"), go = $("go"), stop = $("stop"), state = $("state"), events = $("events");
  var running = null, drawing = null;
  window.hydraPage = { get: get, ask: ask };

  function headers(more) {
    var key = sessionStorage.getItem("key");
    return Object.assign(key ? { Authorization: "Bearer " + key } : {}, more || {});
  }

  function get(path) {
    return fetch(path, { headers: headers() }).then(function (reply) {
      return reply.json().then(function (doc) {
        if (!reply.ok) { throw problem(reply.status, doc); }
        return doc;
      });
    });
  }

  function problem(status, doc) {
    if (status === 401) {
      $("keyed").hidden = false;
      if (running) { $("key").focus(); }
      return new Error("a key is needed. Write it above and ask again.");
    }
    return new Error([doc.detail, doc.remedy].filter(Boolean).join(" "));
  }

  function short(text) { return text.length > 140 ? text.slice(0, 139) + "…" : text; }

  function said_now(text, wrong) {
    state.textContent = text;
    state.classList.toggle("wrong", Boolean(wrong));
  }

  function names(list) { return list.filter(Boolean).join(", "); }

  var said = {
    "ask.linked": function (d) {
      return d.names.length ? "Understood " + names(d.names.map(function (n) {
        return "“" + n.text + "” as " + (n.name ? n.name + " (" + n.id + ")" : "nothing that is known here");
      })) : "No name in the question is known here";
    },
    "ask.understood": function (d) { return "Asks for: " + (d.plan || d.indicator) + " · looks in " + names(d.sources); },
    "ask.cut_out": function (d) {
      return "Looked at " + d.entities.toLocaleString() + " things and " + d.facts.toLocaleString() + " facts";
    },
    "ask.read": function (d) {
      return (d.web ? "Read on the web: " : "Read: ") + names(d.pages.map(function (p) { return p.title; })) +
        (d.total > d.pages.length ? " and " + (d.total - d.pages.length) + " more" : "");
    },
    "ask.found": function (d) { return "Found " + d.paths + " paths" + (d.best.length ? ", first " + d.best[0] : ""); },
    "ask.pruned": function (d) { return "Kept " + d.kept + ", left out " + d.pruned; },
    "ask.chosen": function (d) { return "Answers from: " + (d.paths[0] || "nothing") + (d.total > 1 ? " and " + (d.total - 1) + " more" : ""); },
    "ask.judged": function (d) { return d.sufficient ? "That is enough" : "Not enough" + (d.missing ? ": " + d.missing : ""); }
  };

  function happened(kind, doc) {
    if (!said[kind]) { return; }
    var line = document.createElement("li");
    line.textContent = said[kind](doc);
    events.appendChild(line);
    said_now(line.textContent);
  }

  function busy(yes) {
    go.disabled = yes;
    stop.hidden = !yes;
    document.body.setAttribute("aria-busy", String(yes));
    if (yes) { stop.focus(); }
  }

  // What may go along with a question: "topics", ids that replace what its names are linked to ("Germany=m.0345h");
  // "after", id of the answer that it follows.
  function ask(question, more) {
    box.value = question;
    if (running) { running.abort(); }
    var mine = running = new AbortController();
    events.textContent = "";
    $("answer").textContent = "";
    $("picture").hidden = true;
    $("happened").hidden = false;
    $("happened").firstElementChild.open = true;
    $("further").hidden = true;
    said_now("Asking…");
    busy(true);
    fetch("/v1/answers", {
      method: "POST", signal: mine.signal, body: JSON.stringify(Object.assign({ question: question }, more)),
      headers: headers({ "Content-Type": "application/json", "Accept": "text/event-stream" })
    }).then(function (reply) {
      if (!reply.ok) { return reply.json().then(function (doc) { throw problem(reply.status, doc); }); }
      return listen(reply.body.getReader());
    }).then(function (id) {
      if (id) { return show(id); }
    }).catch(function (error) {
      var stopped = error.name === "AbortError";
      $("happened").hidden = !events.childElementCount;
      said_now(stopped ? "Stopped." : "Not answered: " + error.message, !stopped);
    }).finally(function () {
      if (running === mine) { running = null; busy(false); }
    });
  }

  // Server-sent events of a POST, which EventSource cannot make. Gives the id of the answer.
  function listen(reader) {
    var text = "", decoder = new TextDecoder(), id = "";
    function next(piece) {
      text += decoder.decode(piece.value || new Uint8Array(), { stream: !piece.done }).replace(/\r\n/g, "\n");
      var parts = text.split("\n\n");
      text = parts.pop();
      parts.forEach(function (part) {
        var kind = (part.match(/^event: (.*)$/m) || [])[1], data = (part.match(/^data: (.*)$/m) || [])[1];
        if (!kind || !data) { return; }
        var doc = JSON.parse(data);
        if (kind === "problem") { throw problem(doc.status, doc); }
        if (kind === "answer") { id = doc.id; }
        happened(kind, doc);
      });
      return piece.done ? id : reader.read().then(next);
    }
    return reader.read().then(next);
  }

  function show(id) {
    return get("/v1/answers/" + encodeURIComponent(id) + "/page").then(function (doc) {
      $("answer").innerHTML = doc.html;
      places(id);
      $("happened").firstElementChild.open = false;
      said_now("Answered.");
      drawing = doc.drawing;
      $("picture").hidden = !drawing.nodes.length;
      $("draw").open = false;
      history.replaceState(null, "", "#" + id);
      $("answer").focus();
      document.dispatchEvent(new CustomEvent("answered", { detail: doc }));
      past();
    });
  }

  // Every citation gets a button that opens the very line, with three around it, or the passage.
  function places(id) {
    $("answer").querySelectorAll("li[id]").forEach(function (item) {
      var n = (item.id.match(/^c(\d+)$/) || [])[1];
      if (!n) { return; }
      var button = document.createElement("button"), text = document.createElement("pre");
      button.type = "button";
      button.className = "small";
      button.textContent = "open";
      button.setAttribute("aria-label", "open citation " + n);
      button.setAttribute("aria-expanded", "false");
      text.hidden = true;
      item.append(" ", button, text);
      button.addEventListener("click", function () {
        text.hidden = !text.hidden;
        button.setAttribute("aria-expanded", String(!text.hidden));
        if (text.hidden || text.textContent) { return; }
        text.textContent = "…";
        get("/v1/answers/" + id + "/citations/" + n + "?numbered=page").then(function (place) {
          var lines = place.lines.map(function (l) { return (l.cited ? "> " : "  ") + l.number + "  " + l.text; });
          var why = [place.why, place.remedy].filter(Boolean).join(" ");
          text.textContent = [place.passage, lines.join("\n"), why].filter(Boolean).join("\n\n") ||
            "The line cannot be shown.";
        }).catch(function (error) { text.textContent = error.message; });
      });
    });
    // A number in the text opens its line.
    $("answer").querySelectorAll('a[href^="#c"]').forEach(function (mark) {
      mark.addEventListener("click", function (event) {
        var item = document.getElementById(mark.hash.slice(1)), button = item && item.querySelector("button");
        if (!button) { return; }
        event.preventDefault();
        if (button.getAttribute("aria-expanded") === "false") { button.click(); }
        item.scrollIntoView({ block: "center" });
        button.focus();
      });
    });
  }

  // page.js draws what stands in the element "data", each time it is run.
  $("draw").addEventListener("toggle", function () {
    if (!$("draw").open || !drawing) { return; }
    ["data", "drawer"].forEach(function (old) { if ($(old)) { $(old).remove(); } });
    var graph = $("graph"), fresh = graph.cloneNode(false);
    graph.replaceWith(fresh);
    var data = document.createElement("script"), drawer = document.createElement("script");
    data.type = "application/json";
    data.id = "data";
    data.textContent = JSON.stringify(drawing);
    drawer.id = "drawer";
    drawer.src = "/assets/page.js";
    document.body.append(data, drawer);
    drawing = null;
  });

  function resolved(row) {
    var line = document.createElement("span");
    line.className = "soft";
    line.textContent = "understood as: " + short(row.understood_as);
    return line;
  }

  function past() {
    return get("/v1/answers?limit=8").then(function (rows) {
      $("kept").textContent = "";
      $("past").hidden = !rows.length;
      rows.forEach(function (row) {
        var item = document.createElement("li"), link = document.createElement("a"), tick = document.createElement("input");
        tick.type = "checkbox";
        tick.value = row.id;
        tick.setAttribute("aria-label", "compare: " + short(row.question));
        link.href = "#" + row.id;
        link.textContent = short(row.question);
        item.append(tick, " ", link, document.createTextNode(" " + (row.abstained ? "no answer" : short(row.answer_text))));
        if (row.understood_as) { item.append(resolved(row)); }
        $("kept").append(item);
      });
    });
  }

  function opened() {
    var id = location.hash.slice(1);
    if (/^[0-9a-f]{12}$/.test(id)) {
      show(id).catch(function (error) { said_now(error.message, true); });
    }
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if ($("key").value) { sessionStorage.setItem("key", $("key").value); }
    if (box.value.trim()) { ask(box.value); }
  });
  stop.addEventListener("click", function () { if (running) { running.abort(); } box.focus(); });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape" && running) { stop.click(); } });
  window.addEventListener("hashchange", opened);
  past().then(opened, function () { /* a key is needed: the question asks for it */ });
  box.focus();
})();
