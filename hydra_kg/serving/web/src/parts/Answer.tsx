import { useMemo, useState } from "preact/hooks";
import { Bookmark, Columns2, Compass, Download, Link as LinkIcon } from "lucide-preact";
import { send } from "../api";
import { go, link } from "../router";
import { number, plain, plainText, t } from "../texts";
import type { Answer, Example, Hop, PathOf } from "../types";
import { Cite, Cites, Citing, OpenCitation } from "./Cite";
import { Chips } from "./Chips";
import { timeOf } from "./Chart";
import { AnswerChart, AnswerTable } from "./Table";
import { useAdmin } from "./session";
import { CopyButton, Failed, save, useGet, Verdict } from "./small";

export interface Again { (question: string, topics: string[], after: string, relation?: string): void }

export const leadsTo = (path: PathOf, answer: { id: string | null; name: string; value?: string; ids: string[] }) =>
  path.answers.some((one) => one.id === answer.id || one.id === answer.value || answer.ids.includes(one.id) || one.name === answer.name);

export function citesOf(answer: Answer, place: number): number[] {
  const one = answer.answers[place];
  const paths = answer.paths.filter((p) => p.kept && one && leadsTo(p, one));
  const numbers = new Set(paths.flatMap((p) => [...p.hops.flatMap((h) => h.sources.map((s) => s.n ?? 0)), p.passage?.n ?? 0]));
  const cited = answer.citations.filter((c) => numbers.has(c.n));
  const first = cited.filter((c, at) => cited.findIndex((other) => other.source === c.source) === at);  // one of each source
  return [...first, ...cited.filter((c) => !first.includes(c))].map((c) => c.n);
}

// A path for every statement: hops of one relation that differ only in their source are one.
const MOST = 3;

export function AnswerView({ answer, again, heading = true }: { answer: Answer; again: Again; heading?: boolean }) {
  const [open, show] = useState(0);
  const opened = answer.citations.find((c) => c.n === open);
  const { dialogue } = answer.readable;
  const silent = answer.abstained;
  const dissent = answer.dissent.filter((one) => !answer.answer_text.includes(one));
  return (
    <Citing.Provider value={{ answer, open, show }}>
      <article class="answer" aria-label={answer.question} id={`a${answer.id}`}>
        {heading && <h1 class="asked" translate={false}>{answer.question}</h1>}
        {answer.understood_as && <p class="quiet resolved">{t.understoodAs}: <span translate={false}>{answer.understood_as}</span></p>}
        {dialogue.choices.length > 0
          ? <Choices answer={answer} again={again} />
          : <>
              {silent ? <Silence answer={answer} again={again} /> : <Statement answer={answer} />}
              {!silent && <Verdict answer={answer} />}
            </>}
        {opened && <OpenCitation cited={opened} key={open} />}
        {!silent && <Doubts answer={answer} again={again} />}
        {answer.dissent.length > 0 && (
          <div class="dissent">{dissent.length > 0 && <><h2>{t.disagree}</h2>
            <ul>{dissent.map((one) => <li key={one}>{plainText(one)}</li>)}</ul></>}
            {answer.readable.about[0] && <a href={link("e", answer.readable.about[0].id)}>{t.sideBySide}</a>}
          </div>
        )}
        {(answer.answers.length > 1 || answer.table) && !silent && <AnswerTable answer={answer} />}
        <AnswerChart answer={answer} />
        {!silent && <Working answer={answer} />}
        <Chips answer={answer} again={again} />
        {!silent && <Evidence answer={answer} />}
        <Actions answer={answer} />
        {heading && !silent && !answer.readable.relation && <Confirm answer={answer} />}
        {heading && !silent && answer.readable.about.length > 0 && (
          <p class="further"><span class="quiet">{t.readAbout}</span>{answer.readable.about.slice(0, 5).map((one) => <a key={one.id} class="soft" translate={false} href={link("e", one.id)}>{one.name}</a>)}</p>
        )}
      </article>
    </Citing.Provider>
  );
}

function Choices({ answer, again }: { answer: Answer; again: Again }) {
  return (
    <div class="choices"><p class="statement">{t.whichOne}</p>
      {answer.readable.dialogue.choices.map((one) => <button key={one} class="soft" translate={false} onClick={() => again(one, [], answer.readable.dialogue.before)}>{one}</button>)}
    </div>
  );
}

// A sentence in pieces: names of answers, citations, and the words between them.
function cut(text: string, names: string[]): string[] {
  const found = names.filter(Boolean).sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(\\[\\d+\\]${found.length ? `|(?<![\\p{L}\\d])(?:${found.join("|")})(?![\\p{L}\\d])` : ""})`, "u"));
}

// Sentences first; names of answers lead to their pages and carry their citations.
function Statement({ answer }: { answer: Answer }) {
  const { sentence, values, names } = answer.readable;
  const meant = (text: string) => names.reduce((said, m) => (m.given && m.chosen ? said.replace(m.text, m.chosen.name) : said), text);  // what a person chose, not what was typed
  const most = 3;
  const piece = (text: string, place: number) => {
    const one = answer.answers[place];
    const numbers = citesOf(answer, place).slice(0, most);
    const word = one?.id && !one.value ? <a class="thing" translate={false} href={link("e", one.id)}>{text}</a> : <strong translate={false}>{text}</strong>;
    return <span key={place}>{word}{numbers.length > 0 && <span class="cites">{"\u2060"}<Cites numbers={numbers} /></span>}</span>;
  };
  if (sentence.length) {
    return <p class="statement">{sentence.map((part, n) => (part.answer === undefined ? <span key={`t${n}`}>{meant(part.text)}</span> : piece(part.text, part.answer)))}</p>;
  }
  const all = answer.answers.map((a) => a.name);
  const listed = [...all].sort((a, b) => b.length - a.length).reduce((text, name) => text.replace(name, ""), answer.answer_text).replace(/ and /g, "").replace(/[ ,;.]/g, "") === "";
  if (!listed || !all.length) {
    return <p class="statement">{cut(answer.answer_text, all).map((part, n) => {
      const place = all.indexOf(part), cite = /^\[(\d+)\]$/.exec(part);
      return cite ? <Cite key={n} n={Number(cite[1])} /> : place >= 0 ? piece(plain(part), place) : plainText(part);
    })}</p>;
  }
  return <p class="statement">{values.slice(0, 5).map((text, n) => <span key={n}>{n ? (n === all.length - 1 ? " · " : " · ") : ""}{piece(text, n)}</span>)}{all.length > 5 && ` · ${t.also(all.length - 5)}`}</p>;
}

function Doubts({ answer, again }: { answer: Answer; again: Again }) {
  const { unchecked, doubted } = answer.readable;
  if (!unchecked.length && !doubted.length) return null;
  const without = (part: string) => answer.question.replace(part, "").replace(/\s+/g, " ").replace(/\s+\?/, "?").trim();
  return (
    <ul class="doubts">
      {unchecked.map((part) => (
        <li key={part}><b>{t.unchecked}:</b> <span translate={false}>{part}</span> {answer.question.includes(part) && <button class="plain" onClick={() => again(without(part), [], "")}>{t.chipWithout}</button>}</li>
      ))}
      {doubted.map((part) => <li key={part}><b>{t.doubted}:</b> {part}</li>)}
    </ul>
  );
}

// Silence says what was understood, what is missing, what is near, and what can be asked.
function Silence({ answer, again }: { answer: Answer; again: Again }) {
  const perhaps = answer.perhaps ?? [];
  const seen = new Set<string>();
  const near = answer.paths.filter((p) => p.hops.length && !seen.has(p.text) && seen.add(p.text)).slice(0, MOST);
  const about = answer.readable.about.slice(0, 3);
  return (
    <>
      <p class="statement">{answer.manifest.loads.length ? t.noAnswer : t.emptyAnswer}</p>
      <dl class="silence">
        {answer.readable.asked && <><dt>{t.understoodAs}</dt><dd>{answer.readable.asked}</dd></>}
        <dt>{t.missing}</dt><dd>{answer.readable.reason} {!answer.manifest.loads.length && <a href={link("sources")}>{t.loadSomething}</a>}</dd>
        {perhaps.length > 0 && <><dt>{t.perhaps}</dt><dd><span translate={false}>{perhaps.slice(0, 5).map((one) => plain(one.name)).join(", ")}</span> <span class="quiet">{t.perhapsHint}</span></dd></>}
        {near.length > 0 && <><dt>{t.near}</dt><dd><p class="quiet">{t.nearHint}</p>{near.map((p) => <Chain key={p.text} path={p} answer={answer} />)}</dd></>}
        {!about.length && answer.manifest.loads.length > 0 && <Instead again={again} />}
        {about.length > 0 && (
          <><dt>{t.canAsk}</dt><dd class="row">{about.map((one) => <a class="soft" key={one.id} href={link("e", one.id)}>{t.aboutThing(one.name)}</a>)}
            {(answer.notes ?? []).map((note) => <span key={note}>{note}</span>)}</dd></>
        )}
      </dl>
      {answer.readable.dialogue.choices.map((one) => <button class="soft" translate={false} key={one} onClick={() => again(one, [], "")}>{one}</button>)}
    </>
  );
}

// Questions that these sources answer, where no name of the question leads on.
function Instead({ again }: { again: Again }) {
  const found = useGet<{ questions: Example[] }>("/v1/examples");
  const some = found.data?.questions.slice(0, 3) ?? [];
  if (!some.length) return null;
  return <><dt>{t.canAsk}</dt><dd class="row" translate={false}>{some.map((one) => <button class="soft" key={one.question} onClick={() => again(one.question, [], "")}>{one.question}</button>)}</dd></>;
}

function Working({ answer }: { answer: Answer }) {
  const steps = answer.steps ?? [];
  if (steps.length < 2 && (!answer.computation || answer.table)) return null;  // the answer and what was asked say it already
  return (
    <div class="working">
      <h2>{t.working}</h2>
      {steps.length < 2 && <p>{plain(answer.computation!)}{steps[0] && steps[0].unknown > 0 && <span class="quiet"> · {t.unknownValues(steps[0].unknown)}</span>}</p>}
      {steps.length > 1 && <ol>{steps.map((step, n) => <li key={n}>{plain(step.text)}{step.unknown > 0 && <span class="quiet"> · {t.unknownValues(step.unknown)}</span>}</li>)}</ol>}
    </div>
  );
}

// The times of a statement, as its sources say: "population → 232,612 (2000)".
const timesOf = (hop: Hop) => [...new Set(hop.sources.map((s) => timeOf(s.qualifiers ?? [])).filter(Boolean))].sort().map(plain).join(", ");

export function Chain({ path, answer }: { path: PathOf; answer: Answer }) {
  if (!path.hops.length) {
    const numbers = path.passage?.n ? [path.passage.n] : [];
    return <p class="chain text" translate={false}>“{path.sentence ?? path.passage?.text ?? path.text}”<Cites numbers={numbers} /></p>;
  }
  return (
    <p class="chain" translate={false}>
      <Node one={path.hops[0]!.subject} />
      {path.hops.map((hop, n) => (
        <span key={n}>
          <span class="hop"> {answer.readable.relations[hop.predicate] ?? hop.text} </span>
          <Node one={hop.object} unit={unitOf(hop)} />
          {timesOf(hop) && <span class="quiet"> ({timesOf(hop)})</span>}
          <Cites numbers={[...new Set(hop.sources.map((s) => s.n ?? 0).filter(Boolean))].slice(0, 4)} />
        </span>
      ))}
      {path.passage && <span class="chain text">“{path.sentence ?? path.passage.text}”<Cites numbers={path.passage.n ? [path.passage.n] : []} /></span>}
    </p>
  );
}

// The unit of an amount, which tables state apart from it.
const unitOf = (hop: Hop) => hop.sources.flatMap((s) => s.qualifiers ?? []).find(([name]) => name === "unit")?.[1].replace(/^"(.*)"(\^\^.*)?$/, "$1") ?? "";

function Node({ one, unit = "" }: { one: { id: string; name: string }; unit?: string }) {
  return one.id.startsWith('"') ? <strong class="node">{`${plain(one.name)} ${unit}`.trim()}</strong> : <a class="node" href={link("e", one.id)}>{one.name || one.id}</a>;
}

function Evidence({ answer }: { answer: Answer }) {
  const [all, open] = useState(false);
  const paths = useMemo(() => {
    const seen = new Set<string>();
    return answer.paths.filter((p) => p.kept && !seen.has(p.text + (p.sentence ?? "")) && seen.add(p.text + (p.sentence ?? "")));
  }, [answer]);
  if (!paths.length) return null;
  return (
    <div class="evidence">
      <h2>{t.evidence}</h2>
      <ul>{paths.slice(0, all ? 200 : MOST).map((p, n) => <li key={n}><Chain path={p} answer={answer} /></li>)}</ul>
      {paths.length > MOST && <button class="plain" aria-expanded={all} onClick={() => open(!all)}>{all ? t.showLess : `${t.showAll} (${paths.length})`}</button>}
    </div>
  );
}

function Actions({ answer }: { answer: Answer }) {
  const [saved, mark] = useState(false);
  const keep = () => send("POST", "/v1/saved", { answer_id: answer.id }).then(() => mark(true)).catch(() => {});
  return (
    <footer class="actions">
      <a class="plain" href={link("explore", answer.id)}><Compass size={15} aria-hidden="true" />{t.exploreThis}</a>
      <a class="plain" href={link("compare", "", { a: answer.id })}><Columns2 size={15} aria-hidden="true" />{t.compareThis}</a>
      <button class="plain" onClick={keep} disabled={saved}><Bookmark size={15} aria-hidden="true" /><span aria-live="polite">{saved ? t.savedDone : t.saveQuestion}</span></button>
      <CopyButton label={t.share} text={() => { const url = new URL(location.href); url.hash = link("a", answer.id); return url.href; }} />
      <button class="plain" onClick={() => save(`answer-${answer.id}.json`, "application/json", JSON.stringify(answer, null, 2))}><Download size={15} aria-hidden="true" />{t.exportJson}</button>
      <span class="quiet"><LinkIcon size={0} aria-hidden="true" />{t.answeredIn(number(Number((answer.seconds.total ?? 0).toFixed(2))))}</span>
    </footer>
  );
}

// Says whether the answer was right, so that its sources are trusted more or less from now on.
function Confirm({ answer }: { answer: Answer }) {
  const [done, tell] = useState("");
  const [error, wrong] = useState<Error | null>(null);
  if (!useAdmin()) return null;
  const say = (right: boolean) => send<{ sources: Record<string, { right: number; judged: number }> }>("POST", "/v1/confirmations", { answer_id: answer.id, right })
    .then((doc) => tell(Object.entries(doc.sources).map(([name, n]) => t.confirmedSource(name, n.right, n.judged)).join(", ") || t.confirmedNone)).catch(wrong);
  return (
    <p class="further"><span class="quiet">{t.isItRight}</span>
      <button class="soft" onClick={() => say(true)}>{t.right}</button><button class="soft" onClick={() => say(false)}>{t.wrong}</button>
      {done && <span class="quiet" role="status">{t.confirmed} {done}</span>}{error && <Failed error={error} />}
    </p>
  );
}

export const openAnswer = (id: string) => go(link("a", id));
