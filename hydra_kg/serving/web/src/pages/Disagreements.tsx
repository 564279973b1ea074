import { useEffect, useState } from "preact/hooks";
import { follow, send } from "../api";
import { go, link } from "../router";
import { number, percent, t } from "../texts";
import type { Fused, FusedGroup, Job, SchemaOf } from "../types";
import { isQuarrel, Quarrel } from "../parts/Quarrel";
import { Bar, Failed, Loading, Section, useGet } from "../parts/small";

// Searches of this tab by relation ("": all): a person who reads about a thing and comes back finds the same search.
const searches = new Map<string, Job>();
const beginning = new Map<string, Promise<Job>>();
const MOST = 40;

// One search, even for a person who is back before the service has replied.
function begin(relation: string): Promise<Job> {
  const known = searches.get(relation);
  if (known) return Promise.resolve(known);
  const begun = beginning.get(relation) ?? send<Job>("POST", "/v1/fusion", { attribute: relation, limit: relation ? 100 : 500 })
    .then((job) => { searches.set(relation, job); return job; })
    .finally(() => beginning.delete(relation));
  beginning.set(relation, begun);
  return begun;
}

function useSearch(relation: string | null): { job: Job | null; error: Error | null; stop: () => void; again: () => void } {
  const [state, set] = useState<{ of: string | null; job: Job | null; error: Error | null }>({ of: null, job: null, error: null });
  const [turn, next] = useState(0);
  useEffect(() => {
    if (relation === null) return;
    let alive = true;
    const see = (job: Job | null, error: Error | null = null) => { if (job) searches.set(relation, job); if (alive) set({ of: relation, job, error }); };
    see(searches.get(relation) ?? null);
    begin(relation)
      .then((begun) => follow(begun, see, () => alive))
      .catch((error: Error) => { searches.delete(relation); see(null, error); });
    return () => { alive = false; };
  }, [relation, turn]);
  const mine = state.of === relation ? state : { job: null, error: null };
  const again = () => { searches.delete(relation ?? ""); next(turn + 1); };
  const stop = () => { if (mine.job) send("DELETE", `/v1/jobs/${mine.job.id}`).catch(() => {}); };  // it may be over
  return { ...mine, stop, again };
}

export function Disagreements({ params }: { params: URLSearchParams }) {
  const relation = params.get("r") ?? "", all = params.get("all") === "1";
  const schema = useGet<SchemaOf>("/v1/schema?limit=500");
  const { job, error, stop, again } = useSearch(relation || (all ? "" : null));
  const known = new Map((schema.data?.relations ?? []).map((r) => [r.text, r.sources]));
  const shared = [...known].filter(([name, n]) => n !== 1 && name !== "object type").slice(0, 14);
  const result = job?.result as Fused | null | undefined;
  const searching = Boolean(relation || all) && !error && (!job || ["waiting", "running"].includes(job.state));
  return (
    <div class="page">
      <header class="pagehead"><h1>{t.disagreementsTitle}</h1><p class="quiet">{t.disagreementsLead}</p></header>
      <p class="row"><a class="primary" href={link("disagreements", "", { all: "1" })}>{t.lookThrough}</a><span class="quiet">{t.lookThroughHint}</span></p>
      <form class="inline" onSubmit={(e) => { e.preventDefault(); const r = (new FormData(e.currentTarget).get("r") as string).trim(); if (r) go(link("disagreements", "", { r })); }}>
        <label class="field"><span>{t.attribute}</span><input name="r" translate={false} list="relations" defaultValue={relation} key={relation} placeholder={shared[0]?.[0] ?? ""} required /></label>
        <datalist id="relations">{[...known.keys()].map((name) => <option key={name} value={name} />)}</datalist>
        <button class="primary">{t.compareRelation}</button>
      </form>
      {!relation && !all && !schema.data && !schema.error && <Loading />}
      {!relation && !all && schema.data && !shared.length && <p class="quiet">{t.noneShared} <a href={link("sources")}>{t.matchTitle}</a></p>}
      {!relation && !all && shared.length > 0 && <ul class="row plainlist" aria-label={t.sharedRelations}>{shared.map(([name, n]) => <li key={name}><a class="soft" href={link("disagreements", "", { r: name })}><span translate={false}>{name}</span>{n > 1 && <span class="count">{t.statedBy(n)}</span>}</a></li>)}</ul>}
      {error && <Failed error={error} again={again} />}
      {searching && <Searching job={job} stop={stop} />}
      {job && !searching && !result && <Stopped job={job} again={again} />}
      {result && <Result result={result} all={all} again={again} />}
    </div>
  );
}

const PHASES = ["read", "compare", "lists", "judge"];

// How much was looked through, and what was found so far.
function Searching({ job, stop }: { job: Job | null; stop: () => void }) {
  const p = job?.progress, step = PHASES.indexOf(p?.phase ?? "");
  return (
    <>
      <div class="note searching">
        <p role="status" class="loading"><span class="dots" aria-hidden="true" />{p && step >= 0 ? `${t.searchStep(step + 1, PHASES.length)} ${t.searchPhases[p.phase]!(number(p.done), number(p.total))}` : t.loading}</p>
        {p && <progress max={p.total || 1} value={p.done} aria-label={t.lookThrough} />}
        <button class="soft" disabled={!job} onClick={stop}>{t.no}</button>
      </div>
      <SoFar job={job} />
    </>
  );
}

function Stopped({ job, again }: { job: Job; again: () => void }) {
  const p = job.progress;
  return (
    <>
      <div class="note" role="status">{job.state === "stopped" ? t.stopped : `${t.failed}. ${job.why}`} {p && t.searchedUntil(percent(p.total ? p.done / p.total : 0), PHASES.indexOf(p.phase) + 1, PHASES.length)} <button class="soft" onClick={again}>{t.lookAgain}</button></div>
      <SoFar job={job} />
    </>
  );
}

function SoFar({ job }: { job: Job | null }) {
  const values = job?.progress?.values ?? [], found = job?.progress?.found ?? 0;
  if (!values.length) return null;
  return <Section title={t.foundSoFar(number(found))}><Quarrels groups={values} /></Section>;
}

function Quarrels({ groups }: { groups: FusedGroup[] }) {
  const [shown, show] = useState(MOST);
  return (
    <>
      <div class="quarrels">{groups.slice(0, shown).map((g) => <Quarrel key={g.entity.id + g.attribute + g.when} group={g} title={<span translate={false}><a href={link("e", g.entity.id)}>{g.entity.name}</a> · {g.attribute}</span>} />)}</div>
      {groups.length > shown && <button class="soft" onClick={() => show(shown + MOST)}>{t.more} ({number(groups.length - shown)})</button>}
    </>
  );
}

function Result({ result, all, again }: { result: Fused; all: boolean; again: () => void }) {
  const some = result.values.filter(isQuarrel);
  const counts = new Map<string, number>();
  if (all) for (const g of some) counts.set(g.attribute, (counts.get(g.attribute) ?? 0) + 1);
  const sources = Object.entries(result.sources).map(([key, s]: [string, any]) => ({ name: String(s.source ?? s.name ?? key), share: Number(s.reliability ?? s.weight ?? s.trust ?? Number.NaN) }));
  return (
    <>
      <Section title={some.length ? t.groupsWith(some.length, number(result.groups), result.left_out > 0) : t.nothingDiffers(number(result.groups))}>
        {result.left_out > 0 && <p class="quiet">{t.leftOutHint(number(result.left_out))}</p>}
        {!some.length && <p class="quiet">{t.nothingDiffersHint} <a href={link("sources")}>{t.matchTitle}</a></p>}
        {counts.size > 1 && <p class="row"><span class="quiet">{t.whereTheyDiffer}:</span>{[...counts].sort((a, b) => b[1] - a[1]).slice(0, 20).map(([name, n]) => <a key={name} class="soft" href={link("disagreements", "", { r: name })}>{t.disputesOf(name, number(n))}</a>)}</p>}
        <Quarrels groups={some} />
        <p><button class="plain" onClick={again}>{t.lookAgain}</button></p>
      </Section>
      {some.length > 0 && sources.length > 0 && (
        <Section title={t.trust} lead={t.trustWhy}>
          <ul class="cards">{sources.map((s) => <li class="card" key={s.name}><b>{s.name}</b>{Number.isFinite(s.share) && <><span class="big">{percent(s.share)}</span><Bar share={s.share} /></>}</li>)}</ul>
        </Section>
      )}
    </>
  );
}
