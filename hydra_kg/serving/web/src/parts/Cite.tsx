// Inline citations: pointing at one shows what its place states; a click shows it below, with the line itself on demand.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { ExternalLink, X } from "lucide-preact";
import { get, isDocument } from "../api";
import { number, t } from "../texts";
import type { Answer, Citation, CitedPlace } from "../types";
import { Failed, Loading } from "./small";

export interface Shown { answer: Answer; open: number; show: (n: number) => void }
export const Citing = createContext<Shown>(null as unknown as Shown);

// "freebase.nt.gz:22798" of freebase → "line 22,798"; the file is named where the source is called otherwise. A cell says
// more than its line, and documents have paragraphs.
export function placeOf(locator: string, source: string): string {
  const found = /^(?:(.*) \(([^()]*):(\d+)\)|(.*):(\d+))$/.exec(locator);
  if (!found) return locator;
  const before = found[1] ?? "", file = found[2] ?? found[4] ?? "", count = number(Number(found[3] ?? found[5]));
  const said = [file.startsWith(source) ? "" : file, before.replace(/\[\d+:\d+\]/, "").trim()];
  if (!/\bcell [A-Z]+\d+$/.test(before)) said.push(isDocument({ name: file }) ? t.paragraph(count) : t.line(count));
  return said.filter(Boolean).join(", ");
}

export function Cite({ n }: { n: number }) {
  const { answer, open, show } = useContext(Citing);
  const [over, hover] = useState(false);
  const [left, shift] = useState(0);
  const cited = answer.citations.find((c) => c.n === n);
  if (!cited) return null;
  const states = answer.readable.states[n] ?? [];
  const point = (event: Event) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const width = Math.min(340, innerWidth - 32);
    shift(Math.min(0, innerWidth - 16 - width - box.left));
    hover(true);
  };
  return (
    <span class="cite">
      <button class="mark" aria-expanded={open === n} aria-label={`${t.citation(n)}: ${cited.source}`} onMouseEnter={point} onMouseLeave={() => hover(false)} onFocus={point} onBlur={() => hover(false)}
        onKeyDown={(e) => e.key === "Escape" && hover(false)} onClick={() => show(open === n ? 0 : n)}>{n}</button>
      {over && open !== n && (
        <span class="card" role="tooltip" style={{ left: `${left}px` }}>
          {states.slice(0, 2).map((one) => <span class="stated" translate={false} key={one}>{one}</span>)}
          <span class="quiet">{t.statedIn(cited.source, placeOf(cited.locator, cited.source))}</span>
        </span>
      )}
    </span>
  );
}

export function Cites({ numbers }: { numbers: number[] }) {
  return <>{numbers.map((n) => <Cite n={n} key={n} />)}</>;
}

// Marks the words of the answers in a passage, as text.
function Marked({ text, names }: { text: string; names: string[] }) {
  const some = names.filter((name) => name.length > 1).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!some.length) return <>{text}</>;
  const parts = text.split(new RegExp(`(${some.join("|")})`, "gi"));
  return <>{parts.map((part, n) => (n % 2 ? <mark key={n}>{part}</mark> : part))}</>;
}

export function OpenCitation({ cited }: { cited: Citation }) {
  const { answer, show } = useContext(Citing);
  const [place, found] = useState<CitedPlace | null>(null);
  const [raw, lay] = useState(false);
  const [error, wrong] = useState<Error | null>(null);
  useEffect(() => {
    found(null);
    wrong(null);
    get<CitedPlace>(`/v1/answers/${answer.id}/citations/${cited.n}`).then(found).catch(wrong);
  }, [answer.id, cited.n]);
  const names = [...answer.answers.map((a) => a.name), ...answer.readable.names.map((m) => m.text)];
  const states = answer.readable.states[cited.n] ?? [];
  return (
    <div class="opened" role="group" aria-label={t.citation(cited.n)}>
      <button class="icon" aria-label={t.close} onClick={() => show(0)}><X size={16} /></button>
      {states.map((one) => <p class="stated" translate={false} key={one}><Marked text={one} names={names} /></p>)}
      {place?.passage && !states.includes(place.passage) && <blockquote translate={false}><Marked text={place.passage} names={names} /></blockquote>}
      <p class="quiet">{t.statedIn(cited.source, placeOf(cited.locator, cited.source))}
        {place?.url && <> · <a href={place.url} target="_blank" rel="noreferrer noopener"><ExternalLink size={13} aria-hidden="true" /> {t.openWeb}</a></>}
      </p>
      {error && <Failed error={error} />}
      {!place && !error && <Loading />}
      {place?.why && <p class="quiet">{place.why} {place.remedy}</p>}
      {place && place.lines.length > 0 && (
        <>
          <button class="plain" aria-expanded={raw} onClick={() => lay(!raw)}>{raw ? t.hideRaw : t.raw}</button>
          {raw && <pre translate={false} tabIndex={0} aria-label={t.raw}>{place.lines.map((line) => <span key={line.number} class={line.cited ? "cited" : ""}>{`${line.number}  ${line.text}\n`}</span>)}</pre>}
        </>
      )}
    </div>
  );
}
