// Which saved questions would be answered otherwise, before a change counts.
import type { ComponentChildren } from "preact";
import { link } from "../router";
import { plainText, t } from "../texts";

interface Asked { number: number; question: string; answer: string; answer_text: string; names: string[]; verdict: string; changed: string; now: { names: string[]; answer_text: string; verdict: string } }
export interface Checked { counts: Record<string, number>; questions: Asked[] }

export function Changes({ checked }: { checked: Checked }) {
  if (!checked.counts.asked) return <p class="quiet" role="status">{t.checkNone}</p>;
  const otherwise = checked.questions.filter((one) => one.changed === "answer");
  const better = otherwise.filter((one) => !one.names.length), worse = otherwise.filter((one) => one.names.length && !one.now.names.length);
  const other = otherwise.filter((one) => one.names.length && one.now.names.length), verdicts = checked.questions.filter((one) => one.changed === "verdict");
  const said = (verdict: string) => t.verdict[verdict] ?? verdict;
  const item = (one: Asked, change: string) => <li key={one.number} translate={false}><span><a href={link("a", one.answer)}>{one.question}</a><small>{change}</small></span></li>;
  const answers = (rows: Asked[]) => rows.map((one) => item(one, t.changedTo(plainText(one.answer_text), plainText(one.now.answer_text))));
  return (
    <div role="status">
      <p>{t.checkResult(otherwise.length, checked.counts.asked)}</p>
      <Group title={t.checkWorse(worse.length)} rows={answers(worse)} open />
      <Group title={t.checkOther(other.length)} rows={answers(other)} open />
      <Group title={t.checkBetter(better.length)} rows={answers(better)} open />
      <Group title={t.checkVerdict(verdicts.length)} rows={verdicts.map((one) => item(one, t.changedTo(said(one.verdict), said(one.now.verdict))))} />
    </div>
  );
}

// A list with its count, which opens and closes.
export function Group({ title, rows, open = false }: { title: string; rows: ComponentChildren[]; open?: boolean }) {
  if (!rows.length) return null;
  return <details class="group" open={open}><summary>{title}</summary><ul class="list">{rows}</ul></details>;
}
