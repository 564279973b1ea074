import { useEffect, useState } from "preact/hooks";
import { ArrowRight } from "lucide-preact";
import { get } from "../api";
import { go, link } from "../router";
import { date, number, t, words } from "../texts";
import type { Example, RelationOf, SchemaOf, StoreOf } from "../types";
import { Ask } from "../parts/Ask";
import { Joins } from "../parts/Joins";
import { Failed, Loading, Section, useGet } from "../parts/small";

export function Home() {
  const store = useGet<StoreOf>("/v1/store");
  const schema = useGet<SchemaOf>("/v1/schema");
  const name = store.data?.name ?? "";
  const used = store.data?.loads.filter((one) => !one.held) ?? [];
  return (
    <div class="page home">
      <header class="hero">
        <h1>{t.homeTitle}</h1>
        <p class="quiet">{store.data ? (used.length ? t.inStore(name, number(store.data.facts), used.length) : t.emptyStore) : " "} {t.homeLead}</p>
        <Ask large autoFocus placeholder={t.placeholder} asked={(question) => go(link("ask", "", { q: question }))} />
      </header>
      {store.error && <Failed error={store.error} again={store.reload} />}
      {store.data && !used.length && <p class="note">{t.emptyStoreHint} <a href={link("sources")}>{t.sourcesTitle}</a></p>}
      {used.length > 0 && <Examples />}
      {used.length > 0 && (
        <Section title={t.sources}>
          <ul class="cards">
            {used.slice(0, 8).map((one) => (
              <li key={one.name} class="card">
                <a translate={false} href={link("sources", one.name)}>{one.name}</a>
                <b class="big">{number(one.facts || one.counts.passages || one.counts.same_as || 0)}</b>
                <span class="quiet">{one.facts ? t.facts : one.counts.passages ? t.passagesHere : t.sameAs}</span>
                <span class="quiet">{date(one.created)}{one.sources[0]?.licence && <span translate={false}> · {one.sources[0].licence}</span>}</span>
              </li>
            ))}
          </ul>
          {used.length > 8 && <a href={link("sources")}>{t.allSources} ({used.length})</a>}
        </Section>
      )}
      {used.length > 0 && (
        <Section title={t.whatsIn}>
          {schema.error && <Failed error={schema.error} again={schema.reload} />}
          {!schema.data && !schema.error && <Loading />}
          {schema.data && <Schema schema={schema.data} />}
        </Section>
      )}
    </div>
  );
}

function Examples() {
  const [state, change] = useState<{ state: string; questions: Example[] }>({ state: "asking", questions: [] });
  useEffect(() => {
    let alive = true;
    const look = () => get<typeof state>("/v1/examples").then((doc) => {
      if (!alive) return;
      change(doc);
      if (doc.state === "asking") setTimeout(look, 1200);
    }).catch(() => {});
    look();
    return () => { alive = false; };
  }, []);
  return (
    <Section title={t.examples}>
      {(state.questions.length === 0 || state.state === "asking") && <p class="quiet" role="status">{state.state === "asking" ? t.examplesAsking : t.noExamples}</p>}
      <ul class="examples" translate={false}>
        {state.questions.map((one) => (
          <li key={one.question}><a href={one.chosen ? link("a", one.answer) : link("ask", "", { q: one.question })}><span>{one.question}<small>{one.text}</small></span><ArrowRight size={16} aria-hidden="true" /></a></li>
        ))}
      </ul>
    </Section>
  );
}

function Schema({ schema }: { schema: SchemaOf }) {
  const seen = new Set<string>();  // two sources may have a class of one name
  const classes = schema.classes.filter((one) => one.examples.length && !seen.has(words(one.name).toLowerCase()) && seen.add(words(one.name).toLowerCase())).slice(0, 12);
  const joins = schema.relations.filter((r): r is RelationOf => Boolean(r.domain && r.range && r.range !== "value"));
  return (
    <div class="schema">
      {classes.length > 0 && (
        <div><h3>{t.classes}</h3>
          <ul class="classes" translate={false}>{classes.map((one) => <li key={one.name}><span><b>{words(one.name)}</b><small>{one.examples.join(" · ")}</small></span><span class="count">{number(one.count)}</span></li>)}</ul>
        </div>
      )}
      {joins.length > 0 && <div><h3>{t.joins}</h3><Joins relations={joins} /></div>}
      {!classes.length && <ul class="classes" translate={false}>{schema.relations.slice(0, 20).map((r) => <li key={r.key}><span><b>{r.text}</b></span><span class="count">{number(r.count)}</span></li>)}</ul>}
    </div>
  );
}
