// How the question was understood, as chips: another entity, relation, bound or operator asks again.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Check, ChevronDown, Search } from "lucide-preact";
import { get, q, send } from "../api";
import { number, t, words } from "../texts";
import type { Answer, EditOf, EntityOf, Named, NameOf, RelationCount, Teaching, Thing } from "../types";
import { useAdmin } from "./session";
import { Failed } from "./small";
import type { Again } from "./Answer";

export function Chips({ answer, again }: { answer: Answer; again: Again }) {
  const { names, asked, relation, dialogue, edits = [] } = answer.readable;
  if (!names.length && !asked) return null;
  const given = (text = "") => names.filter((m) => m.given && m.chosen && m.text !== text).map((m) => `${m.text}=${m.chosen!.id}`);
  const chosen = (text: string, id: string, name = text) => again(dialogue.question.replace(text, name), [...given(text), `${name}=${id}`], "", relation);
  const ask = (question: string) => again(question, given().filter((one) => question.includes(one.slice(0, one.lastIndexOf("=")))), "");
  const topic = names.find((m) => m.chosen)?.chosen;
  const others = (text: string) => again(dialogue.question, given(text), "", relation);
  return (
    <div class="chips">
      <h2>{t.chips}</h2>
      <div class="row">
        {names.map((m) => (
          <Chip key={m.text} label={m.chosen ? `${m.text === m.chosen.name ? "" : `${m.text} → `}${m.chosen.name}` : `${m.text}: ${t.chipUnknown}`} title={t.chipName(m.text)} unknown={!m.chosen} data>
            {(close) => <Meanings name={m} pick={(id, name) => { close(); chosen(m.text, id, name); }} />}
          </Chip>
        ))}
        {asked && topic && (
          <Chip label={`${t.chipAsks}: ${asked}`} title={t.relation}>
            {(close) => <Relations topic={topic} current={current(answer, topic)} pick={(r) => { close(); again(`${topic.name}: ${r.relation}`, [`${topic.name}=${topic.id}`], "", r.predicate); }} />}
          </Chip>
        )}
        {asked && !topic && <span class="quiet">{t.chipAsks}: {asked}</span>}
        {edits.map((one) => (
          <Chip key={one.kind + one.text} label={one.text} title={one.text}>
            {(close) => <Change edit={one} ask={(question) => { close(); ask(question); }} />}
          </Chip>
        ))}
      </div>
      {!dialogue.before && names.filter((m) => m.given && m.chosen && m.placed).map((m) => <Chosen key={m.text} name={m} taught={answer.manifest.teachings?.find((one) => one.entity && one.meaning === m.chosen!.id)} forget={() => others(m.text)} />)}
    </div>
  );
}

// What a name was said to mean counts for this question, until it is kept for all; either is undone here.
function Chosen({ name, taught, forget }: { name: NameOf; taught?: Teaching; forget: () => void }) {
  const [known, teach] = useState<Teaching | null | undefined>(taught);
  const [error, wrong] = useState<Error | null>(null);
  const admin = useAdmin();
  const keep = () => send<Teaching>("POST", "/v1/teachings", { phrase: name.text, entity: name.chosen!.id }).then(teach).catch(wrong);
  const undo = () => send("DELETE", `/v1/teachings/${known!.number}`).then(() => { if (taught) forget(); else teach(null); }).catch(wrong);
  return (
    <p class="row chosen" role="status">
      <span class="quiet">{known ? t.chipTaught(name.text, name.chosen!.name) : t.chipOnce(name.text, name.chosen!.name)}</span>
      {known ? admin && <button class="soft" onClick={undo}>{t.undo}</button> : <>
        {admin && <button class="soft" onClick={keep}>{t.chipAlways(name.text)}</button>}
        <button class="soft" onClick={forget}>{t.chipBack}</button></>}
      {error && <Failed error={error} />}
    </p>
  );
}

// A condition or an operator: other bounds, another value, or none.
function Change({ edit, ask }: { edit: EditOf; ask: (question: string) => void }) {
  return (
    <>
      {edit.changes.length > 0 && <ul class="meanings">{edit.changes.map((one) => <li key={one.text}><button onClick={() => ask(one.question)}>{one.text}</button></li>)}</ul>}
      {edit.with_value && (
        <form class="inline" onSubmit={(e) => { e.preventDefault(); const value = String(new FormData(e.currentTarget).get("value")).trim(); if (value) ask(edit.with_value.replace("{value}", value)); }}>
          <label class="field"><span>{t.chipValue}</span><input name="value" defaultValue={edit.value} maxLength={100} required /></label>
          <button class="primary">{t.askAgain}</button>
        </form>
      )}
      {edit.without && <button class="soft" onClick={() => ask(edit.without)}>{t.chipRemove}</button>}
    </>
  );
}

function Chip({ label, title, unknown, data, children }: { label: string; title: string; unknown?: boolean; data?: boolean; children: (close: () => void) => preact.ComponentChildren }) {
  const [open, show] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const [place, put] = useState<preact.CSSProperties>({});
  useLayoutEffect(() => { if (open && box.current) put(placeInside(box.current.getBoundingClientRect())); }, [open]);
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
      <button class={`chip ${unknown ? "unknown" : ""}`} aria-expanded={open} aria-haspopup="dialog" title={t.chipChange} onClick={() => show(!open)}><span translate={!data}>{label}</span><ChevronDown size={14} aria-hidden="true" /></button>
      {open && <div class="pop" role="dialog" aria-label={title} style={place}>{children(() => show(false))}</div>}
    </span>
  );
}

// Where a menu of a chip stays inside the window: below or above the chip, wherever there is more room.
function placeInside(chip: DOMRect): preact.CSSProperties {
  const below = innerHeight - chip.bottom - EDGE, above = chip.top - EDGE, up = below < TALL && above > below;
  const left = Math.min(0, innerWidth - EDGE - Math.min(WIDE, innerWidth - 56) - chip.left);
  return { left: `${left}px`, maxHeight: `${up ? above : below}px`, ...(up ? { top: "auto", bottom: "calc(100% + 8px)" } : {}) };
}
const EDGE = 24, WIDE = 350, TALL = 430;

function Meanings({ name, pick }: { name: NameOf; pick: (id: string, name?: string) => void }) {
  const { text, chosen, others, note } = name;
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
  const line = (one: { id: string; name: string }, hint: string, on: boolean, renamed?: string) => (
    <li key={one.id} translate={false}><button aria-pressed={on} onClick={() => !on && pick(one.id, renamed)}><span>{one.name}<small>{hint || one.id}</small></span>{on && <Check size={15} aria-hidden="true" />}</button></li>
  );
  return (
    <>
      <p class="quiet">{t.chipName(text)}{note && ` (${note})`}</p>
      <ul class="meanings">
        {chosen && line(chosen, described[chosen.id] ?? "", true)}
        {others.slice(0, 6).map((one) => line(one, described[one.id] ?? "", false))}
      </ul>
      <label class="search"><Search size={15} aria-hidden="true" /><span class="sr">{t.chipLookFor}</span><input type="search" value={typed} placeholder={t.chipLookFor} onInput={(e) => type(e.currentTarget.value)} /></label>
      {found.length > 0 && <ul class="meanings">{found.map((one) => line(one, one.description || one.kinds.slice(0, 2).map(words).join(", "), false, one.name))}</ul>}
      <p class="quiet">{t.chipOnceHint}</p>
    </>
  );
}

// Sources have relations of their own for one thing to ask; the one with the most facts comes first.
const onePerName = (rows: RelationCount[]) => rows.filter((r, n) => rows.findIndex((other) => other.relation === r.relation && other.things === r.things) === n);

// The relations by which the answer is stated of a thing: the key of the one that was chosen, else in words.
const current = ({ paths, readable }: Answer, topic: Named) =>
  new Set(readable.relation ? [readable.relation] : paths.flatMap((one) => one.answers.length && one.hops.length === 1 && one.hops[0]!.subject.id === topic.id ? [readable.relations[one.hops[0]!.predicate]!] : []));

function Relations({ topic, current, pick }: { topic: Named; current: Set<string>; pick: (relation: RelationCount) => void }) {
  const [rows, read] = useState<RelationCount[]>([]);
  useEffect(() => { get<EntityOf>(`/v1/relations?entity=${q(topic.id)}`).then((doc) => read(onePerName(doc.relations))).catch(() => {}); }, [topic.id]);
  const on = (r: RelationCount) => current.has(r.relation) || current.has(r.predicate);
  return (
    <>
      <p class="quiet" translate={false}>{topic.name}</p>
      <ul class="meanings tall">
        {rows.slice(0, 40).map((r) => <li key={r.predicate + r.out + r.things} translate={false}><button aria-pressed={on(r)} onClick={() => pick(r)}><span>{r.relation}<small>{r.example}</small></span>{on(r) && <Check size={15} aria-hidden="true" />}<span class="count">{number(r.count)}</span></button></li>)}
      </ul>
    </>
  );
}
