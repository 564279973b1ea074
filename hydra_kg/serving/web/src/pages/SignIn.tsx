import { useEffect, useRef } from "preact/hooks";
import { KeyRound } from "lucide-preact";
import { storeKey } from "../api";
import { t } from "../texts";

export function SignIn({ wrong, done }: { wrong: boolean; done: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main class="signin" id="content" tabIndex={-1}>
      <form onSubmit={(e) => { e.preventDefault(); storeKey((new FormData(e.currentTarget).get("key") as string).trim()); done(); }}>
        <KeyRound size={28} aria-hidden="true" />
        <h1>{t.signIn}</h1>
        <p class="quiet">{t.signInLead}</p>
        <label for="key">{t.key}</label>
        <input id="key" name="key" type="password" autocomplete="current-password" required ref={field} aria-describedby={wrong ? "wrong" : undefined} />
        {wrong && <p class="note bad" id="wrong" role="alert">{t.wrongKey}</p>}
        <button class="primary" type="submit">{t.signIn}</button>
      </form>
    </main>
  );
}
