// Several answers: sortable, with the values that were used, copied or saved as CSV; numbers over time as a line.
import { useContext, useMemo, useState } from "preact/hooks";
import { ArrowDown, ArrowUp, Download } from "lucide-preact";
import { q } from "../api";
import { link } from "../router";
import { plain, t } from "../texts";
import type { Answer, FactPage } from "../types";
import { citesOf, leadsTo } from "./Answer";
import { Chart, DRAWN, pointOf, pointsOf, timeOf, type Point } from "./Chart";
import { Cites, Citing } from "./Cite";
import { CopyButton, save, useGet } from "./small";

interface Row { place: number; cells: string[]; numbers: number[]; id: string | null; time: string }

// The columns of an answer: its own where it has several, else names with the values used, relations and sources.
function tableOf(answer: Answer): { columns: string[]; rows: Row[] } {
  if (answer.table) {
    const same = answer.table.rows.length === answer.answers.length;
    const rows = answer.table.rows.map((cells, place) => ({ place, cells: cells.map(plain), numbers: same ? citesOf(answer, place).slice(0, 4) : [], id: same ? answer.answers[place]!.id : null, time: "" }));
    return { columns: answer.table.columns, rows };
  }
  const rows = rowsOf(answer), names = [t.name, t.value, t.relation, t.source];
  const filled = names.map((_, n) => n).filter((n) => rows.some((r) => r.cells[n]));
  return { columns: filled.map((n) => names[n]!), rows: rows.map((r) => ({ ...r, cells: filled.map((n) => r.cells[n]!) })) };
}

function rowsOf(answer: Answer): Row[] {
  return answer.answers.map((one, place) => {
    const paths = answer.paths.filter((p) => p.kept && leadsTo(p, one));
    const hops = paths.flatMap((p) => p.hops);
    const values = hops.filter((h) => h.object.id.startsWith('"') && h.object.name !== one.name).map((h) => h.object.name);
    const time = hops.flatMap((h) => h.sources).map((s) => timeOf(s.qualifiers ?? [])).find(Boolean) ?? "";
    const said = [...new Set(paths.map((p) => p.hops.map((h) => answer.readable.relations[h.predicate] ?? h.text).join(" → ")).filter(Boolean))];
    const sources = [...new Set([...hops.flatMap((h) => h.sources.map((s) => s.source)), ...paths.map((p) => p.passage?.source ?? "")].filter(Boolean))];
    const used = [...new Set([...values, ...(time ? [time] : [])])].slice(0, 3).map(plain).join(", ");
    return { place, cells: [answer.readable.values[place] ?? one.name, used, said[0] ?? "", sources.join(", ")], numbers: citesOf(answer, place).slice(0, 4), id: one.value ? null : one.id, time };
  });
}

const cell = (text: string) => (/[",\n]|^[=+\-@]/.test(text) ? `"${text.replace(/^([=+\-@])/, "'$1").replace(/"/g, '""')}"` : text);
const SHOWN = 10;

export function AnswerTable({ answer }: { answer: Answer }) {
  const { columns, rows } = useMemo(() => tableOf(answer), [answer]);
  const [by, sort] = useState(-1);
  const [down, turn] = useState(false);
  const [all, open] = useState(false);
  useContext(Citing);
  const compare = (a: Row, b: Row) => (by < 0 ? a.place - b.place : a.cells[by]!.replace(/(?<=\d),(?=\d{3})/g, "").localeCompare(b.cells[by]!.replace(/(?<=\d),(?=\d{3})/g, ""), undefined, { numeric: true })) * (down ? -1 : 1);
  const sorted = [...rows].sort(compare);
  const csv = () => [columns, ...sorted.map((r) => r.cells)].map((line) => line.map(cell).join(",")).join("\r\n");
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="group" aria-label={t.answersTable}>
        <table>
          <thead><tr>{columns.map((name, n) => (
            <th key={name} scope="col" aria-sort={by === n ? (down ? "descending" : "ascending") : "none"}>
              <button onClick={() => { turn(by === n && !down); sort(n); }} aria-label={t.sortBy(name)}>{name}{by === n && (down ? <ArrowDown size={13} aria-hidden="true" /> : <ArrowUp size={13} aria-hidden="true" />)}</button>
            </th>
          ))}</tr></thead>
          <tbody>{sorted.slice(0, all ? sorted.length : SHOWN).map((r) => (
            <tr key={r.place} translate={false}>{r.cells.map((text, n) => (
              <td key={n}>{n === 0 ? <>{r.id ? <a href={link("e", r.id)}>{text}</a> : text}<Cites numbers={r.numbers} /></> : text}</td>
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

// Numbers that were counted or added up for each year, quarter or month.
function grouped(answer: Answer): Point[] {
  const { columns, rows } = answer.table ?? { columns: [], rows: [] };
  const points = columns.length === 2 ? rows.map(([time = "", value = ""]) => (/^\d{4}(-\d\d| Q[1-4])?$/.test(time) ? pointOf(time, value) : null)) : [];
  return points.every((p): p is Point => p !== null) ? points : [];
}

// The answers of several times, or for one number of a year the numbers of other years.
export function AnswerChart({ answer }: { answer: Answer }) {
  const rows = rowsOf(answer);
  const hop = rows.length === 1 && rows[0]!.time ? answer.paths.find((p) => p.kept && leadsTo(p, answer.answers[0]!))?.hops.at(-1) : undefined;
  const series = useGet<FactPage>(hop?.forward && pointOf(rows[0]!.time, hop.object.name) ? `/v1/facts?entity=${q(hop.subject.id)}&relation=${q(hop.text)}&direction=out&limit=${DRAWN}` : "");
  const own = rows.map((r) => pointOf(r.time, answer.answers[r.place]!.name)).filter((p): p is Point => p !== null);
  const stated = series.data && hop ? pointsOf(series.data.facts.filter((f) => f.predicate === hop.predicate)) : own;
  return <Chart points={stated.length ? stated : grouped(answer)} />;
}
