// What is loaded, what became of every line, what depends on it; an administrator loads, looks and puts to use.
import { useEffect, useRef, useState } from "preact/hooks";
import { CircleCheck, Upload } from "lucide-preact";
import { ACCEPTED, follow, get, isDocument, isTable, q, send, stemOf, upload } from "../api";
import { link } from "../router";
import { date, number, percent, plainText, t } from "../texts";
import type { Job, LoadOf, Session, StoreOf } from "../types";
import { Changes, Group, type Checked } from "../parts/Changes";
import { Mapping } from "../parts/Mapping";
import { Matching } from "../parts/Matching";
import { Failed, Loading, useGet } from "../parts/small";

export function Sources({ session }: { session: Session | null }) {
  const store = useGet<StoreOf>("/v1/store");
  const admin = Boolean(session?.scopes.includes("admin"));
  const [used, tell] = useState("");
  const places = useRef<string[]>([]);  // a source that is put to use stays where it was
  const loads = [...(store.data?.loads ?? [])].sort((a, b) => Number(b.held) - Number(a.held));
  const fresh = [...new Set(loads.map((one) => one.name))].filter((name) => !places.current.includes(name));
  places.current = [...fresh, ...places.current];
  loads.sort((a, b) => places.current.indexOf(a.name) - places.current.indexOf(b.name));
  const tables = (store.data?.loads ?? []).filter((one) => !one.held && ["feed", "tables"].includes(one.report.format ?? "")).map((one) => one.name);
  return (
    <div class="page">
      <header class="pagehead"><h1>{t.sourcesTitle}</h1><p class="quiet">{t.sourcesLead}</p></header>
      {admin ? <Drop done={store.reload} /> : session && <p class="note">{t.adminOnly} {!session.keys && t.adminHow}</p>}
      {store.error && <Failed error={store.error} again={store.reload} />}
      {!store.data && !store.error && <Loading />}
      <div class="sources">{loads.map((one) => <Source key={one.name + one.held} load={one} replaced={one.held ? loads.find((other) => other.name === one.name && !other.held) : undefined} admin={admin} changed={store.reload} use={(name) => { tell(name); store.reload(); }} justUsed={used === one.name && !one.held} />)}</div>
      {admin && tables.length > 0 && <Matching sources={tables} changed={store.reload} />}
    </div>
  );
}

const sum = (some?: Record<string, number>) => Object.values(some ?? {}).reduce((all, n) => all + n, 0);

interface SourceProps { load: LoadOf; replaced?: LoadOf; admin: boolean; changed: () => void; use: (name: string) => void; justUsed: boolean }

function Source({ load, replaced, admin, changed, use, justUsed }: SourceProps) {
  const { report } = load;
  const parts = { used: sum(report.kept), duplicates: sum(report.duplicates), dropped: sum(report.dropped), rejected: sum(report.rejected) };
  const all = sum(parts) || 1;
  const licences = [...new Set(load.sources.map((s) => s.licence).filter(Boolean))];
  const address = load.sources.find((s) => s.url)?.url;
  let at = 0;
  return (
    <article class="source" id={`s-${load.name}`} aria-label={load.name}>
      <header>
        <h2 translate={false}>{address ? <a href={address} target="_blank" rel="noreferrer noopener">{load.name}</a> : load.name}</h2>
        <span class={`tag ${load.held ? "held" : ""}`}>{load.held ? t.held : t.inUse}</span>
        <span class="quiet">{load.facts || !(load.counts.passages || load.counts.same_as) ? t.factsCount(number(load.facts)) : load.counts.passages ? t.passagesCount(number(load.counts.passages)) : `${number(load.counts.same_as!)} ${t.sameAs}`}{report.format && ` · ${t.formats[report.format] ?? report.format}`}</span>
      </header>
      <dl class="facts3">
        <div><dt>{t.loaded}</dt><dd>{date(load.created)}</dd></div>
        <div><dt>{t.licence}</dt><dd>{licences.length ? <span translate={false}>{licences.join(", ")}</span> : t.noLicence}</dd></div>
        {load.files.length > 0 && <div><dt>{t.files}</dt><dd><span translate={false}>{load.files.slice(0, 3).map((f) => f.name).join(", ")}</span>{load.files.length > 3 && ` ${t.also(load.files.length - 3)}`}</dd></div>}
      </dl>
      {report.read !== undefined && (
        <div>
          <h3 class="quiet">{t.readLines(number(report.read), t.units[report.unit ?? ""] ?? report.unit ?? "")}</h3>
          <div class="split" aria-hidden="true">
            <svg viewBox="0 0 100 10" preserveAspectRatio="none">{(Object.keys(parts) as (keyof typeof parts)[]).map((key) => {
              const x = at, wide = (100 * parts[key]) / all;
              at += wide;
              return <rect key={key} class={key} x={x} width={wide} height="10" />;
            })}</svg>
          </div>
          <p class="row quiet">{(Object.keys(parts) as (keyof typeof parts)[]).filter((key) => parts[key] || key === "used").map((key) => <span key={key}><span class={`key ${key}`} aria-hidden="true" />{number(parts[key])} {t[key]}</span>)}</p>
          {([["dropped", t.dropped], ["rejected", t.rejected]] as const).map(([key, says]) => parts[key] > 0 && <p key={key} class="quiet">{says}: {Object.entries(report[key] ?? {}).map(([why, n]) => `${number(n)} ${t.leftOut[why] ?? why.replace(/_/g, " ")}`).join(", ")}</p>)}
        </div>
      )}
      {load.guessed.length > 0 && <div><h3 class="quiet">{t.guessed}</h3><ul>{load.guessed.map((line) => <li key={line}>{line}</li>)}</ul></div>}
      {load.held && <p class="note" role="status">{t.waitsHint} {replaced && <Replaces load={load} old={replaced} />}</p>}
      {justUsed && <UsedNow name={load.name} />}
      {admin && ["feed", "tables"].includes(load.report.format ?? "") && <Correct load={load} changed={changed} />}
      {!load.held && <Impact name={load.sources[0]?.name ?? load.name} />}
      {admin && <Change load={load} changed={changed} use={use} />}
    </article>
  );
}

// Says what a waiting load replaces, and which files it lacks.
function Replaces({ load, old }: { load: LoadOf; old: LoadOf }) {
  const gone = old.files.map((file) => file.name).filter((name) => load.files.every((file) => file.name !== name));
  return <>{t.replaces(number(load.facts), number(old.facts))} {gone.length > 0 && <b>{t.losesFiles(gone.slice(0, 5).join(", ") + (gone.length > 5 ? ` ${t.also(gone.length - 5)}` : ""))}</b>}</>;
}

// Says that a source was just put to use, and what one does next.
function UsedNow({ name }: { name: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => { box.current?.focus(); }, []);
  return (
    <div class="note done" role="status" tabIndex={-1} ref={box}><CircleCheck size={18} aria-hidden="true" />
      <span>{t.usedNow(name)}</span><a class="soft" href="#/">{t.newQuestion}</a><a class="soft" href={link("explore")}>{t.explore}</a>
    </div>
  );
}

function Correct({ load, changed }: { load: LoadOf; changed: () => void }) {
  const [open, show] = useState(false);
  return (
    <div>
      <button class="soft" aria-expanded={open} onClick={() => show(!open)}>{t.mapping}</button>
      {open && <Mapping name={load.name} changed={changed} />}
    </div>
  );
}

interface Affected { id: string; question: string; answer_text: string; loses: string[]; keeps: string[] }

function Impact({ name }: { name: string }) {
  const [found, read] = useState<{ questions: Affected[] } | null>(null);
  const [error, wrong] = useState<Error | null>(null);
  const [busy, wait] = useState(false);
  const look = () => { wait(true); get<NonNullable<typeof found>>(`/v1/sources/${q(name)}/impact`).then(read).catch(wrong); };
  if (error) return <Failed error={error} />;
  if (!found) return <div>{busy ? <Loading /> : <button class="soft" onClick={look}>{t.impactRun}</button>}</div>;
  const asked = [...new Map([...found.questions].reverse().map((one) => [one.question, one])).values()].reverse();  // newest first
  const lost = asked.filter((one) => one.loses.length && !one.keeps.length), weak = asked.filter((one) => one.loses.length && one.keeps.length);
  const kept = asked.filter((one) => !one.loses.length);
  const item = (one: Affected) => <li key={one.id}><span translate={false}><a href={link("a", one.id)}>{one.question}</a><small>{plainText(one.loses.length ? one.loses.join(", ") : one.answer_text)}</small></span></li>;
  return (
    <div role="status">
      <p>{t.impactText(asked.length)}</p>
      <Group title={t.impactLost(lost.length)} rows={lost.map(item)} open />
      <Group title={t.impactWeak(weak.length)} rows={weak.map(item)} open />
      <Group title={t.impactKept(kept.length)} rows={kept.map(item)} />
    </div>
  );
}

function Change({ load, changed, use }: { load: LoadOf; changed: () => void; use: (name: string) => void }) {
  const [job, seen] = useState<Job | null>(null);
  const [sure, ask] = useState(false);
  const [error, wrong] = useState<Error | null>(null);
  const [checked, show] = useState<Checked | null>(null);
  const run = (method: string, path: string, body?: unknown) => {
    wrong(null);
    return send<Job>(method, path, body).then((begun) => follow(begun, seen)).then((over) => { if (over.state !== "done") throw new Error(over.why); seen(null); return over; }).catch((e: Error) => { seen(null); wrong(e); return null; });
  };
  const check = () => run("POST", "/v1/saved/check", load.held ? { flip: load.name } : { drop: load.name }).then((over) => { if (over) show(over.result as unknown as Checked); });
  return (
    <footer class="row">
      {load.held && <button class="primary" disabled={Boolean(job)} onClick={() => run("POST", `/v1/loads/${q(load.name)}/flip`).then((over) => (over ? use(load.name) : changed()))}>{t.flip}</button>}
      {load.held && <button class="soft" disabled={Boolean(job)} onClick={() => run("DELETE", `/v1/loads/${q(load.name)}`).then(changed)}>{t.discardLoad}</button>}
      <button class="soft" disabled={Boolean(job)} onClick={check}>{t.checkSaved}</button>
      {!load.held && !sure && <button class="plain danger" onClick={() => ask(true)}>{t.drop}</button>}
      {sure && <span role="alert">{t.dropSure} <button class="plain danger" onClick={() => run("DELETE", `/v1/sources/${q(load.name)}`).then(() => { ask(false); changed(); })}>{t.yes}</button><button class="plain" onClick={() => ask(false)}>{t.no}</button></span>}
      {job && <Going job={job} />}
      {checked && <Changes checked={checked} />}
      {error && <Failed error={error} />}
    </footer>
  );
}

function Going({ job }: { job: Job }) {
  const p = job.progress;
  return (
    <span class="quiet loading" role="status"><span class="dots" aria-hidden="true" />
      {p ? (p.unit === "questions" ? t.progress(number(p.done), number(p.total)) : `${t.phases[p.phase] ?? t.uploading}: ${percent(p.total ? p.done / p.total : 0)}`) : t.loading}
      {p && <progress max={p.total || 1} value={p.done} aria-label={t.phases[p.phase] ?? t.uploading} />}
    </span>
  );
}

// The files of what was dropped, those of folders included, and the name of the first folder.
async function filesOf(drop: DataTransfer): Promise<{ files: File[]; folder: string }> {
  const entries = Array.from(drop.items).map((item) => item.webkitGetAsEntry()).filter((one): one is FileSystemEntry => one !== null);
  const read = async (entry: FileSystemEntry): Promise<File[]> => {
    if (entry.isFile) return [await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail))];
    const reader = (entry as FileSystemDirectoryEntry).createReader(), found: FileSystemEntry[] = [];
    for (;;) {  // a reader returns a hundred at a time
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (!some.length) break;
      found.push(...some);
    }
    return (await Promise.all(found.map(read))).flat();
  };
  const files = entries.length ? (await Promise.all(entries.map(read))).flat() : Array.from(drop.files);
  return { files, folder: entries.find((one) => one.isDirectory)?.name ?? "" };
}

function Drop({ done }: { done: () => void }) {
  const [over, hover] = useState(false);
  const [jobs, set] = useState<Record<string, Job | Error>>({});
  const [several, choose] = useState<{ files: File[]; name: string } | null>(null);
  const [without, leave] = useState<string[]>([]);
  const put = (name: string, job: Job | Error) => set((old) => ({ ...old, [name]: job }));
  const load = async (files: File[], source: string) => {
    choose(null);
    try {
      const job = await follow(await upload(files, source), (now) => put(source, now));
      if (job.state === "done") set((old) => Object.fromEntries(Object.entries(old).filter(([name]) => name !== source)));
      else put(source, job);
      done();
    } catch (error) { put(source, error as Error); }
  };
  const together = async (files: File[], name: string) => {
    const tables = files.filter(isTable), documents = files.filter(isDocument);
    if (tables.length) await load(tables, name);
    if (documents.length) await load(documents, tables.length ? `${name}-documents` : name);
  };
  const each = async (files: File[]) => { for (const file of files) await load([file], stemOf(file.name)); };
  const take = (given: File[], folder = "") => {
    const files = given.filter((file) => isTable(file) || isDocument(file));
    set({});
    leave(files.length ? given.filter((file) => !files.includes(file)).map((file) => file.name).filter((name) => !name.startsWith(".")) : []);
    if (files.length > 1) choose({ files, name: folder || stemOf(files[0]!.name) });
    else if (files[0]) void load([files[0]], stemOf(files[0].name));
    else if (given.length) put(given[0]!.name, new Error(t.noneLoadable));
  };
  useEffect(() => {
    const stop = (event: DragEvent) => event.preventDefault();  // a file dropped next to the field does not leave the page
    addEventListener("dragover", stop);
    addEventListener("drop", stop);
    return () => { removeEventListener("dragover", stop); removeEventListener("drop", stop); };
  }, []);
  return (
    <section class="block" aria-label={t.dropFiles}>
      <div class={`drop ${over ? "over" : ""}`} onDragOver={(e) => { e.preventDefault(); hover(true); }} onDragLeave={() => hover(false)}
        onDrop={(e) => { e.preventDefault(); hover(false); if (e.dataTransfer) void filesOf(e.dataTransfer).then(({ files, folder }) => take(files, folder)); }}>
        <Upload size={24} aria-hidden="true" />
        <b>{t.dropFiles}</b>
        <p class="quiet">{t.dropFilesHint}</p>
        <label class="soft" tabIndex={0} onKeyDown={(e) => e.key === "Enter" && e.currentTarget.click()}>{t.chooseFile}
          <input class="sr" type="file" multiple accept={ACCEPTED} tabIndex={-1} onChange={(e) => { take(Array.from(e.currentTarget.files ?? [])); e.currentTarget.value = ""; }} /></label>
      </div>
      {without.length > 0 && <p class="note" role="status">{t.filesLeft(without.slice(0, 5).join(", ") + (without.length > 5 ? ` ${t.also(without.length - 5)}` : ""))}</p>}
      {several && (
        <form class="note together" onSubmit={(e) => { e.preventDefault(); void together(several.files, String(new FormData(e.currentTarget).get("name")).trim()); }}>
          <p><b>{t.together(several.files.length)}</b> {several.files.slice(0, 8).map((file) => file.name).join(", ")}{several.files.length > 8 && ` ${t.also(several.files.length - 8)}`}</p>
          <p class="quiet">{t.togetherHint}</p>
          <div class="inline">
            <label class="field"><span>{t.sourceName}</span><input name="name" required maxLength={80} defaultValue={several.name} /></label>
            <button class="primary">{t.loadTogether}</button>
            <button type="button" class="soft" onClick={() => void each(several.files)}>{t.loadEach}</button>
            <button type="button" class="plain" onClick={() => choose(null)}>{t.no}</button>
          </div>
        </form>
      )}
      {Object.entries(jobs).map(([name, job]) => (
        job instanceof Error ? <Failed key={name} error={job} />
          : <p key={name} class="note"><b>{name}</b> {["waiting", "running"].includes(job.state) ? <Going job={job} /> : <span role="status">{job.state === "done" ? t.jobDone : `${t.jobFailed}: ${job.why}`}</span>}</p>
      ))}
    </section>
  );
}
