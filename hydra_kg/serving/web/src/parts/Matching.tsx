// Rows of two sources that may be the same thing: a person decides the unclear pairs, and they are linked.
import { useState } from "preact/hooks";
import { follow, send } from "../api";
import { percent, t } from "../texts";
import type { Job, Matched, PairOf } from "../types";
import { Failed, Section } from "./small";

export function Matching({ sources, changed }: { sources: string[]; changed: () => void }) {
  const [busy, wait] = useState(false);
  const [error, wrong] = useState<Error | null>(null);
  const [found, show] = useState<Matched | null>(null);
  const [judged, judge] = useState<Record<string, boolean>>({});
  const [done, tell] = useState("");
  const run = async <T,>(path: string, body: unknown): Promise<T | null> => {
    wait(true);
    wrong(null);
    try {
      const over = await follow(await send<Job>("POST", path, body), () => {});
      if (over.state !== "done") throw new Error(over.why);
      return over.result as T;
    } catch (e) { wrong(e as Error); return null; } finally { wait(false); }
  };
  const compare = async (form: FormData) => {
    const feeds = [...new Set([String(form.get("first")), String(form.get("second")) || String(form.get("first"))])];
    tell("");
    judge({});
    show(null);
    show(await run<Matched>("/v1/matches", { feeds }));
  };
  const link = async () => {
    const pairs = found!.pairs.filter((p) => keyOf(p) in judged).map((p) => ({ left: p.left.key, right: p.right.key, same: judged[keyOf(p)] }));
    const over = await run<{ name: string; links: number }>("/v1/matches/links", { feeds: found!.feeds, judged: pairs });
    if (over) { tell(t.matchDone(over.links, over.name)); show(null); changed(); }
  };
  return (
    <Section title={t.matchTitle} lead={t.matchLead}>
      <form class="inline" onSubmit={(e) => { e.preventDefault(); void compare(new FormData(e.currentTarget)); }}>
        <label class="field"><span>{t.matchFirst}</span><select name="first">{sources.map((one) => <option key={one}>{one}</option>)}</select></label>
        <label class="field"><span>{t.matchSecond}</span><select name="second"><option value="">{t.matchItself}</option>{sources.map((one) => <option key={one}>{one}</option>)}</select></label>
        <button class="primary" disabled={busy || !sources.length}>{t.matchRun}</button>
      </form>
      {busy && <p class="quiet loading" role="status"><span class="dots" aria-hidden="true" />{t.loading}</p>}
      {error && <Failed error={error} />}
      {done && <p class="note" role="status">{done}</p>}
      {found && (
        <div class="mapping">
          <p class="quiet">{found.pairs.length ? t.matchCounts(found.counts.accepted, found.pairs.filter((pair) => !pair.accepted).length) : t.matchNone}</p>
          <div class="quarrels">{found.pairs.map((pair) => <Pair key={keyOf(pair)} pair={pair} feeds={found.feeds} said={judged[keyOf(pair)]} judge={(same) => judge({ ...judged, [keyOf(pair)]: same })} />)}</div>
          <p class="row"><button class="primary" disabled={busy} onClick={link}>{t.matchLink(Object.keys(judged).length)}</button></p>
        </div>
      )}
    </Section>
  );
}

const keyOf = (pair: PairOf) => `${pair.left.key}\n${pair.right.key}`;

function Pair({ pair, feeds, said, judge }: { pair: PairOf; feeds: string[]; said: boolean | undefined; judge: (same: boolean) => void }) {
  const shown = said ?? pair.accepted;
  return (
    <article class="quarrel" aria-label={`${pair.left.name} · ${pair.right.name}`}>
      <div class="versus">{([pair.left, pair.right] as const).map((row, n) => <div key={n}><b>{row.name}</b><span class="quiet">{feeds[n] ?? feeds[0]}</span></div>)}</div>
      {pair.agrees.length > 0 && <p class="quiet">{t.matchAgrees}: {pair.agrees.join(", ")}</p>}
      {pair.differs.length > 0 && <p class="quiet">{t.matchDiffers}: {pair.differs.join(", ")}</p>}
      <p class="row">
        <button class="soft" aria-pressed={said !== undefined && shown} onClick={() => judge(true)}>{t.matchSame}</button>
        <button class="soft" aria-pressed={said !== undefined && !shown} onClick={() => judge(false)}>{t.matchOther}</button>
        <span class="quiet">{t.likely(percent(pair.probability))}</span>
      </p>
    </article>
  );
}
