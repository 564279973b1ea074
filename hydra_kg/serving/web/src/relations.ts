// Relations as people read them: one for all sources that call it alike, from whichever end they state it.
import type { EntityOf, FactOf, RelationCount } from "./types";
import { words } from "./texts";

// `count`: how many facts, of which several may be one; `least`: how many different ones at least.
export interface Relation extends RelationCount { least: number }

export function relationsOf(entity: EntityOf): Relation[] {
  const found = new Map<string, Relation>();
  for (const one of entity.relations) {
    const old = found.get(one.relation);
    found.set(one.relation, old ? { ...old, things: old.things || one.things, count: old.count + one.count } : { ...one, least: one.count });
  }
  return [...found.values()];
}

// What two sources state in relations of one name is one fact with both.
export function unite(facts: FactOf[]): FactOf[] {
  const found = new Map<string, FactOf>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.id || shownAs(fact), fact.qualifiers]), old = found.get(key);
    found.set(key, old ? { ...old, stated_by: [...old.stated_by, ...fact.stated_by] } : fact);
  }
  return [...found.values()];
}

export const shownAs = (fact: FactOf) => (fact.relation === "is a" ? words(fact.object) : fact.object);
