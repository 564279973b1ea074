// Replies of /v1, as far as the application reads them (see /openapi.json).
export interface Named { id: string; name: string; description?: string; degree?: number }
export interface Value { id: string | null; name: string; value?: string; unit?: string; ids: string[]; score: number }
export interface Place { source: string; locator: string; kind?: string; n?: number; url?: string; qualifiers?: [string, string][] }
export interface Hop { subject: Named; object: Named; predicate: string; text: string; forward: boolean; sources: Place[]; via?: Named }
export interface PassageOf { id: string; title: string; source: string; locator: string; text: string; n?: number; url?: string }
export interface PathOf {
  text: string; hops: Hop[]; kept: boolean; answers: Named[]; reason?: string; sentence?: string; passage?: PassageOf;
  scores: { cross?: number; relevance?: number };
}
export interface EditOf { kind: "condition" | "operator" | "order"; text: string; without: string; changes: { text: string; question: string }[]; value: string; with_value: string }
export interface SentencePart { text: string; answer?: number }
export interface NameOf { text: string; chosen: Named | null; others: Named[]; note: string; given: boolean; placed: boolean }
export interface Readable {
  sentence: SentencePart[]; values: string[]; states: Record<string, string[]>; relations: Record<string, string>;
  asked: string; relation: string; edits?: EditOf[]; reason: string; unchecked: string[]; doubted: string[]; names: NameOf[]; about: Named[];
  dialogue: { question: string; before: string; after: string; choices: string[] };
}
export interface Citation { n: number; source: string; locator: string; url?: string }
export interface Answer {
  id: string; question: string; strategy: string; agent: string; answers: Value[]; answer_text: string; verdict: string;
  confidence: number | null; abstained: boolean; certainty?: string; claim?: string; missing?: string; computation?: string;
  chosen_by?: string; dissent: string[]; citations: Citation[]; paths: PathOf[]; perhaps?: Value[]; notes?: string[];
  explorations: { phase: string; topics: Named[]; paths?: PathOf[] }[];
  steps?: { operator: string; text: string; before: number; after: number; unknown: number }[];
  usage: { calls: number; tokens_in: number; tokens_out: number; money: number };
  seconds: Record<string, number>; understood_as?: string; manifest: { loads: unknown[]; teachings?: Teaching[] }; readable: Readable; table?: { columns: string[]; rows: string[][] }; amount: number; agreement: number;
}
export interface LineOf { number: number; text: string; cited: boolean }
export interface CitedPlace { n: number; source: string; locator: string; url: string; passage: string; state: string; why: string; remedy: string; lines: LineOf[]; states: string[] }
export interface LoadOf {
  name: string; held: boolean; facts: number; created: string; counts: Record<string, number>;
  sources: { name: string; kind: string; licence: string; url: string }[];
  files: { name: string; bytes: number; lines: number }[];
  report: { read?: number; kept?: Record<string, number>; dropped?: Record<string, number>; rejected?: Record<string, number>; duplicates?: Record<string, number>; unit?: string; format?: string };
  guessed: string[];
}
export interface ColumnOf { role: string; says: string; unit?: string; form?: string; also?: string[] }
export interface TableOf { noun: string; rows: string; key: string[]; name: string[]; size: number; files?: string[]; also?: string[]; columns: Record<string, ColumnOf>; metrics?: Record<string, string> }
export interface ReferenceOf { table: string; columns: string[]; to: string; to_columns: string[]; says: string; found: number; of: number; why: string }
export interface FeedOf { tables: Record<string, TableOf>; references: ReferenceOf[]; doubtful: ReferenceOf[] }
export interface ColumnOf { name: string; role: string; called: string; examples: string[] }
export interface MappingOf { name: string; waits: boolean; feed: FeedOf | null; columns: ColumnOf[] | null; rows: number | null; entities: number | null; again: boolean; why: string }
export interface RowOf { key: string; name: string; cells: Record<string, string> }
export interface PairOf { left: RowOf; right: RowOf; probability: number; accepted: boolean; agrees: string[]; differs: string[] }
export interface Matched { feeds: string[]; threshold: number; counts: { rows: number[]; accepted: number; judged: number }; pairs: PairOf[] }
export interface StoreOf { name: string; server: boolean; facts: number; loads: LoadOf[] }
export interface ClassOf { name: string; count: number; examples: string[] }
export interface RelationOf { key: string; text: string; count: number; domain: string; range: string; example: [string, string]; sources: number }
export interface SchemaOf { facts: number; large: boolean; classes: ClassOf[]; relations: RelationOf[]; class_count: number; relation_count: number }
export interface Example { question: string; answer: string; text: string; chosen?: boolean }
export interface Thing { id: string; name: string; kinds: string[]; description: string; facts: number }
export interface FactOf { relation: string; predicate: string; object: string; unit: string; id: string; out: boolean; stated_by: { source: string; locator: string }[]; qualifiers: [string, string][] }
export interface FactPage { id: string; name: string; total: number; facts: FactOf[]; unread: number; next_start: number | null }
export interface RelationCount { relation: string; predicate: string; out: boolean; things: boolean; count: number; example: string }
export interface EntityOf { id: string; name: string; description: string; kinds: string[]; aliases: string[]; ids: string[]; total: number; relations: RelationCount[] }
export interface FusedGroup {
  entity: Named; attribute: string; when: [string, string][]; conflict: string | null; sentence: string; decided_by: "" | "sources" | "reliability" | "nothing";
  values: { value: string; confidence: number; believed: boolean; sources: string[] }[];
}
export interface Fused {
  claims: number; groups: number; conflicts: Record<string, number>; values: FusedGroup[];
  sources: { source?: string; name?: string; reliability?: number; claims?: number }[]; left_out: number;
}
export interface Job {
  id: string; kind: string; state: string; why: string; made: number;
  progress: { phase: string; done: number; total: number; unit: string; found?: number; values?: FusedGroup[] } | null; result: Record<string, any> | null;
}
export interface Session { name: string; keys: boolean; scopes: string[]; version: string; model: boolean }
export interface KeptRow { id: string; question: string; answer_text: string; verdict: string; created: string; understood_as?: string; abstained?: boolean }
export interface Teaching { number: number; phrase: string; meaning: string; entity: boolean; author: string; created: string }
export interface Saved { number: number; question: string; names: string[]; answer_text: string; verdict: string; answer: string; created: string; topics: string[]; relation: string }
