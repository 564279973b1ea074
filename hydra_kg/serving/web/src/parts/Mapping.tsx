// How the tables of a load were understood, with the evidence, and corrections of that: the load is then made again.
import { useState } from "preact/hooks";
import { Plus, X } from "lucide-preact";
import { follow, q, send } from "../api";
import { number, percent, t } from "../texts";
import type { ColumnOf, FeedOf, Job, MappingOf, ReferenceOf, TableOf } from "../types";
import { Failed, Loading, useGet } from "./small";

const ROLES = ["key", "name", "group", "number", "money", "quantity", "date", "moment", "year", "text", "email", "link", "flag", "skip"] as const;
const ROWS = ["thing", "part", "pair", "join", "skip"] as const;
const COMPUTED = (table: TableOf) => Object.keys(table.metrics ?? {});

const keyOf = (r: ReferenceOf) => `${r.table}.${r.columns.join("+")} → ${r.to}`;

// What was found stays as it is shown here; sizes, files and computed columns are found anew.
function corrections(now: FeedOf): Partial<FeedOf> {
  const table = ({ files, size, columns, ...more }: TableOf) => ({ ...more, columns: Object.fromEntries(Object.entries(columns).filter(([name]) => !(name in (more.metrics ?? {})))) });
  return { tables: Object.fromEntries(Object.entries(now.tables).map(([name, one]) => [name, table(one)])) as FeedOf["tables"], references: now.references };
}

export function Mapping({ name, changed }: { name: string; changed: () => void }) {
  const found = useGet<MappingOf>(`/v1/loads/${q(name)}/mapping`);
  if (found.error) return <p class="quiet">{t.notDescribed}</p>;
  if (!found.data) return <Loading />;
  const Editor = found.data.feed ? FeedEditor : ColumnsEditor;
  return <Editor key={JSON.stringify(found.data)} mapping={found.data} changed={() => { found.reload(); changed(); }} />;
}

interface EditorProps { mapping: MappingOf; changed: () => void }

// Several tables: keys, columns, formulas and references.
function FeedEditor({ mapping, changed }: EditorProps) {
  const [feed, edit] = useState<FeedOf>(mapping.feed!);
  const table = (name: string, more: Partial<TableOf>) => edit({ ...feed, tables: { ...feed.tables, [name]: { ...feed.tables[name]!, ...more } } });
  return (
    <div class="mapping">
      <p class="quiet">{t.mappingLead}</p>
      {Object.entries(feed.tables).map(([name, one]) => <TableMapping key={name} name={name} table={one} references={feed.references} change={(more) => table(name, more)} />)}
      {(feed.references.length > 0 || feed.doubtful.length > 0) && (
        <section><h3>{t.references}</h3>
          <ul class="list">
            {feed.references.map((r) => <Refers key={keyOf(r)} r={r} act={t.notReference} press={() => edit({ ...feed, references: feed.references.filter((o) => o !== r), doubtful: [...feed.doubtful, r] })} />)}
            {feed.doubtful.map((r) => <Refers key={keyOf(r)} r={r} doubtful act={t.takeReference} press={() => edit({ ...feed, doubtful: feed.doubtful.filter((o) => o !== r), references: [...feed.references, r] })} />)}
          </ul>
        </section>
      )}
      <LoadAgain mapping={mapping} touched={JSON.stringify(feed) !== JSON.stringify(mapping.feed)} correction={() => ({ feed: corrections(feed) })} changed={changed} />
    </div>
  );
}

const ONCE = ["entity", "source", "attribute"];  // roles that one column has

// A table that was loaded alone: the role of each column.
function ColumnsEditor({ mapping, changed }: EditorProps) {
  const [columns, edit] = useState<ColumnOf[]>(mapping.columns!);
  const set = (at: number, more: Partial<ColumnOf>) => edit(columns.map((one, n) => (n === at ? { ...one, ...more } : ONCE.includes(more.role ?? "") && one.role === more.role ? { ...one, role: "value" } : one)));
  return (
    <div class="mapping">
      <p class="quiet">{t.mappingLead}</p>
      <section class="mapped" aria-label={mapping.name}>
        <p class="quiet">{t.rowsAbout(number(mapping.rows ?? 0), number(mapping.entities ?? 0))}</p>
        <div class="scroll" tabIndex={0} role="group" aria-label={t.columnsOf(mapping.name)}>
          <table>
            <thead><tr><th scope="col">{t.column}</th><th scope="col">{t.isA}</th><th scope="col">{t.calledInQuestions}</th></tr></thead>
            <tbody>{columns.map((one, n) => (
              <tr key={n}>
                <th scope="row"><span translate={false}>{one.name}<small>{one.examples.join(" · ")}</small></span></th>
                <td><select aria-label={`${t.isA}: ${one.name}`} value={one.role} onChange={(e) => set(n, { role: e.currentTarget.value })}>{Object.entries(t.columnRoles).map(([role, says]) => <option key={role} value={role}>{says}</option>)}</select></td>
                <td><input aria-label={`${t.calledInQuestions}: ${one.name}`} value={one.called} placeholder={one.name} pattern="[^,=]*" maxLength={80} onInput={(e) => set(n, { called: e.currentTarget.value })} /></td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      </section>
      <LoadAgain mapping={mapping} touched={JSON.stringify(columns) !== JSON.stringify(mapping.columns)} correction={() => ({ columns: columns.map(({ examples, ...one }) => one) })} changed={changed} />
    </div>
  );
}

// The button that loads the files again, with what becomes of that.
function LoadAgain({ mapping, touched, correction, changed }: EditorProps & { touched: boolean; correction: () => object }) {
  const [job, seen] = useState<Job | null>(null);
  const [error, wrong] = useState<Error | null>(null);
  const save = () => {
    wrong(null);
    send<Job>("POST", `/v1/loads/${q(mapping.name)}/mapping`, correction()).then((begun) => follow(begun, seen))
      .then((over) => { seen(null); if (over.state === "done") changed(); else wrong(new Error(over.why)); }).catch((e: Error) => { seen(null); wrong(e); });
  };
  return (
    <>
      {!mapping.again && <p class="note">{mapping.why}</p>}
      <p class="row">
        <button class="primary" disabled={!touched || !mapping.again || Boolean(job)} onClick={save}>{t.loadAgain}</button>
        <span class="quiet" role="status">{job ? `${t.uploading}…` : touched ? t.loadAgainHint : ""}</span>
      </p>
      {error && <Failed error={error} />}
    </>
  );
}

function Refers({ r, doubtful, act, press }: { r: ReferenceOf; doubtful?: boolean; act: string; press: () => void }) {
  return (
    <li>
      <span><b>{r.table}.{r.columns.join(" + ")}</b> → <b>{r.to}</b>{doubtful && <> <span class="tag held">{t.doubtfulReference}</span></>}
        <small>{r.of ? t.evidenceOf(percent(r.found), number(r.of)) : t.givenByYou}{r.why && r.why !== "feeds.yaml" ? ` · ${r.why}` : ""}{doubtful ? "" : ` · ${t.readAs(r.says)}`}</small>
      </span>
      <button class="soft" onClick={press} aria-label={`${act}: ${keyOf(r)}`}>{act}</button>
    </li>
  );
}

function TableMapping({ name, table, references, change }: { name: string; table: TableOf; references: ReferenceOf[]; change: (more: Partial<TableOf>) => void }) {
  const computed = COMPUTED(table), refer = references.filter((r) => r.table === name).flatMap((r) => r.columns);
  const own = Object.entries(table.columns).filter(([column]) => !computed.includes(column));
  const set = (column: string, more: { role?: string; says?: string }) => {
    const columns = { ...table.columns, [column]: { ...table.columns[column]!, ...more } };
    const places = { key: table.key, name: table.name };
    if (more.role) {
      for (const place of ["key", "name"] as const) places[place] = places[place].filter((one) => one !== column);
      if (more.role === "key" || more.role === "name") places[more.role] = [...places[more.role], column];
    }
    change({ columns, ...places });
  };
  const roleOf = (column: string, role: string) => (table.key.includes(column) ? "key" : table.name.includes(column) ? "name" : role);
  return (
    <section class="mapped" aria-label={name}>
      <div class="inline">
        <h3>{name} <span class="count">{t.rowsCount(number(table.size))}</span></h3>
        <label class="field"><span>{t.oneRow}</span><input value={table.noun} maxLength={80} onInput={(e) => change({ noun: e.currentTarget.value })} /></label>
        <label class="field"><span>{t.rowsAre}</span><select value={table.rows} onChange={(e) => change({ rows: e.currentTarget.value })}>{ROWS.map((one) => <option key={one} value={one}>{t.rowsKind[one]}</option>)}</select></label>
      </div>
      <div class="scroll" tabIndex={0} role="group" aria-label={t.columnsOf(name)}>
        <table>
          <thead><tr><th scope="col">{t.column}</th><th scope="col">{t.isA}</th><th scope="col">{t.calledInQuestions}</th></tr></thead>
          <tbody>{own.map(([column, one]) => (
            <tr key={column}>
              <th scope="row">{column}</th>
              <td><select aria-label={`${t.isA}: ${column}`} value={roleOf(column, one.role)} onChange={(e) => set(column, { role: e.currentTarget.value })}>{ROLES.map((role) => <option key={role} value={role}>{t.roles[role]}</option>)}</select>{one.unit && <span class="quiet"> {one.unit}</span>}</td>
              <td><input aria-label={`${t.calledInQuestions}: ${column}`} value={one.says} maxLength={80} onInput={(e) => set(column, { says: e.currentTarget.value })} /></td>
            </tr>
          ))}
          {refer.filter((column) => !table.columns[column]).map((column) => <tr key={column}><th scope="row">{column}</th><td class="quiet" colSpan={2}>{t.refersTo(references.find((r) => r.table === name && r.columns.includes(column))!.to)}</td></tr>)}
          </tbody>
        </table>
      </div>
      <Formulas metrics={table.metrics ?? {}} change={(metrics) => change({ metrics })} />
    </section>
  );
}

// Columns that are computed for each row.
function Formulas({ metrics, change }: { metrics: Record<string, string>; change: (metrics: Record<string, string>) => void }) {
  const add = (form: HTMLFormElement) => {
    const data = new FormData(form), name = String(data.get("name")).trim(), formula = String(data.get("formula")).trim();
    if (name && formula) { change({ ...metrics, [name]: formula }); form.reset(); }
  };
  return (
    <div>
      {Object.entries(metrics).map(([name, formula]) => (
        <p key={name} class="row"><b>{name}</b> = {formula} <button class="icon" aria-label={`${t.remove}: ${name}`} onClick={() => change(Object.fromEntries(Object.entries(metrics).filter(([one]) => one !== name)))}><X size={14} /></button></p>
      ))}
      <form class="inline" onSubmit={(e) => { e.preventDefault(); add(e.currentTarget); }}>
        <label class="field"><span>{t.newColumn}</span><input name="name" required maxLength={80} placeholder="margin" /></label>
        <label class="field"><span>{t.formula}</span><input name="formula" required maxLength={200} placeholder="(price - cost) / price" /></label>
        <button class="soft"><Plus size={15} aria-hidden="true" />&nbsp;{t.addFormula}</button>
      </form>
    </div>
  );
}
