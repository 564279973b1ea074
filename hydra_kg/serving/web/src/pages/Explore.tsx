// The graph, full size, drawn by Cytoscape on a canvas; the same as a list for keyboard and screen reader.
import cytoscape, { type Core, type ElementDefinition } from "cytoscape";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Download, ExternalLink, Eye, EyeOff, List, Maximize, Pin, Share2 } from "lucide-preact";
import { get, q } from "../api";
import { go, link } from "../router";
import { relationsOf, type Relation } from "../relations";
import { number, plain, t } from "../texts";
import type { Answer, EntityOf, FactPage, Fused, PathOf, StoreOf, Thing } from "../types";
import { Ask } from "../parts/Ask";
import { Failed, Loading, save } from "../parts/small";

type Kind = "topic" | "answer" | "thing" | "value";
interface N { id: string; name: string; kind: Kind }
interface E { from: string; to: string; relation: string; sources: string[]; path: boolean }
interface Graph { nodes: Map<string, N>; edges: Map<string, E> }

const MOST = 2500, ADDED = 36, FEW = 14, CROWDED = 120;
const isNarrow = () => innerWidth < 760;  // a phone, on which fewer and larger labels can be read
const roomFor = () => (isNarrow() ? FEW : Math.max(FEW, Math.min(ADDED, Math.round(((innerWidth - 568) * innerHeight) / 20_000))));
const isAnswer = (id: string) => /^[0-9a-f]{12}$/.test(id);
const empty = (): Graph => ({ nodes: new Map(), edges: new Map() });

function put(graph: Graph, node: N) {
  const old = graph.nodes.get(node.id);
  const rank: Kind[] = ["value", "thing", "topic", "answer"];
  if (!old || rank.indexOf(node.kind) > rank.indexOf(old.kind)) graph.nodes.set(node.id, node);
}

function join(graph: Graph, edge: E) {
  const key = `${edge.from}\n${edge.relation}\n${edge.to}`, old = graph.edges.get(key);
  graph.edges.set(key, old ? { ...old, sources: [...new Set([...old.sources, ...edge.sources])], path: old.path || edge.path } : edge);
}

const valueKey = (id: string, owner: string) => (id.startsWith('"') ? `${owner}|${id}` : id);

function ofAnswer(answer: Answer): Graph {
  const graph = empty();
  const answers = new Set(answer.answers.flatMap((a) => [a.id ?? "", ...a.ids]));
  const topics = new Set(answer.readable.names.map((m) => m.chosen?.id ?? ""));
  const add = (path: PathOf, leads: boolean) => path.hops.forEach((hop) => {
    const [from, to] = [hop.subject, hop.object];
    const kind = (id: string): Kind => (answers.has(id) ? "answer" : topics.has(id) ? "topic" : id.startsWith('"') ? "value" : "thing");
    put(graph, { id: from.id, name: from.name || from.id, kind: kind(from.id) });
    put(graph, { id: valueKey(to.id, from.id), name: to.name || to.id, kind: kind(to.id) });
    join(graph, { from: from.id, to: valueKey(to.id, from.id), relation: answer.readable.relations[hop.predicate] ?? hop.text, sources: hop.sources.map((s) => s.source), path: leads });
  });
  answer.paths.filter((p) => p.kept).forEach((p) => add(p, !answer.abstained));
  answer.explorations.flatMap((x) => x.paths ?? []).slice(0, 60).forEach((p) => add(p, false));
  return graph;
}

export function Explore({ id, params }: { id: string; params: URLSearchParams }) {
  if (!id) {
    return (
      <div class="start"><header class="pagehead"><h1>{t.exploreTitle}</h1><p class="quiet">{t.exploreLead}</p></header>
        <Begin />
      </div>
    );
  }
  return <Drawn key={id} id={id} most={Number(params.get("most")) || roomFor()} />;
}

function Begin() {
  const [error, wrong] = useState<Error | null>(null);
  const look = (text: string) => get<{ things: Thing[] }>(`/v1/complete?text=${q(text)}&limit=1`)
    .then((doc) => { const one = doc.things[0]; if (one) go(link("explore", one.id)); else wrong(new Error(text)); }).catch(wrong);
  return <><Ask named placeholder={t.name} label={t.exploreLead} autoFocus asked={look} />{error && <Failed error={error} />}</>;
}

function Drawn({ id, most }: { id: string; most: number }) {
  const [graph, set] = useState<Graph | null>(null);
  const [error, wrong] = useState<Error | null>(null);
  const [chosen, choose] = useState("");
  const [list, asList] = useState(false);
  const [off, hideSources] = useState<Set<string>>(new Set());
  const [least, atLeast] = useState(1);
  const [hidden, hide] = useState<Set<string>>(new Set());
  const [pinned, pin] = useState<Set<string>>(new Set());
  const [title, name] = useState("");
  const [trust, weigh] = useState<Record<string, number>>({});
  const [sure, atLeastSure] = useState(0);
  const [browser, offer] = useState("");
  const canvas = useRef<HTMLDivElement>(null);
  const cy = useRef<Core | null>(null);

  const weighed = (thing: string) => get<Fused>(`/v1/fusion?entity=${q(thing)}&limit=1`)
    .then((doc) => weigh(Object.fromEntries(doc.sources.map((s) => [s.name ?? "", s.reliability ?? 0.5])))).catch(() => {});

  useEffect(() => {
    const begin = async () => {
      if (isAnswer(id)) {
        const answer = await get<Answer>(`/v1/answers/${id}`);
        name(answer.question);
        set(ofAnswer(answer));
        choose(answer.readable.about[0]?.id ?? "");
        if (answer.readable.about[0]) weighed(answer.readable.about[0].id);
        if ((await get<StoreOf>("/v1/store")).server) get<{ url: string }>(`/v1/answers/${id}/browser`).then((doc) => offer(doc.url)).catch(() => {});
        return;
      }
      const facts = (start: number) => get<FactPage>(`/v1/facts?entity=${q(id)}&start=${start}&limit=${Math.min(Math.max(most * 3, 200), 2000)}`);
      let page = await facts(0);
      const first = empty();
      put(first, { id: page.id, name: page.name, kind: "topic" });
      addFacts(first, page, most);
      while (page.next_start !== null && first.nodes.size < Math.min(most, MOST) && most > ADDED) {
        page = await facts(page.next_start);
        addFacts(first, page, most - first.nodes.size);
      }
      name(page.name);
      set(first);
      choose(page.id);
      if (most <= ADDED) weighed(page.id);
    };
    begin().catch(wrong);
  }, [id]);

  const sources = useMemo(() => [...new Set([...(graph?.edges.values() ?? [])].flatMap((e) => e.sources))].sort(), [graph]);
  const shown = useMemo(() => {
    if (!graph) return empty();
    const edges = new Map([...graph.edges].filter(([, e]) => {
      const said = e.sources.filter((s) => !off.has(s));
      const likely = 1 - said.reduce((wrong, s) => wrong * (1 - (trust[s] ?? 0.5)), 1);
      return said.length > 0 && new Set(said).size >= least && (!sure || 100 * likely >= sure) && !hidden.has(e.from) && !hidden.has(e.to);
    }));
    const ends = new Set([...edges.values()].flatMap((e) => [e.from, e.to]));
    return { edges, nodes: new Map([...graph.nodes].filter(([key]) => !hidden.has(key) && (ends.has(key) || key === chosen || graph.nodes.size === 1))) };
  }, [graph, off, least, hidden, chosen, sure, trust]);

  useEffect(() => {
    if (!canvas.current || list) return;
    // The library writes a rule into the page unless something has this id; the page's policy forbids that.
    const sheet = document.querySelector('link[rel="stylesheet"]');
    if (sheet) sheet.id = "__________cytoscape_stylesheet";
    const made = cytoscape({ container: canvas.current, style: look(), minZoom: 0.05, maxZoom: 4, textureOnViewport: true, hideEdgesOnViewport: false, pixelRatio: "auto" });
    made.on("tap", "node", (event) => choose(event.target.id()));
    made.on("mouseover", "node", (event) => { if (event.target.degree(false) < 40) event.target.connectedEdges().addClass("near"); });
    made.on("mouseout", "node", () => { made.edges(".near").removeClass("near"); });
    made.on("dbltap", "node", (event) => { if (!event.target.id().includes("|")) void expand(event.target.id()); });
    cy.current = made;
    const restyle = () => made.style(look());
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", restyle);
    addEventListener("themechange", restyle);
    return () => { scheme.removeEventListener("change", restyle); removeEventListener("themechange", restyle); made.destroy(); cy.current = null; };
  }, [list, Boolean(graph)]);

  useEffect(() => {
    const made = cy.current;
    if (!made || list) return;
    const before = made.nodes().length;
    const wanted = elements(shown);
    const keys = new Set(wanted.map((e) => e.data.id!));
    made.batch(() => {
      made.elements().filter((e) => !keys.has(e.id())).remove();
      for (const element of wanted) {
        const old = made.getElementById(element.data.id!);
        if (old.length) { old.data(element.data); old.classes(element.classes as string); } else made.add(element);
      }
      pinned.forEach((key) => made.getElementById(key).addClass("pinned").lock());
      made.nodes(".pinned").filter((n) => !pinned.has(n.id())).removeClass("pinned").unlock();
    });
    if (made.nodes().length > before || !before) arrange(made, before > 0);
    document.documentElement.dataset.drawn = String(made.nodes().length);
  }, [shown, list, pinned]);

  useEffect(() => { const made = cy.current; if (made) { made.$(":selected").unselect(); made.getElementById(chosen).select(); } }, [chosen, shown]);

  const grow = (change: (graph: Graph) => void) => set((old) => { const next = { nodes: new Map(old?.nodes), edges: new Map(old?.edges) }; change(next); return next; });
  const expand = async (node: string, relation?: Relation) => {
    const only = relation ? `&relation=${q(relation.relation)}` : "";
    const page = await get<FactPage>(`/v1/facts?entity=${q(node)}${only}&limit=${relation ? 500 : 120}`).catch((e: Error) => { wrong(e); return null; });
    if (!page) return;
    const facts = relation ? page.facts.filter((f) => f.relation === relation.relation) : page.facts;
    grow((graph) => addFacts(graph, { ...page, facts }, most, node));
  };
  const picture = () => {
    const data = cy.current?.png({ full: true, scale: 2, bg: ink("--paper"), output: "blob" });
    if (data) save(`${title || "graph"}.png`, "image/png", data as unknown as Blob);
  };
  const toggle = (some: Set<string>, key: string) => { const next = new Set(some); if (!next.delete(key)) next.add(key); return next; };
  const node = graph?.nodes.get(chosen);
  return (
    <div class="explore">
      <div class="bar1">
        <h1>{title || t.exploreTitle}</h1>
        <span class="quiet">{t.sizeOf(number(shown.nodes.size), number(shown.edges.size))}</span>
        <button class="plain" onClick={() => asList(!list)} aria-pressed={list}>{list ? <Share2 size={15} aria-hidden="true" /> : <List size={15} aria-hidden="true" />}{list ? t.asGraph : t.asList}</button>
        {!list && <button class="plain" onClick={() => cy.current?.fit(undefined, 40)}><Maximize size={15} aria-hidden="true" />{t.fit}</button>}
        {!list && <button class="plain" onClick={picture}><Download size={15} aria-hidden="true" />{t.picture}</button>}
        {browser && <a class="plain" href={browser} target="_blank" rel="noreferrer noopener"><ExternalLink size={15} aria-hidden="true" />{t.openBrowser}</a>}
      </div>
      <div class="stage">
        {error && <Failed error={error} />}
        {!graph && !error && <div class="page"><Loading /></div>}
        {graph && (list ? <AsList graph={shown} choose={choose} /> : <div class="canvas" ref={canvas} role="img" aria-label={`${t.exploreTitle}: ${title}`} />)}
        <aside class="panel" aria-label={t.selected}>
          {!node && <p class="quiet">{t.nothingSelected}</p>}
          {node && (
            <section>
              <h2 translate={false}>{plain(node.name)}</h2>
              <p class="row">
                {node.kind !== "value" && <a class="plain" href={link("e", node.id)}>{t.openPage}</a>}
                <button class="plain" onClick={() => { hide(toggle(hidden, node.id)); choose(""); }}><EyeOff size={15} aria-hidden="true" />{t.hide}</button>
                <button class="plain" aria-pressed={pinned.has(node.id)} onClick={() => pin(toggle(pinned, node.id))}><Pin size={15} aria-hidden="true" />{pinned.has(node.id) ? t.unpin : t.pin}</button>
              </p>
              {node.kind !== "value" && <Expand id={node.id} add={(relation) => void expand(node.id, relation)} />}
            </section>
          )}
          {sources.length > 0 && (
            <section class="checks"><h3>{t.filterSource}</h3>
              {sources.map((source) => <label key={source}><input type="checkbox" checked={!off.has(source)} onChange={() => hideSources(toggle(off, source))} /> <span translate={false}>{source}</span></label>)}
              {Object.keys(trust).length > 0 && <label title={t.sureHint}>{t.sureAtLeast} <input type="range" min="0" max="100" step="5" value={sure} onInput={(e) => atLeastSure(Number(e.currentTarget.value))} /> {sure} %</label>}
              <label>{t.confidence} <input type="range" min="1" max={Math.max(2, sources.length)} value={least} onInput={(e) => atLeast(Number(e.currentTarget.value))} /> {least}</label>
            </section>
          )}
          {hidden.size > 0 && <button class="plain" onClick={() => hide(new Set())}><Eye size={15} aria-hidden="true" />{t.showAll} ({hidden.size})</button>}
          <section class="legend"><h3>{t.legend}</h3>
            {([["topic", t.legendTopic], ["answer", t.legendAnswer], ["thing", t.legendThing], ["value", t.legendValue], ["path", t.legendPath]] as const).map(([key, says]) => <span key={key}><span class={`key ${key}`} aria-hidden="true" />{says}</span>)}
          </section>
        </aside>
      </div>
    </div>
  );
}

function addFacts(graph: Graph, page: FactPage, most: number, node = page.id) {
  let added = 0;
  for (const fact of page.facts) {
    const other = fact.id || `${node}|${fact.object}`;
    if (!graph.nodes.has(other)) {
      if (added >= most || graph.nodes.size >= MOST || (!fact.id && most <= ADDED && graph.nodes.size > 12)) continue;
      added += 1;
    }
    put(graph, { id: other, name: fact.object, kind: fact.id ? "thing" : "value" });
    const [from, to] = fact.out ? [node, other] : [other, node];
    join(graph, { from, to, relation: fact.relation, sources: [...new Set(fact.stated_by.map((s) => s.source))], path: false });
  }
}

// Parallel edges are one line, whose label names all relations.
function elements(graph: Graph): ElementDefinition[] {
  const bundles = new Map<string, { from: string; to: string; says: string[]; path: boolean }>();
  for (const e of graph.edges.values()) {
    const key = `${e.from}\n${e.to}`, old = bundles.get(key) ?? { from: e.from, to: e.to, says: [], path: false };
    bundles.set(key, { ...old, says: old.says.includes(e.relation) ? old.says : [...old.says, e.relation], path: old.path || e.path });
  }
  const cut = (text: string, n: number) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
  return [
    ...[...graph.nodes.values()].map((n) => ({ group: "nodes" as const, data: { id: n.id, label: cut(plain(n.name), 34) }, classes: n.kind })),
    ...[...bundles].map(([id, b]) => ({ group: "edges" as const, data: { id, source: b.from, target: b.to, label: bundles.size > CROWDED && !b.path ? "" : b.says.length > 2 ? `${b.says.slice(0, 2).join(", ")} +${b.says.length - 2}` : b.says.join(", ") }, classes: b.path ? "path" : "" })),
  ];
}

// A star (a thing and what is stated about it) gets rings around its middle, neighbours of one relation side by side;
// other small graphs are laid out by force. A star of thousands needs no layout engine.
function arrange(made: Core, grown: boolean) {
  const nodes = made.nodes(), middle = nodes.max((n) => n.degree(false)).ele;
  if (!nodes.length) return;
  if (nodes.length > 3 && middle.degree(false) && middle.neighborhood("node").length >= 0.8 * (nodes.length - 1)) rings(made, middle.id());
  else if (nodes.length > 250) made.layout({ name: "concentric", concentric: (n: any) => n.degree(false), levelWidth: () => 8, minNodeSpacing: 14, animate: false, padding: 30 } as any).run();
  else made.layout({ name: "cose", animate: false, randomize: !grown, idealEdgeLength: () => 120, nodeRepulsion: () => 26000, nodeOverlap: 30, gravity: 0.3, numIter: 700, nodeDimensionsIncludeLabels: true, padding: 40 } as any).run();
  made.fit(undefined, 40);
}

function rings(made: Core, middle: string) {
  const relation = new Map<string, string>();
  made.edges().forEach((e) => { for (const end of ["source", "target"]) if (e.data(end) !== middle && !relation.has(e.data(end))) relation.set(e.data(end), e.data("label") ?? ""); });
  const others = made.nodes().map((n) => n.id()).filter((id) => id !== middle).sort((a, b) => (relation.get(a) ?? "").localeCompare(relation.get(b) ?? ""));
  const gap = others.length > CROWDED ? 34 : 88, place = new Map<string, { x: number; y: number }>([[middle, { x: 0, y: 0 }]]);
  const around = (gap * others.length) / (2 * Math.PI), sizes: number[] = [];  // the radius of one ring for all
  const least = others.length > CROWDED ? 210 : around <= 240 ? Math.max(210, around) : Math.max(185, 0.7 * (around - 120));
  for (let left = others.length; left > 0;) { const room = Math.floor((2 * Math.PI * (least + sizes.length * 120)) / gap); sizes.push(Math.min(room, left)); left -= room; }
  const filled = sizes.map(() => 0);
  others.forEach((id, n) => {  // a relation stays in one direction; of a few things no two lie behind each other
    const few = others.length <= CROWDED;
    const ring = few ? n % sizes.length : sizes.reduce((best, size, r) => (filled[r]! / size < filled[best]! / sizes[best]! ? r : best), 0);
    const turn = few ? n / others.length : (filled[ring]! + ring / sizes.length) / sizes[ring]!;
    const angle = 2 * Math.PI * turn - Math.PI / 2, far = least + ring * 120;
    filled[ring]! += 1;
    place.set(id, { x: far * Math.cos(angle), y: far * Math.sin(angle) });
  });
  made.layout({ name: "preset", positions: (n: any) => place.get(n.id()) ?? { x: 0, y: 0 }, animate: false } as any).run();
}

const ink = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function look(): any[] {
  const text = ink("--ink"), paper = ink("--paper"), accent = ink("--accent"), line = ink("--soft");
  const colour: Record<string, string> = { topic: "#2f6fb0", answer: accent, thing: "#8d9499", value: "#b5973f" };
  return [
    { selector: "node", style: { label: "data(label)", color: text, "font-size": isNarrow() ? 17 : 13, "font-family": "system-ui, sans-serif", "text-wrap": "wrap", "text-max-width": 130, "text-valign": "bottom", "text-margin-y": 5, "text-background-color": paper, "text-background-opacity": 0.85, "text-background-padding": 2, "min-zoomed-font-size": 7, width: 16, height: 16, "background-color": colour.thing } },
    ...Object.entries(colour).map(([kind, fill]) => ({ selector: `node.${kind}`, style: { "background-color": fill, ...(kind === "value" ? { shape: "round-rectangle", width: 12, height: 12 } : kind === "thing" ? {} : { width: 24, height: 24, "font-weight": 600, "font-size": isNarrow() ? 19 : 14 }) } })),
    { selector: "edge", style: { width: 1.2, "line-color": line, "line-opacity": 0.45, "target-arrow-color": line, "target-arrow-shape": "triangle", "arrow-scale": 0.8, "curve-style": "bezier", label: "data(label)", "font-size": isNarrow() ? 14 : 11, color: line, "text-background-color": paper, "text-background-opacity": 0.85, "text-background-padding": 1, "min-zoomed-font-size": 8, "text-max-width": 120, "text-wrap": "ellipsis", "text-rotation": "autorotate" } },
    { selector: "edge.near", style: { "line-color": accent, "line-opacity": 1, color: text, "font-size": 12, "z-index": 9 } },
    { selector: "edge.path", style: { width: 3, "line-color": accent, "line-opacity": 1, "target-arrow-color": accent, color: text } },
    { selector: "node.pinned", style: { "border-width": 3, "border-color": text } },
    { selector: "node:selected", style: { "border-width": 3, "border-color": accent } },
  ];
}

function Expand({ id, add }: { id: string; add: (relation: Relation) => void }) {
  const [entity, read] = useState<EntityOf | null>(null);
  useEffect(() => { read(null); get<EntityOf>(`/v1/relations?entity=${q(id)}`).then(read).catch(() => {}); }, [id]);
  if (!entity) return <Loading />;
  return (
    <>
      {entity.description && <p class="quiet" translate={false}>{entity.description}</p>}
      <h3>{t.expand}</h3>
      <ul class="meanings tall">{relationsOf(entity).filter((r) => r.things || entity.relations.length < 30).slice(0, 60).map((r) => (
        <li key={r.relation} translate={false}><button onClick={() => add(r)} aria-label={`${t.add}: ${r.relation} (${r.least})`}><span>{r.relation}<small>{r.example}</small></span><span class="count">{number(r.least)}{r.least < r.count && "+"}</span></button></li>
      ))}</ul>
    </>
  );
}

function AsList({ graph, choose }: { graph: Graph; choose: (id: string) => void }) {
  const name = (id: string) => plain(graph.nodes.get(id)?.name ?? id);
  return (
    <div class="listview" tabIndex={0} role="region" aria-label={t.connections}>
      <table>
        <caption class="sr">{t.connections}</caption>
        <thead><tr><th scope="col">{t.from}</th><th scope="col">{t.relation}</th><th scope="col">{t.to}</th><th scope="col">{t.source}</th></tr></thead>
        <tbody>{[...graph.edges].slice(0, 1000).map(([key, e]) => (
          <tr key={key} translate={false}><td><button class="plain" onClick={() => choose(e.from)}>{name(e.from)}</button></td><td>{e.relation}</td><td><button class="plain" onClick={() => choose(e.to)}>{name(e.to)}</button></td><td>{e.sources.join(", ")}</td></tr>
        ))}</tbody>
      </table>
    </div>
  );
}
