// The question box: completion of names with descriptions, and of past questions, as an ARIA combobox.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ArrowUp, Clock, Square, Tag } from "lucide-preact";
import { get, q } from "../api";
import { t, words } from "../texts";
import type { Thing } from "../types";

interface Offer { kind: "thing" | "question"; text: string; note: string; from: number }
interface Props {
  asked: (question: string) => void; busy?: boolean; stop?: () => void; placeholder: string; autoFocus?: boolean; large?: boolean; label?: string;
  named?: boolean;  // whether a name is typed, and no question
}

// The end of what is typed that may be the beginning of a name: from a capital letter on, else the last two words.
function begun(text: string): { from: number; name: string } | null {
  const capital = /(?:^|\s)(\p{Lu}[^?.,]*)$/u.exec(text.slice(text.search(/\s/) + 1));
  const tail = capital?.[1] ?? /(?:\S{4,}\s+\S+|(?:\S+\s+)?\S{3,})$/.exec(text)?.[0] ?? "";
  return tail.trim().length >= 3 ? { from: text.length - tail.length, name: tail } : null;
}

export function Ask({ asked, busy, stop, placeholder, autoFocus, large, label = t.questionLabel, named = false }: Props) {
  const [text, type] = useState("");
  const [offers, offer] = useState<Offer[]>([]);
  const [at, move] = useState(-1);
  const box = useRef<HTMLInputElement>(null);
  const id = useId();
  const typed = useRef(false);
  useEffect(() => {
    const name = named && text.trim() ? { from: 0, name: text } : begun(text);
    if (!typed.current || !name) { offer([]); return; }
    const mine = new AbortController();
    const wait = setTimeout(() => {
      get<{ things: Thing[]; questions: { question: string }[] }>(`/v1/complete?text=${q(name.name.trim().slice(0, 300))}&question=${q(text.trim())}&limit=5`, mine.signal).then((found) => {
        const kinds = (one: Thing) => one.description || one.kinds.slice(0, 2).map(words).join(", ");
        move(-1);
        offer([
          ...found.things.map((one): Offer => ({ kind: "thing", text: one.name, note: kinds(one), from: name.from })),
          ...found.questions.filter((one) => one.question !== text).slice(0, 4).map((one): Offer => ({ kind: "question", text: one.question, note: "", from: 0 })),
        ]);
      }).catch(() => {});
    }, 160);
    return () => { clearTimeout(wait); mine.abort(); };
  }, [text]);
  useEffect(() => { if (autoFocus) box.current?.focus(); }, []);
  const submit = (question: string) => {
    if (!question.trim() || busy) return;
    typed.current = false;
    offer([]);
    type("");
    asked(question.trim());
  };
  const take = (one: Offer) => {
    if (one.kind === "question") { submit(one.text); return; }
    typed.current = false;
    offer([]);
    type(`${text.slice(0, one.from)}${one.text} `);
    box.current?.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") { if (offers.length) offer([]); else stop?.(); }
    else if (event.key === "ArrowDown" && offers.length) { event.preventDefault(); move((at + 1) % offers.length); }
    else if (event.key === "ArrowUp" && offers.length) { event.preventDefault(); move((at + offers.length) % (offers.length + 1) - 1); }
    else if (event.key === "Tab" && offers[at]) { event.preventDefault(); take(offers[at]); }
    else if (event.key === "Enter") { event.preventDefault(); const one = offers[at]; if (one) take(one); else submit(text); }
  };
  const open = offers.length > 0;
  return (
    <form class={`ask ${large ? "large" : ""}`} role="search" onSubmit={(e) => { e.preventDefault(); submit(text); }}>
      <label class="sr" for={id}>{label}</label>
      <input id={id} ref={box} type="text" maxLength={2000} value={text} placeholder={placeholder} autocomplete="off" spellcheck={false}
        role="combobox" aria-autocomplete="list" aria-expanded={open} aria-controls={`${id}-list`} aria-activedescendant={offers[at] ? `${id}-${at}` : undefined}
        onInput={(e) => { typed.current = true; type(e.currentTarget.value); }} onKeyDown={key} onBlur={() => setTimeout(() => offer([]), 150)} />
      {busy
        ? <button class="go" type="button" aria-label={t.stop} onClick={stop}><Square size={16} fill="currentColor" aria-hidden="true" /></button>
        : <button class="go" type="submit" aria-label={t.ask} disabled={!text.trim()}><ArrowUp size={20} aria-hidden="true" /></button>}
      <ul class="offers" id={`${id}-list`} role="listbox" aria-label={t.suggestions} hidden={!open}>
        {offers.map((one, n) => (
          <li key={`${one.kind}${one.text}${n}`} id={`${id}-${n}`} role="option" aria-selected={n === at} onMouseDown={(e) => { e.preventDefault(); take(one); }}>
            {one.kind === "thing" ? <Tag size={15} aria-hidden="true" /> : <Clock size={15} aria-hidden="true" />}
            <span class="offer">{one.text}{one.note && <small>{one.note}</small>}</span>
          </li>
        ))}
      </ul>
    </form>
  );
}
