// What may be done with an answer: another reading of its names, a further question, what each source says, two answers
// side by side. Texts of sources only ever go into textContent.
(function () {
  "use strict";
  var $ = function (id) { return document.getElementById(id); };
  var page = window.hydraPage, after = "";

  function element(kind, text, name) {
    var made = document.createElement(kind);
    if (text !== undefined) { made.textContent = text; }
    if (name) { made.className = name; }
    return made;
  }

  function option(thing) {
    var made = element("option", thing.name === thing.id ? thing.id : thing.name + " (" + thing.id + ")");
    made.value = thing.id;
    return made;
  }

  // The topic that asks again with a thing in place of what a name was linked to: the name, "=" and the thing's id.
  function topic(reading, id) { return reading.placed ? reading.text + "=" + id : id; }

  // Understood as: a choice where a name could mean several things, in place of the sentence that says so. What was
  // chosen for other names before stays chosen.
  function reread(readings, question) {
    $("answer").querySelectorAll(".mention").forEach(function (line, n) {
      var reading = readings[n];
      if (!reading || !reading.others.length) { return; }
      var select = element("select", undefined, "small"), label = element("label", "“" + reading.text + "” understood as ");
      var go = element("button", "Ask again", "small");
      select.id = "reading" + n;
      label.htmlFor = select.id;
      if (!reading.chosen) { select.append(element("option", "unknown")); }
      (reading.chosen ? [reading.chosen] : []).concat(reading.others).forEach(function (c) { select.append(option(c)); });
      if (!reading.chosen) { select.options[0].value = ""; }
      go.type = "button";
      go.addEventListener("click", function () {
        var topics = [];
        readings.forEach(function (r, k) {
          var id = k === n ? select.value : r.given && r.chosen.id;
          if (id) { topics.push(topic(r, id)); }
        });
        page.ask(question, { topics: topics });
      });
      line.textContent = "";
      line.append(label, select, " ", go, reading.note ? " " + reading.note : "");
    });
  }

  // A follow-up: what it was understood as leads back to the answer before, and what it may ask is asked by a button.
  function followed(dialogue) {
    var line = $("answer").querySelector(".resolved"), back = element("a", "the answer before");
    after = dialogue.after;
    if (line && dialogue.before) {
      back.href = "#" + dialogue.before;
      line.append(" · after ", back);
    }
    $("answer").querySelectorAll(".choices li").forEach(function (item, n) {
      var choice = element("button", dialogue.choices[n], "small");
      choice.type = "button";
      choice.addEventListener("click", function () { page.ask(dialogue.choices[n], { after: after }); });
      item.replaceChildren(choice);
    });
  }

  document.addEventListener("answered", function (event) {
    var doc = event.detail;
    reread(doc.readings, doc.dialogue.question);
    followed(doc.dialogue);
    $("about").textContent = "";
    doc.things.forEach(function (thing) { $("about").append(option(thing)); });
    $("fused").textContent = $("next").value = "";
    $("claims").hidden = !doc.things.length;
    $("further").hidden = false;
  });

  $("follow").addEventListener("submit", function (event) {
    event.preventDefault();
    if ($("next").value.trim()) { page.ask($("next").value, { after: after }); }
  });

  function table(head, rows) {
    var made = element("table"), top = made.createTHead().insertRow(), body = made.createTBody();
    head.forEach(function (text) {
      var cell = element("th", text);
      cell.scope = "col";
      top.append(cell);
    });
    rows.forEach(function (row) {
      var line = body.insertRow();
      row.forEach(function (cell) { line.insertCell().append(cell); });
    });
    return made;
  }

  function claims(values) {
    var list = element("ul");
    values.forEach(function (v) {
      var item = element("li");
      item.append(element("span", v.value, v.believed ? "believed" : ""));
      item.append(element("span", " " + v.sources.join(", ") + " · " + Math.round(100 * v.confidence) + " %", "soft"));
      list.append(item);
    });
    return list;
  }

  function told(place, error) { place.replaceChildren(element("p", error.message)); }

  $("fuse").addEventListener("click", function () {
    $("fused").textContent = "…";
    page.get("/v1/fusion?limit=40&entity=" + encodeURIComponent($("about").value)).then(function (doc) {
      var rows = doc.values.map(function (group) {
        var when = group.when.map(function (pair) { return pair.join(" "); }).join(", ");
        var values = group.values, about = element("span", group.attribute + (when ? " (" + when + ")" : ""));
        return [about, claims(values.filter(function (v) { return v.believed; })),
          claims(values.filter(function (v) { return !v.believed; }))];
      });
      var more = doc.left_out ? " " + doc.left_out + " further attributes are not shown." : "";
      $("fused").replaceChildren(
        element("p", "First what sources differ in. Believed is what more independent sources say, those that are right more often counting more." + more, "soft"),
        table(["attribute", "believed", "others say"], rows)
      );
      $("fused").focus();
    }).catch(function (error) { told($("fused"), error); });
  });

  function ticked() { return Array.from($("kept").querySelectorAll("input:checked")); }

  $("kept").addEventListener("change", function () { $("compare").disabled = ticked().length !== 2; });

  function lines(texts) {
    var list = element("ul");
    texts.forEach(function (text) { list.append(element("li", text)); });
    return list;
  }

  function sourcesOf(doc) {
    var names = doc.paths.reduce(function (all, path) {
      return all.concat.apply(all, path.hops.map(function (hop) { return hop.sources.map(function (s) { return s.source; }); }));
    }, []);
    return Array.from(new Set(names)).sort().join(", ");
  }

  $("compare").addEventListener("click", function () {
    Promise.all(ticked().map(function (tick) { return page.get("/v1/answers/" + tick.value); })).then(function (two) {
      function row(name, of) { return [element("b", name)].concat(two.map(of)); }
      var rows = [
        row("answer", function (d) { return d.abstained ? "none" : d.answer_text; }),
        row("verdict", function (d) { return d.verdict; }),
        row("confidence", function (d) { return d.abstained ? "" : (d.confidence || 0).toFixed(2); }),
        row("sources", sourcesOf),
        row("evidence", function (d) { return lines(d.paths.slice(0, 5).map(function (p) { return p.text; })); }),
        row("strategy", function (d) { return d.strategy + ", " + d.agent; })
      ];
      $("compared").replaceChildren(table(["question"].concat(two.map(function (d) { return d.question; })), rows));
      $("compared").focus();
    }).catch(function (error) { told($("compared"), error); });
  });
})();
