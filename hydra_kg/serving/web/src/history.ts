// The threads of this browser: names, questions and ids of answers, never the answers, which are the service's.
import { useEffect, useState } from "preact/hooks";

export interface Thread { id: string; title: string; answers: string[]; questions?: string[]; at: number }

const KEY = "hydra.threads";
const MOST = 300;
const listeners = new Set<() => void>();

function read(): Thread[] {
  try { return JSON.parse(localStorage.getItem(KEY) ?? "[]") as Thread[]; } catch { return []; }
}

function write(threads: Thread[]) {
  try { localStorage.setItem(KEY, JSON.stringify(threads.slice(0, MOST))); } catch { /* full or forbidden */ }
  listeners.forEach((call) => call());
}

export function useThreads(): Thread[] {
  const [threads, change] = useState(read);
  useEffect(() => {
    const changed = () => change(read());
    listeners.add(changed);
    addEventListener("storage", changed);
    return () => { listeners.delete(changed); removeEventListener("storage", changed); };
  }, []);
  return threads;
}

export function remember(answer: string, question: string, before: string) {
  const threads = read();
  const known = threads.find((t) => t.answers.includes(answer));
  if (known) return;
  const mine = before ? threads.find((t) => t.answers.includes(before)) : undefined;
  const thread = mine ?? { id: answer, title: question, answers: [], at: 0 };
  thread.answers = [...thread.answers, answer];
  thread.questions = [...(thread.questions ?? []), question];
  thread.at = Date.now();
  write([thread, ...threads.filter((t) => t !== mine)]);
}

export const rename = (id: string, title: string) => write(read().map((t) => (t.id === id ? { ...t, title } : t)));
export const remove = (id: string) => write(read().filter((t) => t.id !== id));
// Whether every word of a text is in the name of a thread or in one of its questions.
export function says(thread: Thread, text: string): boolean {
  const all = [thread.title, ...(thread.questions ?? [])].join(" ").toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
export const threadOf = (answer: string) => read().find((t) => t.answers.includes(answer));
