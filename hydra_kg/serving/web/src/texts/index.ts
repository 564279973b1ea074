import { de } from "./de";
import { en, type Texts } from "./en";

const KEY = "hydra.language";
const chosen = localStorage.getItem(KEY) ?? (navigator.language.startsWith("de") ? "de" : "en");
export const language = chosen === "de" ? "de" : "en";
export const t: Texts = language === "de" ? de : en;
document.documentElement.lang = language;

export function switchLanguage() {
  localStorage.setItem(KEY, language === "de" ? "en" : "de");
  location.reload();
}

const numbers = new Intl.NumberFormat(language === "de" ? "de-DE" : "en-GB");
const compact = new Intl.NumberFormat(language === "de" ? "de-DE" : "en-GB", { notation: "compact", maximumSignificantDigits: 3 });
const dates = new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
export const number = (n: number) => numbers.format(n);
export function date(text: string | number): string {
  const when = new Date(text);
  return Number.isNaN(when.valueOf()) ? String(text) : dates.format(when);
}
// Numbers and dates of data as people write them.
export const plain = (text: string) => (/^-?\d{5,15}(\.\d+)?$/.test(text) ? number(Number(text)) : text.replace(/(?<![\d-])\d{4}-\d\d-\d\d(?![\d-]|T)/g, date));
// The same for the numbers within a sentence.
export const plainText = (text: string) => plain(text.replace(/(?<![\w.,-])\d{5,15}(?![\w-]|[.,]\d)/g, (n) => number(Number(n))));
export const short = (n: number) => compact.format(n);
export const percent = (share: number) => `${Math.round(share * 100)} %`;
export const words = (key: string) => (/^[a-z0-9_]+(\.[a-z0-9_]+)+$/.test(key) ? key.split(".").pop()! : key).replace(/_/g, " ");
