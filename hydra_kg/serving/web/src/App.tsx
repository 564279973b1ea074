import { Component, lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { get, storedKey, whenKeyIsMissing } from "./api";
import { Compare } from "./pages/Compare";
import { Curation } from "./pages/Curation";
import { Disagreements } from "./pages/Disagreements";
import { Entity } from "./pages/Entity";
import { Home } from "./pages/Home";
import { SignIn } from "./pages/SignIn";
import { Sources } from "./pages/Sources";
import { Thread } from "./pages/Thread";
import { Shell } from "./parts/Shell";
import { SessionContext } from "./parts/session";
import { Loading } from "./parts/small";
import { useRoute, type Route } from "./router";
import { t } from "./texts";
import type { Session } from "./types";

const Explore = lazy(() => import("./pages/Explore").then((m) => m.Explore));

const THREAD = ["a", "ask"];  // one page, which keeps its answers while its address changes

export function App() {
  const route = useRoute();
  const [session, change] = useState<Session | null>(null);
  const [locked, lock] = useState(false);
  const [turn, again] = useState(0);
  useEffect(() => {
    whenKeyIsMissing(() => lock(true));
    get<Session>("/v1/session").then((found) => { change(found); lock(false); }).catch(() => {});
  }, [turn]);
  useEffect(() => {
    const content = document.getElementById("content");
    if (!content?.contains(document.activeElement)) content?.focus({ preventScroll: true }); // a box may have it already
  }, [route.page, route.id]);
  if (locked) return <SignIn wrong={Boolean(storedKey())} done={() => { lock(false); again(turn + 1); }} />;
  return (
    <SessionContext.Provider value={session}><Shell session={session} route={route}>
      <Guarded key={THREAD.includes(route.page) ? "thread" : location.hash} place={location.hash}>
        <Suspense fallback={<Loading />}><Page route={route} session={session} /></Suspense>
      </Guarded>
    </Shell></SessionContext.Provider>
  );
}

function Page({ route, session }: { route: Route; session: Session | null }) {
  switch (route.page) {
    case "a": case "ask": return <Thread id={route.page === "a" ? route.id : ""} ask={route.params} />;
    case "e": return <Entity id={route.id} />;
    case "explore": return <Explore id={route.id} params={route.params} />;
    case "sources": return <Sources session={session} />;
    case "disagreements": return <Disagreements params={route.params} />;
    case "compare": return <Compare params={route.params} session={session} />;
    case "curation": return <Curation />;
    default: return <Home />;
  }
}

class Guarded extends Component<{ children: ComponentChildren; place: string }, { error: string }> {
  state = { error: "" };
  componentDidUpdate(before: { place: string }) { if (before.place !== this.props.place) this.setState({ error: "" }); }
  static getDerivedStateFromError(error: Error) { return { error: error.message }; }
  render() {
    if (!this.state.error) return this.props.children;
    return <div class="page narrow"><h1>{t.failed}</h1><p>{this.state.error}</p></div>;
  }
}
