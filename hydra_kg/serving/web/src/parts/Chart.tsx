// Numbers over years, quarters or months as lines, one for each source.
import type { FactOf } from "../types";
import { number, short, t } from "../texts";

export interface Point { x: number; y: number; said: string; source?: string }

// A number of a year, or of a month or quarter as answers name them ("2024-06", "2024 Q2"); of a day its year.
export function pointOf(time: string, value: string, source = ""): Point | null {
  const [said = "", year, month, quarter] = /^(-?\d{4})(?:-(\d\d)$| Q([1-4])$)?/.exec(time) ?? [];
  const x = Number(year ?? Number.NaN) + (Number(month ?? 1) - 1) / 12 + (Number(quarter ?? 1) - 1) / 4, y = Number(value.replace(/,/g, "") || Number.NaN);
  return Number.isFinite(x) && Number.isFinite(y) ? { x, y, said, source } : null;
}

// When a statement holds, by its qualifiers: "2010" for a point in time of the value "2010"^^xsd:gYear.
export const timeOf = (qualifiers: [string, string][]) => qualifiers.map(([, value]) => value.replace(/^"(.*)"(\^\^.*)?$/, "$1")).find((value) => /^-?\d{4}(-|$)/.test(value)) ?? "";

// One point for each source that states a number of a year.
export const pointsOf = (facts: FactOf[]) => facts.flatMap((fact) => [...new Set(fact.stated_by.map((s) => s.source))].map((source) => pointOf(timeOf(fact.qualifiers), fact.object, source))).filter((p): p is Point => p !== null);

// Most facts of one relation that a chart is drawn of.
export const DRAWN = 500;

const LEFT = 64, RIGHT = 384, TOP = 12, BOTTOM = 100;

// From nothing, or from near the least value where the values differ by less than that.
function least(values: number[]): number {
  const low = Math.min(...values), high = Math.max(...values);
  if (low <= 0 || high - low > low) return Math.min(0, low);
  const step = 10 ** Math.floor(Math.log10(high - low || high));
  return Math.max(0, Math.floor((low - (high - low) / 4) / step) * step);
}

// Drawn only for at least three numbers of different times.
export function Chart({ points: given }: { points: Point[] }) {
  const points = [...given].sort((a, b) => a.x - b.x);
  if (new Set(points.map((p) => p.x)).size < 3) return null;
  const [x0, x1] = [points[0]!.x, points.at(-1)!.x], y0 = least(points.map((p) => p.y)), y1 = Math.max(0, ...points.map((p) => p.y));
  const at = (p: Point) => [LEFT + ((RIGHT - LEFT) * (p.x - x0)) / (x1 - x0), BOTTOM - ((BOTTOM - TOP) * (p.y - y0)) / (y1 - y0 || 1)] as const;
  const sources = [...new Set(points.map((p) => p.source ?? ""))].sort();
  const line = (source: string) => points.filter((p) => (p.source ?? "") === source);
  return (
    <figure class="chart">
      <figcaption>{t.chart}{sources.length > 1 && sources.map((one, n) => <span key={one} translate={false}> <span class={`key s${n % 4}`} aria-hidden="true" />{one}</span>)}</figcaption>
      <svg viewBox="0 0 400 120" role="img" aria-label={points.map((p) => `${p.said}: ${number(p.y)}${sources.length > 1 ? ` (${p.source})` : ""}`).join(", ")}>
        <path class="axis" d={`M${LEFT} ${TOP}V${BOTTOM}H390`} />
        {sources.map((source, n) => <polyline key={source} class={`s${n % 4}`} points={line(source).map((p) => at(p).join(",")).join(" ")} fill="none" />)}
        {points.map((p) => <circle key={`${p.x} ${p.y} ${p.source}`} class={`s${sources.indexOf(p.source ?? "") % 4}`} cx={at(p)[0]} cy={at(p)[1]} r="3"><title>{p.said}: {number(p.y)}</title></circle>)}
        <text x={LEFT} y="117">{points[0]!.said}</text><text x={RIGHT} y="117" text-anchor="end">{points.at(-1)!.said}</text>
        <text x="58" y="104" text-anchor="end">{short(y0)}</text><text x="58" y="16" text-anchor="end">{short(y1)}</text>
      </svg>
    </figure>
  );
}
