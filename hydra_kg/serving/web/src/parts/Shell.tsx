import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Bookmark, Columns2, Compass, Database, Download, Languages, Menu, Moon, Pencil, Plus, Scale, Search, Trash2, X } from "lucide-preact";
import { storedKey, storeKey } from "../api";
import { remove, rename, says, useThreads, type Thread } from "../history";
import { link, type Route } from "../router";
import { switchLanguage, t } from "../texts";
import type { Session } from "../types";
import { save } from "./small";

export function Shell({ session, route, children }: { session: Session | null; route: Route; children: ComponentChildren }) {
  const [open, show] = useState(false);
  useEffect(() => show(false), [route.page, route.id]);
  useEffect(() => {
    const key = (event: KeyboardEvent) => { if (event.key === "Escape") show(false); };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  const pages = [
    ["explore", t.explore, Compass], ["sources", t.sources, Database], ["disagreements", t.disagreements, Scale],
    ["compare", t.compare, Columns2], ["curation", t.curation, Bookmark],
  ] as const;
  return (
    <div class={`shell ${open ? "open" : ""}`}>
      <a class="skip" href="#content" onClick={(e) => { e.preventDefault(); document.getElementById("content")?.focus(); }}>{t.skip}</a>
      <header class="top">
        <button class="icon" aria-label={open ? t.close : t.menu} aria-expanded={open} aria-controls="side" onClick={() => show(!open)}>{open ? <X size={20} /> : <Menu size={20} />}</button>
        <a class="brand" href="#/"><Mark />hydra-kg</a>
      </header>
      {open && <div class="veil" onClick={() => show(false)} />}
      <nav id="side" class="side" aria-label={t.menu}>
        <a class="brand" href="#/"><Mark />hydra-kg</a>
        <a class="new" href="#/" onClick={() => { show(false); scrollTo(0, 0); document.querySelector<HTMLInputElement>(".hero input")?.focus(); }}><Plus size={17} aria-hidden="true" />{t.newQuestion}</a>
        <ul class="pages">
          {pages.map(([page, name, Icon]) => (
            <li key={page}><a href={link(page)} aria-current={route.page === page ? "page" : undefined}><Icon size={17} aria-hidden="true" />{name}</a></li>
          ))}
        </ul>
        <History route={route} />
        <footer class="foot">
          {session?.keys && <p class="quiet">{t.role} {session.name} · {session.scopes.includes("admin") ? t.roleAdmin : t.roleAsk}</p>}
          <div class="row">
            <button class="plain" onClick={switchTheme}><Moon size={15} aria-hidden="true" />{t.theme}</button>
            <button class="plain" onClick={switchLanguage}><Languages size={15} aria-hidden="true" />{t.language}</button>
            {storedKey() && <button class="plain" onClick={() => { storeKey(""); location.reload(); }}>{t.signOut}</button>}
          </div>
        </footer>
      </nav>
      <main id="content" tabIndex={-1}>{children}</main>
    </div>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="9" class="tile" /><g stroke="#fff" stroke-width="2.4" fill="none"><path d="M16 22V10M16 22L8 12M16 22l8-10" /></g>
      <g fill="#fff"><circle cx="16" cy="23" r="3.4" /><circle cx="16" cy="8.5" r="2.6" /><circle cx="7.5" cy="11" r="2.6" /><circle cx="24.5" cy="11" r="2.6" /></g>
    </svg>
  );
}

function History({ route }: { route: Route }) {
  const threads = useThreads();
  const [text, search] = useState("");
  const [editing, edit] = useState("");
  const found = useMemo(() => threads.filter((one) => says(one, text)), [threads, text]);
  const here = (one: Thread) => route.page === "a" && one.answers.includes(route.id);
  return (
    <section class="history" aria-label={t.history}>
      <h2>{t.history}</h2>
      {threads.length > 4 && (
        <label class="search"><Search size={15} aria-hidden="true" /><span class="sr">{t.searchHistory}</span>
          <input type="search" value={text} placeholder={t.searchHistory} onInput={(e) => search(e.currentTarget.value)} />
        </label>
      )}
      {!found.length && <p class="quiet" role="status">{threads.length ? t.noneFound : t.noHistory}</p>}
      <ul>
        {found.slice(0, 60).map((one) => (
          <li key={one.id} class={here(one) ? "here" : ""}>
            {editing === one.id ? (
              <form onSubmit={(e) => { e.preventDefault(); rename(one.id, new FormData(e.currentTarget).get("title") as string || one.title); edit(""); }}>
                <input name="title" aria-label={t.rename} defaultValue={one.title} autoFocus onBlur={() => edit("")} onKeyDown={(e) => e.key === "Escape" && edit("")} />
              </form>
            ) : (
              <>
                <a translate={false} href={link("a", one.answers.at(-1))} aria-current={here(one) ? "page" : undefined} title={one.title}>{one.title}</a>
                <button class="icon" aria-label={`${t.rename}: ${one.title}`} onClick={() => edit(one.id)}><Pencil size={14} /></button>
                <button class="icon" aria-label={`${t.remove}: ${one.title}`} title={t.removeHint} onClick={() => remove(one.id)}><Trash2 size={14} /></button>
              </>
            )}
          </li>
        ))}
      </ul>
      {threads.length > 0 && (
        <button class="plain" onClick={() => save("questions.json", "application/json", JSON.stringify(threads, null, 2))}><Download size={15} aria-hidden="true" />{t.exportAll}</button>
      )}
    </section>
  );
}

const THEME = "hydra.theme";
export function applyTheme() {
  const chosen = localStorage.getItem(THEME);
  if (chosen) document.documentElement.dataset.theme = chosen;
}
export const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function switchTheme() {
  localStorage.setItem(THEME, isDark() ? "light" : "dark");
  applyTheme();
  dispatchEvent(new Event("themechange"));
}
applyTheme();
