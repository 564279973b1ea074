// Several answers: sortable, with the values that were used, copied or saved as CSV; numbers over time as a line.
import { useContext, useMemo, useState } from "preact/hooks";
import { ArrowDown, ArrowUp, Download } from "lucide-preact";
import { link } from "../router";
import { plain, t } from "../texts";
import type { Answer } from "../types";
import { citesOf, leadsTo } from "./Answer";
import { Cites, Citing } from "./Cite";
import { CopyButton, save } from "./small";

interface Row { place: number; name: string; used: string; relation: string; sources: string; numbers: number[]; id: string | null; time: string }

function rowsOf(answer: Answer): Row[] {
  return answer.answers.map((one, place) => {
    const paths = answer.paths.filter((p) => p.kept && leadsTo(p, one));
    const hops = paths.flatMap((p) => p.hops);
    const values = hops.filter((h) => h.object.id.startsWith('"') && h.object.name !== one.name).map((h) => h.object.name);
    const time = hops.flatMap((h) => h.sources).flatMap((s) => s.qualifiers ?? []).map(([, value]) => value).find((v) => /^-?\d{4}/.test(v)) ?? "";
    const said = [...new Set(paths.map((p) => p.hops.map((h) => answer.readable.relations[h.predicate] ?? h.text).join(" → ")).filter(Boolean))];
    const sources = [...new Set([...hops.flatMap((h) => h.sources.map((s) => s.source)), ...paths.map((p) => p.passage?.source ?? "")].filter(Boolean))];
    return {
      place, name: answer.readable.values[place] ?? one.name, used: [...new Set([...values, ...(time ? [time] : [])])].slice(0, 3).join(", "), relation: said[0] ?? "",
      sources: sources.join(", "), numbers: citesOf(answer, place).slice(0, 4), id: one.value ? null : one.id, time,
    };
  });
}

const cell = (text: string) => (/[",\n]|^[=+\-@]/.test(text) ? `"${text.replace(/^([=+\-@])/, "'$1").replace(/"/g, '""')}"` : text);
const SHOWN = 10;

export function AnswerTable({ answer }: { answer: Answer }) {
  const rows = useMemo(() => rowsOf(answer), [answer]);
  const [by, sort] = useState<keyof Row>("place");
  const [down, turn] = useState(false);
  const [all, open] = useState(false);
  useContext(Citing);
  const columns = ([["name", t.name], ["used", t.value], ["relation", t.relation], ["sources", t.source]] as const).filter(([key]) => rows.some((r) => r[key]));
  const compare = (a: Row, b: Row) => (by === "place" ? a.place - b.place : String(a[by]).localeCompare(String(b[by]), undefined, { numeric: true })) * (down ? -1 : 1);
  const sorted = [...rows].sort(compare);
  const csv = () => [columns.map(([, name]) => name), ...sorted.map((r) => columns.map(([key]) => String(r[key])))].map((line) => line.map(cell).join(",")).join("\r\n");
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="group" aria-label={t.answersTable}>
        <table>
          <thead><tr>{columns.map(([key, name]) => (
            <th key={key} scope="col" aria-sort={by === key ? (down ? "descending" : "ascending") : "none"}>
              <button onClick={() => { turn(by === key && !down); sort(key); }} aria-label={t.sortBy(name)}>{name}{by === key && (down ? <ArrowDown size={13} aria-hidden="true" /> : <ArrowUp size={13} aria-hidden="true" />)}</button>
            </th>
          ))}</tr></thead>
          <tbody>{sorted.slice(0, all ? sorted.length : SHOWN).map((r) => (
            <tr key={r.place}>{columns.map(([key]) => (
              <td key={key}>{key === "name" ? <>{r.id ? <a href={link("e", r.id)}>{r.name}</a> : r.name}<Cites numbers={r.numbers} /></> : key === "used" ? r.used.split(", ").map(plain).join(", ") : String(r[key])}</td>
            ))}</tr>
          ))}</tbody>
        </table>
      </div>
      <div class="row">
        {rows.length > SHOWN && <button class="plain" aria-expanded={all} onClick={() => open(!all)}>{all ? t.showLess : `${t.showAll} (${rows.length})`}</button>}
        <CopyButton text={csv} />
        <button class="plain" onClick={() => save(`answers-${answer.id}.csv`, "text/csv", csv())}><Download size={15} aria-hidden="true" />{t.csv}</button>
      </div>
    </div>
  );
}

// Drawn only if at least three answers are numbers with a time.
export function Chart({ answer }: { answer: Answer }) {
  const points = rowsOf(answer)
    .map((r) => ({ x: Number(/^-?\d{4}/.exec(r.time)?.[0]), y: Number(answer.answers[r.place]!.name.replace(/,/g, "")) }))
    .filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y)).sort((a, b) => a.x - b.x);
  if (points.length < 3) return null;
  const [x0, x1] = [points[0]!.x, points.at(-1)!.x], [y0, y1] = [Math.min(0, ...points.map((p) => p.y)), Math.max(...points.map((p) => p.y))];
  const at = (p: { x: number; y: number }) => [20 + (360 * (p.x - x0)) / (x1 - x0 || 1), 100 - (85 * (p.y - y0)) / (y1 - y0 || 1)] as const;
  return (
    <figure class="chart"><figcaption>{t.chart}</figcaption>
      <svg viewBox="0 0 400 120" role="img" aria-label={points.map((p) => `${p.x}: ${p.y}`).join(", ")}>
        <polyline points={points.map((p) => at(p).join(",")).join(" ")} fill="none" />
        {points.map((p) => <circle key={`${p.x} ${p.y}`} cx={at(p)[0]} cy={at(p)[1]} r="3"><title>{p.x}: {p.y}</title></circle>)}
        <text x="20" y="117">{x0}</text><text x="380" y="117" text-anchor="end">{x1}</text>
      </svg>
    </figure>
  );
}
