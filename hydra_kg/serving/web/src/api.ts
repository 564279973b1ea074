// The only place that talks to the service. A key is kept for the tab alone (sessionStorage), never in an address.
import { language } from "./texts";
import type { Answer, Job } from "./types";

export class Problem extends Error {
  constructor(readonly status: number, detail: string, readonly remedy: string) { super(detail); }
}

const KEY = "hydra.key";
let onMissingKey: () => void = () => {};
export const whenKeyIsMissing = (call: () => void) => { onMissingKey = call; };
export const storedKey = () => sessionStorage.getItem(KEY) ?? "";
export const storeKey = (key: string) => { if (key) sessionStorage.setItem(KEY, key); else sessionStorage.removeItem(KEY); };

function headers(more: Record<string, string> = {}): Record<string, string> {
  const key = storedKey(), said = { "Accept-Language": language, ...more };  // the service words its sentences
  return key ? { Authorization: `Bearer ${key}`, ...said } : said;
}

async function checked(reply: Response): Promise<Response> {
  if (reply.ok) return reply;
  const doc = await reply.json().catch(() => ({}));
  if (reply.status === 401) onMissingKey();
  throw new Problem(reply.status, doc.detail ?? reply.statusText, doc.remedy ?? "");
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await checked(await fetch(path, { headers: headers(), signal }))).json() as Promise<T>;
}

export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const options = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetch(path, { method, headers: headers({ "Content-Type": "application/json" }), ...options });
  return (await checked(reply)).json() as Promise<T>;
}

// Sends tables that are loaded as one source, and returns its job.
export async function upload(files: File[], source: string): Promise<Job> {
  let batch = "";
  for (const [n, file] of files.entries()) {
    const reply = await sendFile(file, { source, file: stemOf(file.name), ...(files.length > 1 ? { batch, more: String(n < files.length - 1) } : {}) });
    if (n === files.length - 1) return reply as Job;
    batch = (reply as { batch: string }).batch;
  }
  throw new Error("no files");
}

export const stemOf = (name: string) => name.replace(/\.\w+$/, "").replace(/[/\\]/g, " ").replace(/^\.+/, "") || "table";

// Endings of the files that can be uploaded, with the kind and the media type of each.
const TABLES: Record<string, [string, string]> = {
  csv: ["csv", "text/csv"], tsv: ["tsv", "text/tab-separated-values"], jsonl: ["jsonl", "application/x-ndjson"], ndjson: ["jsonl", "application/x-ndjson"],
  json: ["json", "application/json"], xlsx: ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
};
const DOCUMENTS: Record<string, [string, string]> = {
  txt: ["txt", "text/plain"], text: ["txt", "text/plain"], md: ["md", "text/markdown"], markdown: ["md", "text/markdown"],
  html: ["html", "text/html"], htm: ["html", "text/html"], pdf: ["pdf", "application/pdf"],
  docx: ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
};
const ending = (file: { name: string }) => /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "";
export const isTable = (file: File) => ending(file) in TABLES;
export const isDocument = (file: { name: string }) => ending(file) in DOCUMENTS;
export const ACCEPTED = [...Object.keys(TABLES), ...Object.keys(DOCUMENTS)].map((one) => `.${one}`).join(",");

async function sendFile(file: File, more: Record<string, string>): Promise<Job | { batch: string }> {
  const [kind, type] = TABLES[ending(file)] ?? DOCUMENTS[ending(file)]!;
  const path = `/v1/uploads?${new URLSearchParams({ ...more, kind })}`;
  return (await checked(await fetch(path, { method: "POST", headers: headers({ "Content-Type": type }), body: file }))).json();
}

export interface Options { topics?: string[]; after?: string; sources?: string[]; strategy?: string; agent?: string; relation?: string }

// Server-sent events of a POST, which EventSource cannot make.
export async function ask(question: string, more: Options, signal: AbortSignal, happened: (kind: string, doc: any) => void): Promise<Answer> {
  const reply = await checked(await fetch("/v1/answers", {
    method: "POST", signal, body: JSON.stringify({ question, ...more }),
    headers: headers({ "Content-Type": "application/json", Accept: "text/event-stream" }),
  }));
  const reader = reply.body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const piece = await reader.read();
    text += decoder.decode(piece.value ?? new Uint8Array(), { stream: !piece.done }).replace(/\r\n/g, "\n");
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part)?.[1], data = /^data: (.*)$/m.exec(part)?.[1];
      if (!kind || !data) continue;
      const doc = JSON.parse(data);
      if (kind === "problem") throw new Problem(doc.status, doc.detail, doc.remedy ?? "");
      if (kind === "answer") return doc as Answer;
      happened(kind, doc);
    }
    if (piece.done) throw new Problem(0, "The connection ended before the answer.", "");
  }
}

// Follows a job until it is over, or until nobody looks any more.
export async function follow(job: Job, seen: (job: Job) => void, looking = () => true): Promise<Job> {
  for (;;) {
    seen(job);
    if (!["waiting", "running"].includes(job.state) || !looking()) return job;
    await new Promise((go) => setTimeout(go, 400));
    job = await get<Job>(`/v1/jobs/${job.id}`);
  }
}

export const q = encodeURIComponent;
