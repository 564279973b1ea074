// How the question was understood, as chips: another entity or another relation asks again.
import { useEffect, useRef, useState } from "preact/hooks";
import { Check, ChevronDown, Search } from "lucide-preact";
import { get, q } from "../api";
import { number, t, words } from "../texts";
import type { Answer, EntityOf, Named, RelationCount, Thing } from "../types";
import type { Again } from "./Answer";

export function Chips({ answer, again }: { answer: Answer; again: Again }) {
  const { names, asked, dialogue } = answer.readable;
  if (!names.length && !asked) return null;
  const chosen = (text: string, id: string) => {
    const topics = names.filter((m) => m.given && m.chosen && m.text !== text).map((m) => `${m.text}=${m.chosen!.id}`);
    again(dialogue.question, [...topics, `${text}=${id}`], "");
  };
  const topic = names.find((m) => m.chosen)?.chosen;
  return (
    <div class="chips">
      <h2>{t.chips}</h2>
      <div class="row">
        {names.map((m) => (
          <Chip key={m.text} label={m.chosen ? `${m.text === m.chosen.name ? "" : `${m.text} → `}${m.chosen.name}` : `${m.text}: ${t.chipUnknown}`} title={t.chipName(m.text)} unknown={!m.chosen}>
            {(close) => <Meanings text={m.text} chosen={m.chosen} others={m.others} note={m.note} pick={(id) => { close(); chosen(m.text, id); }} />}
          </Chip>
        ))}
        {asked && (
          <Chip label={`${t.chipAsks}: ${asked}`} title={t.relation}>
            {(close) => topic ? <Relations topic={topic} pick={(r) => { close(); again(`What is the ${r.relation} of ${topic.name}?`, [`${topic.name}=${topic.id}`], ""); }} /> : <p>{asked}</p>}
          </Chip>
        )}
      </div>
    </div>
  );
}

function Chip({ label, title, unknown, children }: { label: string; title: string; unknown?: boolean; children: (close: () => void) => preact.ComponentChildren }) {
  const [open, show] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (e: Event) => { if (!box.current?.contains(e.target as Element)) show(false); };
    const escape = (e: KeyboardEvent) => { if (e.key === "Escape") { show(false); box.current?.querySelector("button")?.focus(); } };
    addEventListener("pointerdown", outside);
    addEventListener("keydown", escape);
    return () => { removeEventListener("pointerdown", outside); removeEventListener("keydown", escape); };
  }, [open]);
  return (
    <span class="chipbox" ref={box}>
      <button class={`chip ${unknown ? "unknown" : ""}`} aria-expanded={open} aria-haspopup="dialog" title={t.chipChange} onClick={() => show(!open)}>{label}<ChevronDown size={14} aria-hidden="true" /></button>
      {open && <div class="pop" role="dialog" aria-label={title}>{children(() => show(false))}</div>}
    </span>
  );
}

function Meanings({ text, chosen, others, note, pick }: { text: string; chosen: Named | null; others: Named[]; note: string; pick: (id: string) => void }) {
  const [typed, type] = useState("");
  const [found, find] = useState<Thing[]>([]);
  const [described, describe] = useState<Record<string, string>>({});
  useEffect(() => {
    get<{ found: Thing[] }>(`/v1/entities?name=${q(text)}&limit=12`)
      .then((doc) => describe(Object.fromEntries(doc.found.map((one) => [one.id, one.description || one.kinds.slice(0, 2).map(words).join(", ")])))).catch(() => {});
  }, [text]);
  useEffect(() => {
    if (typed.trim().length < 2) { find([]); return; }
    const mine = new AbortController();
    const wait = setTimeout(() => get<{ things: Thing[] }>(`/v1/complete?text=${q(typed.trim())}`, mine.signal).then((doc) => find(doc.things)).catch(() => {}), 160);
    return () => { clearTimeout(wait); mine.abort(); };
  }, [typed]);
  const line = (one: { id: string; name: string }, hint: string, on: boolean) => (
    <li key={one.id}><button aria-pressed={on} onClick={() => !on && pick(one.id)}><span>{one.name}<small>{hint || one.id}</small></span>{on && <Check size={15} aria-hidden="true" />}</button></li>
  );
  return (
    <>
      <p class="quiet">{t.chipName(text)}{note && ` (${note})`}</p>
      <ul class="meanings">
        {chosen && line(chosen, described[chosen.id] ?? "", true)}
        {others.slice(0, 6).map((one) => line(one, described[one.id] ?? "", false))}
      </ul>
      <label class="search"><Search size={15} aria-hidden="true" /><span class="sr">{t.chipLookFor}</span><input type="search" value={typed} placeholder={t.chipLookFor} onInput={(e) => type(e.currentTarget.value)} /></label>
      {found.length > 0 && <ul class="meanings">{found.map((one) => line(one, one.description || one.kinds.slice(0, 2).map(words).join(", "), false))}</ul>}
    </>
  );
}

function Relations({ topic, pick }: { topic: Named; pick: (relation: RelationCount) => void }) {
  const [rows, read] = useState<RelationCount[]>([]);
  useEffect(() => { get<EntityOf>(`/v1/relations?entity=${q(topic.id)}`).then((doc) => read(doc.relations)).catch(() => {}); }, [topic.id]);
  return (
    <>
      <p class="quiet">{topic.name}</p>
      <ul class="meanings tall">
        {rows.slice(0, 40).map((r) => <li key={r.predicate + r.out + r.things}><button onClick={() => pick(r)}><span>{r.relation}<small>{r.example}</small></span><span class="count">{number(r.count)}</span></button></li>)}
      </ul>
    </>
  );
}
