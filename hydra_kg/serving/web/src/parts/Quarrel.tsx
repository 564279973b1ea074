// What sources say against each other, side by side. A list is not a quarrel: where one source states several of the
// values, they can all be true.
import { Check } from "lucide-preact";
import { percent, plain, t } from "../texts";
import type { FusedGroup } from "../types";
import { Bar } from "./small";

export function isQuarrel(group: FusedGroup): boolean {
  if (!group.conflict || group.values.length < 2) return false;
  const sources = group.values.flatMap((v) => v.sources);
  return new Set(sources).size > 1 && new Set(sources).size === sources.length;
}

export function Quarrel({ group, title }: { group: FusedGroup; title: preact.ComponentChildren }) {
  return (
    <article class="quarrel">
      <h3>{title}{group.when.length > 0 && ` · ${group.when.join(", ")}`}</h3>
      <div class="versus">
        {group.values.slice(0, 6).map((v) => (
          <div key={v.value} class={v.believed ? "believed" : ""}>
            <b>{plain(v.value)}</b>
            <span class="quiet">{v.sources.join(", ")}</span>
            <Bar share={v.confidence} />
            <span class="quiet">{v.believed && <><Check size={13} aria-hidden="true" /> {t.believed} · </>}{t.likely(percent(v.confidence))}</span>
          </div>
        ))}
      </div>
    </article>
  );
}
