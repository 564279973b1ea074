import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CircleCheck, CircleHelp, CircleSlash, Copy, Info, Scale, TriangleAlert } from "lucide-preact";
import { get, Problem } from "../api";
import { t } from "../texts";
import type { Answer } from "../types";

export const Loading = () => <p class="quiet loading" role="status"><span class="dots" aria-hidden="true" />{t.loading}</p>;

export function Failed({ error, again }: { error: Error; again?: () => void }) {
  const remedy = error instanceof Problem ? error.remedy : "";
  return (
    <div class="note bad" role="alert">
      <TriangleAlert size={18} aria-hidden="true" />
      <div><b>{t.failed}.</b> {error.message} {remedy}{again && <> <button class="plain" onClick={again}>{t.retry}</button></>}</div>
    </div>
  );
}

export interface Loaded<T> { data: T | null; error: Error | null; reload: () => void }

export function useGet<T>(path: string): Loaded<T> {
  const [state, change] = useState<{ path: string; data: T | null; error: Error | null }>({ path, data: null, error: null });
  const [turn, again] = useState(0);
  useEffect(() => {
    if (!path) return;
    const mine = new AbortController();
    get<T>(path, mine.signal)
      .then((data) => change({ path, data, error: null }))
      .catch((error: Error) => { if (error.name !== "AbortError") change({ path, data: null, error }); });
    return () => mine.abort();
  }, [path, turn]);
  const fresh = state.path === path;
  return { data: fresh ? state.data : null, error: fresh ? state.error : null, reload: () => again((last) => last + 1) };
}

const ICONS: Record<string, typeof Info> = {
  supported: CircleCheck, "single-source": Info, contested: Scale, contradicted: TriangleAlert, partial: CircleHelp, unsupported: CircleSlash,
};

// One verdict in words with its reason: what the sources say, and how sure the answer is where that is open.
export function Verdict({ answer }: { answer: Answer }) {
  const Icon = ICONS[answer.verdict] ?? Info;
  const sure = answer.abstained ? "" : (answer.certainty ?? "").split(" · ")[1] ?? "";
  const reason = answer.abstained ? "" : answer.readable.reason || t.why[answer.verdict] || "";
  const title = answer.abstained ? t.verdict.unsupported : t.verdict[answer.verdict] ?? answer.verdict;
  return (
    <p class={`verdict ${answer.abstained ? "unsupported" : answer.verdict}`}>
      <Icon size={18} aria-hidden="true" />
      <span><b>{title}.</b> {reason} {t.sure[sure] ?? ""}</span>
    </p>
  );
}

export function CopyButton({ text, label = t.copy }: { text: () => string; label?: string }) {
  const [done, mark] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text()).catch(() => {});
    mark(true);
    setTimeout(() => mark(false), 1500);
  };
  return <button class="plain" onClick={copy}><Copy size={15} aria-hidden="true" /> <span aria-live="polite">{done ? t.copied : label}</span></button>;
}

export function save(name: string, type: string, content: BlobPart) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function Section({ title, lead, children, id }: { title: string; lead?: string; children: ComponentChildren; id?: string }): JSX.Element {
  return <section class="block" aria-label={title} id={id}><h2>{title}</h2>{lead && <p class="quiet lead">{lead}</p>}{children}</section>;
}

export const Bar = ({ share }: { share: number }) => (
  <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="6" rx="3" class="track" /><rect width={Math.max(share * 100, 1)} height="6" rx="3" class="fill" /></svg>
);
