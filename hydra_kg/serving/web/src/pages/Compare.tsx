import { useState } from "preact/hooks";
import { ask } from "../api";
import { go, link } from "../router";
import { plain, t } from "../texts";
import type { Answer, KeptRow, PathOf, Session } from "../types";
import { Failed, Loading, Section, useGet } from "../parts/small";

const STRATEGIES = ["", "multirag", "tog", "rog", "hydra"];

export function Compare({ params, session }: { params: URLSearchParams; session: Session | null }) {
  const a = params.get("a") ?? "", b = params.get("b") ?? "";
  const kept = useGet<KeptRow[]>("/v1/answers?limit=100");
  const first = useGet<Answer>(a ? `/v1/answers/${a}` : ""), second = useGet<Answer>(b ? `/v1/answers/${b}` : "");
  const [busy, wait] = useState(false);
  const [error, wrong] = useState<Error | null>(null);
  const both = async (form: FormData) => {
    const question = String(form.get("question")).trim();
    wait(true);
    wrong(null);
    try {
      const run = (name: string) => {
        const strategy = String(form.get(name)), agent = form.get(`${name}-agent`) === "offline" ? "offline" : "";
        return ask(question, { ...(strategy ? { strategy } : {}), ...(agent ? { agent } : {}) }, new AbortController().signal, () => {});
      };
      const one = await run("one"), two = await run("two");
      go(link("compare", "", { a: one.id, b: two.id }));
    } catch (e) { wrong(e as Error); }
    wait(false);
  };
  const pick = (name: "a" | "b", label: string, value: string) => (
    <label class="field"><span>{label}</span>
      <select value={value} onChange={(e) => go(link("compare", "", { a, b, [name]: e.currentTarget.value }))}>
        <option value="">{t.chooseAnswer}</option>
        {value && !kept.data?.some((row) => row.id === value) && <option value={value} translate={false}>{(name === "a" ? first : second).data?.question ?? value}</option>}
        {kept.data?.map((row) => <option key={row.id} value={row.id} translate={false}>{`${row.understood_as || row.question} — ${row.answer_text.slice(0, 40) || "∅"}`}</option>)}
      </select>
    </label>
  );
  return (
    <div class="page">
      <header class="pagehead"><h1>{t.compareTitle}</h1><p class="quiet">{t.compareLead}</p></header>
      <Section title={t.sameQuestion}>
        <form onSubmit={(e) => { e.preventDefault(); void both(new FormData(e.currentTarget)); }}>
          <label class="field"><span>{t.question}</span><input name="question" required defaultValue={first.data?.question ?? ""} key={first.data?.id} /></label>
          <div class="inline">
            {(["one", "two"] as const).map((name, n) => (
              <fieldset class="inline" key={name}><legend>{t.way(n + 1)}</legend>
                <label class="field"><span>{t.strategy}</span><select name={name} defaultValue={STRATEGIES[n]}>{STRATEGIES.map((s) => <option key={s} value={s}>{s ? t.strategyIs[s] ?? s : t.asIs}</option>)}</select></label>
                {session?.model && <label class="field"><span>{t.model}</span><select name={`${name}-agent`} defaultValue={n ? "offline" : ""}><option value="">{t.withModel}</option><option value="offline">{t.withoutModel}</option></select></label>}
              </fieldset>
            ))}
            <button class="primary" disabled={busy}>{t.askBoth}</button>
          </div>
        </form>
      </Section>
      <Section title={t.twoAnswers}><div class="inline">{pick("a", t.first, a)}{pick("b", t.second, b)}</div></Section>
      {busy && <Loading />}
      {error && <Failed error={error} />}
      {(first.error ?? second.error) && <Failed error={(first.error ?? second.error)!} />}
      {first.data && second.data && <Sides left={first.data} right={second.data} />}
    </div>
  );
}

const stated = (one: Answer, path: PathOf) => path.hops.map((h, n) => `${n ? "" : h.subject.name} — ${one.readable.relations[h.predicate] ?? h.text} → ${plain(h.object.name)}`).join("") || path.text;

function Sides({ left, right }: { left: Answer; right: Answer }) {
  const names = (one: Answer) => one.answers.map((x) => x.name);
  const answers = (one: Answer, other: Answer) => (one.abstained ? <i>{t.noAnswer}</i> : <ul>{names(one).map((name) => <li key={name}>{name} {!names(other).includes(name) && <span class="only">{t.onlyOne}</span>}</li>)}</ul>);
  const sources = (one: Answer) => [...new Set(one.citations.map((c) => c.source))].join(", ");
  const paths = (one: Answer) => <ul>{[...new Set(one.paths.filter((p) => p.kept).map((p) => p.sentence || stated(one, p)))].slice(0, 5).map((x) => <li key={x}>{x}</li>)}</ul>;
  const rows: [string, (one: Answer, other: Answer) => preact.ComponentChildren][] = [
    [t.question, (one) => <a href={link("a", one.id)}>{one.question}</a>], [t.answer, answers], [t.sureness, (one) => `${t.verdict[one.verdict] ?? one.verdict}. ${one.abstained ? "" : t.sure[(one.certainty ?? "").split(" · ")[1] ?? ""] ?? ""}`],
    [t.strategy, (one) => `${t.strategyIs[one.strategy] ?? one.strategy} · ${one.agent === "offline" ? t.withoutModel : one.agent}`], [t.usedSources, sources], [t.steps, paths],
    [t.cost, (one) => String(one.usage.calls)], [t.time, (one) => `${(one.seconds.total ?? 0).toFixed(2)} s`],
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t.compareTitle}>
      <table class="compare">
        <thead><tr><th scope="col"><span class="sr">{t.name}</span></th><th scope="col">{t.first}</th><th scope="col">{t.second}</th></tr></thead>
        <tbody>{rows.map(([name, show]) => <tr key={name}><th scope="row">{name}</th><td>{show(left, right)}</td><td>{show(right, left)}</td></tr>)}</tbody>
      </table>
    </div>
  );
}
