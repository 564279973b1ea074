// How classes join, as a picture: the classes with most relations on two sides, a line for each relation.
import { number, t, words } from "../texts";
import type { RelationOf } from "../types";

const ROW = 46, WIDE = 640, BOX = 178, MOST = 9;

export function Joins({ relations }: { relations: RelationOf[] }) {
  const some = relations.filter((r) => r.domain !== "thing" && r.text !== "object type" && r.text !== "instance of").slice(0, MOST);
  if (!some.length) return null;
  const left = [...new Set(some.map((r) => r.domain))], right = [...new Set(some.map((r) => r.range))];
  const high = Math.max(left.length, right.length, some.length) * ROW;
  const y = (list: string[], name: string) => ((list.indexOf(name) + 0.5) * high) / list.length;
  const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  return (
    <div translate={false} class="scroll" tabIndex={0} role="group" aria-label={t.joins}>
      <svg class="joins" viewBox={`0 0 ${WIDE} ${high}`} role="img" aria-label={t.joins}>
        {some.map((r, n) => {
          const [a, b] = [y(left, r.domain), y(right, r.range)];
          const middle = ((n + 0.5) * high) / some.length;
          return (
            <g key={r.key}>
              <path d={`M${BOX} ${a} C${BOX + 60} ${a} ${BOX + 40} ${middle} ${WIDE / 2} ${middle} S${WIDE - BOX - 60} ${b} ${WIDE - BOX} ${b}`} />
              <text class="says" x={WIDE / 2} y={middle - 5} text-anchor="middle">{cut(r.text, 30)}</text>
            </g>
          );
        })}
        {[[left, 0], [right, WIDE - BOX]].map(([list, x]) => (list as string[]).map((name) => (
          <g key={`${x}${name}`} transform={`translate(${x} ${y(list as string[], name) - 16})`}><rect width={BOX} height="32" rx="10" /><text x={BOX / 2} y="21" text-anchor="middle">{cut(words(name), 22)}</text></g>
        )))}
      </svg>
      <ul class="sr">{some.map((r) => <li key={r.key}>{`${words(r.domain)} — ${r.text} → ${words(r.range)} (${number(r.count)})`}</li>)}</ul>
    </div>
  );
}
