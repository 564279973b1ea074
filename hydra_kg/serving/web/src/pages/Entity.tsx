// A thing: its facts by relation with who says so, what sources disagree on, passages, ids, and what was asked about it.
import { useEffect, useState } from "preact/hooks";
import { Compass, MessageCircle } from "lucide-preact";
import { get, q } from "../api";
import { go, link } from "../router";
import { relationsOf, shownAs, unite, type Relation } from "../relations";
import { number, plain, plainText, t, words } from "../texts";
import type { EntityOf, FactOf, FactPage, Fused, KeptRow, PassageOf } from "../types";
import { Ask } from "../parts/Ask";
import { placeOf } from "../parts/Cite";
import { isQuarrel, Quarrel } from "../parts/Quarrel";
import { Chart, DRAWN, pointsOf, timeOf } from "../parts/Chart";
import { Failed, Loading, Section, useGet } from "../parts/small";

const FIRST = 500, EACH = 8, PAGE = 50, SHOWN = 25;

export function Entity({ id }: { id: string }) {
  const entity = useGet<EntityOf>(`/v1/relations?entity=${q(id)}`);
  const facts = useGet<FactPage>(`/v1/facts?entity=${q(id)}&limit=${FIRST}&each=${EACH}`);
  const [all, open] = useState(false);
  useEffect(() => { if (entity.data) document.title = `${entity.data.name} · hydra-kg`; }, [entity.data]);
  if (entity.error) return <div class="page"><Failed error={entity.error} again={entity.reload} /><p class="row"><a class="soft" href={link("")}>{t.newQuestion}</a><a class="soft" href={link("explore")}>{t.exploreLead}</a></p></div>;
  if (!entity.data) return <div class="page"><Loading /></div>;
  const one = entity.data;
  const kinds = [...new Set(one.kinds.map(words))].slice(0, 6);
  const relations = relationsOf(one);
  return (
    <div class="page entity">
      <header class="pagehead">
        <h1 translate={false}>{one.name}</h1>
        {one.description && <p translate={false}>{one.description}</p>}
        <p class="quiet"><span translate={false}>{[...kinds, ""].join(" · ")}</span>{t.factsCount(number(one.total))}</p>
        {one.aliases.length > 0 && <p class="quiet">{t.alias}: <span translate={false}>{one.aliases.join(" · ")}</span></p>}
        <p class="quiet">{t.ids}: {one.ids.join(" · ")}</p>
        <p class="row"><a class="soft" href={link("explore", one.id)}><Compass size={15} aria-hidden="true" />&nbsp;{t.exploreThis}</a></p>
      </header>
      <Ask placeholder={`${t.askAbout}: ${one.name}`} asked={(question) => go(link("ask", "", { q: question }))} />
      <Quarrels id={one.id} />
      <Section title={t.factsBy}>
        {facts.error && <Failed error={facts.error} again={facts.reload} />}
        <ul class="facts" translate={false}>
          {relations.slice(0, all ? relations.length : SHOWN).map((r) => <Row key={r.relation} entity={one.id} relation={r} stated={facts.data?.facts.filter((f) => f.relation === r.relation) ?? []} ready={Boolean(facts.data)} />)}
        </ul>
        {relations.length > SHOWN && <button class="soft" aria-expanded={all} onClick={() => open(!all)}>{all ? t.showLess : `${t.showAll} (${relations.length})`}</button>}
      </Section>
      <Passages id={one.id} />
      <Before name={one.name} />
    </div>
  );
}

function Row({ entity, relation, stated, ready }: { entity: string; relation: Relation; stated: FactOf[]; ready: boolean }) {
  const [more, read] = useState<FactOf[] | null>(null);
  const [next, from] = useState<number | null>(0);
  const [busy, wait] = useState(false);
  const [dated, draw] = useState<FactOf[]>([]);
  const known = unite(stated), facts = inTime(more ?? known);
  const rest = more ? next !== null : relation.count > stated.length || known.length > EACH;
  const count = more ? facts.length : rest ? relation.least : known.length;
  // A chart shows all years, and not only those of the first facts.
  useEffect(() => {
    if (relation.count <= stated.length || relation.count > DRAWN || pointsOf(known).length < 2) return;
    get<FactPage>(`/v1/facts?entity=${q(entity)}&relation=${q(relation.relation)}&limit=${DRAWN}`).then((page) => draw(page.facts.filter((f) => f.relation === relation.relation))).catch(() => {});
  }, [known.length]);
  const load = async () => {
    wait(true);
    let start = next ?? 0, found: FactOf[] = more ?? [];
    const page = await get<FactPage>(`/v1/facts?entity=${q(entity)}&relation=${q(relation.relation)}&start=${start}&limit=${more ? 500 : PAGE}`).catch(() => null);
    wait(false);
    if (!page) return;
    found = unite([...found, ...page.facts.filter((f) => f.relation === relation.relation)]);
    read(found.length ? found : known);
    from(page.next_start);
  };
  return (
    <li class="relation">
      <span class="relname">{relation.relation} {count > 1 && <span class="count">({number(count)}{rest && count < relation.count && "+"})</span>}</span>
      <div>
        <Chart points={pointsOf(dated.length > facts.length ? dated : facts)} />
        <ul class="said">{facts.slice(0, more ? facts.length : EACH).map((fact) => <Fact key={`${fact.object}${fact.id}`} fact={fact} />)}{!facts.length && ready && <li>{relation.example} …</li>}</ul>
        {rest && ready && <button class="plain" translate disabled={busy} onClick={load}>{t.more}</button>}
      </div>
    </li>
  );
}

const timeIn = (fact: FactOf) => timeOf(fact.qualifiers);

// By time where all of them have one.
const inTime = (facts: FactOf[]) => (facts.every(timeIn) ? [...facts].sort((a, b) => timeIn(b).localeCompare(timeIn(a))) : facts);

function Fact({ fact }: { fact: FactOf }) {
  const sources = [...new Set(fact.stated_by.map((s) => s.source))];
  const places = fact.stated_by.map((s) => t.statedIn(s.source, placeOf(s.locator, s.source))).join("\n");
  const time = timeIn(fact);
  return <li>{fact.id ? <a href={link("e", fact.id)}>{fact.object}</a> : <span>{plain(shownAs(fact))}{fact.unit && ` ${fact.unit}`}</span>} {time && <span class="quiet">({plain(time)}) </span>}<span class="who" title={places}>{sources.join(", ")}</span></li>;
}

function Quarrels({ id }: { id: string }) {
  const fused = useGet<Fused>(`/v1/fusion?entity=${q(id)}&limit=100`);
  const some = fused.data?.values.filter(isQuarrel) ?? [];
  if (!fused.data) return null;
  return (
    <Section title={t.disputedHere}>
      {!some.length && <p class="quiet">{t.noDispute}</p>}
      <div class="quarrels">{some.slice(0, 12).map((g) => <Quarrel key={g.attribute} group={g} title={g.attribute} />)}</div>
    </Section>
  );
}

function Passages({ id }: { id: string }) {
  const found = useGet<{ passages: PassageOf[] }>(`/v1/passages?entity=${q(id)}&limit=5`);
  if (!found.data) return null;
  return (
    <Section title={t.passages}>
      {!found.data.passages.length && <p class="quiet">{t.noPassages}</p>}
      {found.data.passages.map((p) => <div class="passage" key={p.id}><p translate={false}>{p.text}</p><p class="quiet">{t.statedIn(p.source, placeOf(p.locator, p.source))}</p></div>)}
    </Section>
  );
}

function Before({ name }: { name: string }) {
  const kept = useGet<KeptRow[]>("/v1/answers?limit=100");
  const seen = new Set<string>();
  const some = kept.data?.filter((row) => `${row.question} ${row.understood_as ?? ""} ${row.answer_text}`.toLowerCase().includes(name.toLowerCase()) && !seen.has(row.question) && seen.add(row.question)) ?? [];
  if (!some.length) return null;
  return (
    <Section title={t.askedBefore}>
      <ul class="list" translate={false}>{some.slice(0, 8).map((row) => <li key={row.id}><span><a href={link("a", row.id)}><MessageCircle size={14} aria-hidden="true" /> {row.understood_as || row.question}</a></span><span class="quiet said1">{plainText(row.answer_text) || t.noAnswer}</span></li>)}</ul>
    </Section>
  );
}
