// Addresses are fragments (#/a/ID): the service never sees them, and a link opens an answer as it was.
import { useEffect, useState } from "preact/hooks";

export interface Route { page: string; id: string; params: URLSearchParams }

export function current(): Route {
  const whole = location.hash.replace(/^#\/?/, ""), mark = whole.indexOf("?");
  const path = mark < 0 ? whole : whole.slice(0, mark), query = mark < 0 ? "" : whole.slice(mark + 1);
  const [page = "", ...rest] = path.split("/");
  return { page, id: decodeURIComponent(rest.join("/")), params: new URLSearchParams(query) };
}

export function useRoute(): Route {
  const [route, change] = useState(current);
  useEffect(() => {
    const moved = () => change(current());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return route;
}

export function link(page: string, id = "", params: Record<string, string> = {}): string {
  const query = new URLSearchParams(params).toString();
  return `#/${page}${id ? `/${encodeURIComponent(id)}` : ""}${query ? `?${query}` : ""}`;
}

export const go = (to: string) => { location.hash = to; };
