import { useState } from "preact/hooks";
import { follow, send } from "../api";
import { link } from "../router";
import { date, plainText, t } from "../texts";
import type { Job, Saved, Teaching } from "../types";
import { Changes, type Checked } from "../parts/Changes";
import { Failed, Loading, Section, useGet } from "../parts/small";

export function Curation() {
  return (
    <div class="page">
      <header class="pagehead"><h1>{t.curationTitle}</h1></header>
      <SavedQuestions />
      <Taught />
    </div>
  );
}

function SavedQuestions() {
  const saved = useGet<{ saved: Saved[] }>("/v1/saved");
  const [job, seen] = useState<Job | null>(null);
  const [error, wrong] = useState<Error | null>(null);
  const rows = saved.data?.saved ?? [];
  const check = () => send<Job>("POST", "/v1/saved/check", {}).then((begun) => follow(begun, seen)).catch(wrong);
  return (
    <Section title={t.savedTitle} lead={t.savedLead}>
      {!saved.data && !saved.error && <Loading />}
      {(saved.error ?? error) && <Failed error={(saved.error ?? error)!} />}
      {saved.data && !rows.length && <p class="quiet">{t.noSaved}</p>}
      <ul class="list">
        {rows.map((one) => (
          <li key={one.number}>
            <span translate={false}><a href={link("a", one.answer)}>{one.question}</a><small>{plainText(one.answer_text) || t.noAnswer}{(one.topics.length > 0 || one.relation) && ` · ${t.savedChosen}`}</small></span>
            <button class="plain" aria-label={`${t.remove}: ${one.question}`} onClick={() => send("DELETE", `/v1/saved/${one.number}`).then(saved.reload).catch(wrong)}>{t.remove}</button>
          </li>
        ))}
      </ul>
      {rows.length > 0 && <p class="inline"><button class="soft" onClick={check}>{t.checkNow}</button>{job && !job.result && <span role="status">{job.why || t.loading}</span>}</p>}
      {job?.result && <Changes checked={job.result as unknown as Checked} />}
    </Section>
  );
}

function Taught() {
  const taught = useGet<{ teachings: Teaching[] }>("/v1/teachings");
  const [error, wrong] = useState<Error | null>(null);
  const [busy, wait] = useState(false);
  const teach = (form: HTMLFormElement) => {
    const data = new FormData(form);
    wrong(null);
    void change("POST", "/v1/teachings", { phrase: data.get("phrase"), meaning: data.get("meaning") }).then((done) => done && form.reset());
  };
  // A formula is a job, because its table is loaded again.
  const change = async (method: string, path: string, body?: unknown) => {
    wait(true);
    try {
      const reply = await send<Job | Teaching>(method, path, body);
      const over = "state" in reply ? await follow(reply, () => {}) : null;
      if (over && over.state !== "done") throw new Error(over.why);
      taught.reload();
      return true;
    } catch (e) { wrong(e as Error); return false; } finally { wait(false); }
  };
  const rows = taught.data?.teachings ?? [];
  return (
    <Section title={t.taughtTitle} lead={t.taughtLead}>
      <form class="inline" onSubmit={(e) => { e.preventDefault(); teach(e.currentTarget); }}>
        <label class="field"><span>{t.phrase}</span><input name="phrase" required maxLength={200} placeholder={t.exampleWord} /></label>
        <label class="field"><span>{t.means}</span><input name="meaning" required maxLength={200} placeholder={t.exampleMeaning} /></label>
        <button class="primary" disabled={busy}>{t.teach}</button>
      </form>
      <p class="quiet" role="status">{busy ? t.teaching : t.teachHint}</p>
      {(taught.error ?? error) && <Failed error={(taught.error ?? error)!} />}
      {taught.data && !rows.length && <p class="quiet">{t.noTaught}</p>}
      <ul class="list">
        {rows.map((one) => (
          <li key={one.number}>
            <span translate={false}><b>{one.phrase}</b> → {one.entity ? <a href={link("e", one.meaning)}>{one.meaning}</a> : one.meaning}<small>{t.by(one.author, date(one.created))}</small></span>
            <button class="plain" aria-label={`${t.undo}: ${one.phrase}`} disabled={busy} onClick={() => void change("DELETE", `/v1/teachings/${one.number}`)}>{t.undo}</button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
