// A thread: answers below one another, each with what it was understood as, and the question box at the bottom.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, get } from "../api";
import { remember, threadOf } from "../history";
import { go, link } from "../router";
import { number, t } from "../texts";
import type { Answer } from "../types";
import { AnswerView } from "../parts/Answer";
import { Ask } from "../parts/Ask";
import { Failed, Loading } from "../parts/small";

interface Running { question: string; happened: string[]; abort: AbortController }
const cache = new Map<string, Answer>();

function said(kind: string, d: any): string {
  switch (kind) {
    case "ask.linked": return t.evLinked(d.names.map((n: any) => `“${n.text}”${n.name ? ` = ${n.name}` : `: ${t.evUnknown}`}`).join(", "));
    case "ask.understood": return d.plan ? t.evUnderstood(d.plan) : "";
    case "ask.cut_out": return t.looked(number(d.entities), number(d.facts));
    case "ask.read": return t.evRead(d.pages.slice(0, 3).map((p: any) => p.title).join(", "));
    case "ask.found": return t.evFound(d.paths);
    case "ask.pruned": return t.evPruned(d.kept, d.pruned);
    case "ask.judged": return t.evJudged(d.sufficient);
    default: return "";
  }
}

async function read(id: string): Promise<Answer> {
  const one = cache.get(id) ?? await get<Answer>(`/v1/answers/${id}`);
  if (!one.readable) throw new Error(t.notFound);
  cache.set(id, one);
  return one;
}

// The answer and those that it follows, oldest first, with the follow-ups between them that were not understood.
async function chain(id: string): Promise<Answer[]> {
  const thread: Answer[] = [], asked = threadOf(id)?.answers ?? [];
  for (let next = id; next && thread.length < 50;) {
    const one = await read(next), { before } = one.readable.dialogue, from = asked.indexOf(before);
    const between = await Promise.all((from < 0 ? [] : asked.slice(from + 1, asked.indexOf(next))).map(read));
    thread.unshift(...between.filter((other) => other.readable.dialogue.after === before), one);
    next = before;
  }
  return thread;
}

export function Thread({ id, ask: asking }: { id: string; ask: URLSearchParams }) {
  const [thread, set] = useState<Answer[] | null>(null);
  const [running, show] = useState<Running | null>(null);
  const [error, wrong] = useState<Error | null>(null);
  const [turn, again] = useState(0);
  const end = useRef<HTMLDivElement>(null);
  const current = useRef<AbortController | null>(null);  // of the question that this page waits for
  const run = (one: Running | null) => { current.current = one?.abort ?? null; show(one); };

  const put = (question: string, topics: string[], after: string, relation = "") => {
    const abort = new AbortController();
    wrong(null);
    const mine: Running = { question, happened: [], abort };
    run(mine);
    ask(question, { ...(topics.length ? { topics } : {}), ...(after ? { after } : {}), ...(relation ? { relation } : {}) }, abort.signal, (kind, doc) => {
      const line = current.current === abort && said(kind, doc);
      if (line) { mine.happened = [...mine.happened, line]; run({ ...mine }); }
    }).then(async (answer) => {
      cache.set(answer.id, answer);
      remember(answer.id, answer.readable.dialogue.question || question, answer.readable.dialogue.before);
      const found = await chain(answer.id);
      if (current.current !== abort) return;  // somebody has left: the answer is in the history
      run(null);
      set(found);
      const to = link("a", answer.id);
      if (location.hash.startsWith("#/ask")) { history.replaceState(null, "", to); dispatchEvent(new HashChangeEvent("hashchange")); } else go(to);
    }).catch((e: Error) => { if (current.current !== abort) return; run(null); wrong(e.name === "AbortError" ? null : e); if (e.name === "AbortError") set((old) => old ?? []); });
  };

  useEffect(() => {
    const question = asking.get("q");
    if (!id && question) { if (!asking.get("after")) set(null); put(question, asking.getAll("topic"), asking.get("after") ?? ""); return; }
    if (!id || thread?.at(-1)?.id === id) return;
    const known = thread?.findIndex((one) => one.id === id) ?? -1;
    if (known >= 0) { set(thread!.slice(0, known + 1)); return; }
    chain(id).then((found) => {
      set(found);
      wrong(null);
      if (!threadOf(id)) found.forEach((one) => remember(one.id, one.question, one.readable.dialogue.before));
    }).catch(wrong);
  }, [id, asking.toString(), turn]);
  useEffect(() => () => run(null), [id, asking.toString()]);
  const length = (thread?.length ?? 0) + (running ? 1 : 0);
  useEffect(() => {
    if (length > 1) end.current?.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }, [length]);
  useEffect(() => { document.title = `${thread?.at(-1)?.question ?? "hydra-kg"} · hydra-kg`; return () => { document.title = "hydra-kg"; }; }, [thread]);

  const last = thread?.at(-1);
  return (
    <div class="page thread">
      <div class="answers">
        {thread?.map((one, n) => (
          <div key={one.id} ref={n === thread.length - 1 && !running ? end : undefined}>
            <AnswerView answer={one} again={put} />
          </div>
        ))}
        {running && <div ref={end}><Progress running={running} /></div>}
        {!thread && !running && !error && <Loading />}
        {error && <Failed error={error} again={() => again(turn + 1)} />}
      </div>
      <div class="bottom">
        <Ask placeholder={last ? t.followPlaceholder : t.placeholder} label={last ? t.followUp : t.questionLabel} busy={Boolean(running)} stop={() => running?.abort.abort()}
          asked={(question) => put(question, [], last ? last.readable.dialogue.after : "")} />
      </div>
    </div>
  );
}

function Progress({ running }: { running: Running }) {
  return (
    <article class="answer running" aria-busy="true">
      <h1 class="asked" translate={false}>{running.question}</h1>
      <p class="quiet loading" role="status"><span class="dots" aria-hidden="true" />{running.happened.at(-1) ?? t.asking}</p>
      <ol class="happened" aria-label={t.happenedTitle}>{running.happened.slice(0, -1).map((line, n) => <li key={n}>{line}</li>)}</ol>
    </article>
  );
}
