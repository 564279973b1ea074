// Which saved questions would be answered otherwise, before a change counts.
import { link } from "../router";
import { t } from "../texts";

export interface Checked {
  counts: Record<string, number>;
  questions: { number: number; question: string; answer: string; answer_text: string; changed: string; now: { answer_text: string } }[];
}

export function Changes({ checked }: { checked: Checked }) {
  if (!checked.counts.asked) return <p class="quiet" role="status">{t.checkNone}</p>;
  return (
    <div role="status">
      <p>{t.checkResult(checked.counts.answers ?? 0, checked.counts.asked)}</p>
      <ul class="list">{checked.questions.filter((one) => one.changed === "answer").map((one) => <li key={one.number} translate={false}><span><a href={link("a", one.answer)}>{one.question}</a><small>{t.changedTo(one.answer_text, one.now.answer_text)}</small></span></li>)}</ul>
    </div>
  );
}
