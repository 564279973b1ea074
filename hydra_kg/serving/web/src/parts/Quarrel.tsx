// What sources say against each other, side by side. The service decides what is a conflict: a list is none, nor is a
// value that only says less than another.
import { Check } from "lucide-preact";
import { percent, plain, t } from "../texts";
import type { FusedGroup } from "../types";
import { Bar } from "./small";

export const isQuarrel = (group: FusedGroup) => group.conflict !== null && group.conflict !== "granularity";

export function Quarrel({ group, title }: { group: FusedGroup; title: preact.ComponentChildren }) {
  const open = group.decided_by === "nothing";
  return (
    <article class="quarrel">
      <h3>{title}{group.when.length > 0 && ` · ${group.when.map(([, value]) => plain(value)).join(", ")}`}</h3>
      <div class="versus">
        {group.values.slice(0, 6).map((v) => (
          <div key={v.value} class={v.believed && !open ? "believed" : ""}>
            <b>{plain(v.value)}</b>
            <span class="quiet">{v.sources.join(", ")}</span>
            <Bar share={v.confidence} />
            <span class="quiet">{v.believed && !open && <><Check size={13} aria-hidden="true" /> {t.believed} · </>}{t.likely(percent(v.confidence))}</span>
          </div>
        ))}
      </div>
      {group.decided_by && <p class="quiet">{t.decidedBy[group.decided_by]}</p>}
    </article>
  );
}
