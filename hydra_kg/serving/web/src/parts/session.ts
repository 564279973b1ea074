// Who uses the application: what they may do decides what is offered.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../types";

export const SessionContext = createContext<Session | null>(null);
export const useAdmin = () => Boolean(useContext(SessionContext)?.scopes.includes("admin"));
