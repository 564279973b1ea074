import { useEffect, useState } from "preact/hooks";
import { follow, send } from "../api";
import { go, link } from "../router";
import { number, percent, t } from "../texts";
import type { Fused, Job, SchemaOf } from "../types";
import { isQuarrel, Quarrel } from "../parts/Quarrel";
import { Bar, Failed, Loading, Section, useGet } from "../parts/small";

export function Disagreements({ params }: { params: URLSearchParams }) {
  const relation = params.get("r") ?? "", all = params.get("all") === "1";
  const schema = useGet<SchemaOf>("/v1/schema?limit=200");
  const [job, seen] = useState<Job | null>(null);
  const [error, wrong] = useState<Error | null>(null);
  useEffect(() => {
    if (!relation && !all) return;
    wrong(null);
    seen(null);
    let alive = true;
    send<Job>("POST", "/v1/fusion", { attribute: relation, limit: all ? 500 : 100 }).then((begun) => follow(begun, (one) => { if (alive) seen(one); }))
      .then((over) => { if (alive && over.state !== "done") wrong(new Error(over.why)); }).catch((e: Error) => { if (alive) wrong(e); });
    return () => { alive = false; };
  }, [relation, all]);
  const names = [...new Set(schema.data?.relations.map((r) => r.text) ?? [])];
  const result = job?.result as Fused | null | undefined;
  const some = result?.values.filter(isQuarrel) ?? [];
  const counts = new Map<string, number>();
  if (all) for (const g of some) counts.set(g.attribute, (counts.get(g.attribute) ?? 0) + 1);
  const sources = Object.entries(result?.sources ?? {}).map(([key, s]: [string, any]) => ({ name: String(s.source ?? s.name ?? key), share: Number(s.reliability ?? s.weight ?? s.trust ?? Number.NaN) }));
  return (
    <div class="page">
      <header class="pagehead"><h1>{t.disagreementsTitle}</h1><p class="quiet">{t.disagreementsLead}</p></header>
      <p class="row"><a class="primary" href={link("disagreements", "", { all: "1" })}>{t.lookThrough}</a><span class="quiet">{t.lookThroughHint}</span></p>
      <form class="inline" onSubmit={(e) => { e.preventDefault(); const r = (new FormData(e.currentTarget).get("r") as string).trim(); if (r) go(link("disagreements", "", { r })); }}>
        <label class="field"><span>{t.attribute}</span><input name="r" list="relations" defaultValue={relation} key={relation} placeholder={names[0] ?? ""} required /></label>
        <datalist id="relations">{names.map((name) => <option key={name} value={name} />)}</datalist>
        <button class="primary">{t.compareRelation}</button>
      </form>
      {!relation && !all && <p class="row" translate={false}>{names.filter((n) => n !== "object type").slice(0, 14).map((name) => <a key={name} class="soft" href={link("disagreements", "", { r: name })}>{name}</a>)}</p>}
      {error && <Failed error={error} />}
      {(relation || all) && !error && !result && <Loading />}
      {result && (
        <>
          <Section title={some.length ? t.groupsWith(some.length + (all ? 0 : result.left_out ?? 0), number(result.groups)) : t.nothingDiffers}>
            {!some.length && <p class="quiet">{t.nothingDiffersHint} <a href={link("sources")}>{t.matchTitle}</a></p>}
            {counts.size > 1 && <p class="row"><span class="quiet">{t.whereTheyDiffer}:</span>{[...counts].sort((a, b) => b[1] - a[1]).slice(0, 20).map(([name, n]) => <a key={name} class="soft" href={link("disagreements", "", { r: name })}>{t.disputesOf(name, number(n))}</a>)}</p>}
            <div class="quarrels">{some.slice(0, 50).map((g) => <Quarrel key={g.entity.id + g.attribute + g.when} group={g} title={<span translate={false}><a href={link("e", g.entity.id)}>{g.entity.name}</a> · {g.attribute}</span>} />)}</div>
          </Section>
          {sources.length > 0 && (
            <Section title={t.trust} lead={t.trustWhy}>
              <ul class="cards">{sources.map((s) => <li class="card" key={s.name}><b>{s.name}</b>{Number.isFinite(s.share) && <><span class="big">{percent(s.share)}</span><Bar share={s.share} /></>}</li>)}</ul>
            </Section>
          )}
        </>
      )}
    </div>
  );
}
