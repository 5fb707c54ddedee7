// Formats numbers for readers: four digits, and a unit.
import { format } from "d3-format";

const digits = (value: number): string => {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1000) return format(",.0f")(value);
  if (size >= 100) return format(".1f")(value);
  if (size >= 10) return format(".2f")(value);
  return format(".3f")(value);
};
/** Removes trailing zeros after the decimal point. */
const trim = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

export interface Unit { name: string; factor: number }
const time_units: Unit[] = [
  { name: "s", factor: 1 }, { name: "ms", factor: 1e3 }, { name: "us", factor: 1e6 }, { name: "ns", factor: 1e9 }];

/** Returns the largest unit in which the duration is at least 1; ns for shorter durations. */
export function time_unit(seconds: number): Unit {
  const size = Math.abs(seconds);
  return time_units.find((unit) => size * unit.factor >= 1 - 1e-9) ?? time_units[3];
}

export function time_text(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const unit = time_unit(seconds);
  return `${trim(digits(seconds * unit.factor))} ${unit.name}`;
}

export function bytes_text(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let i = 0;
  while (value >= 1024 && i + 1 < units.length) { value /= 1024; ++i; }
  return `${trim(i === 0 ? format(",.0f")(value) : digits(value))} ${units[i]}`;
}

export function rate_text(bytes_per_s: number): string {
  const units = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
  let value = bytes_per_s;
  let i = 0;
  while (value >= 1000 && i + 1 < units.length) { value /= 1000; ++i; }
  return `${trim(digits(value))} ${units[i]}`;
}

export const percent_text = (share: number): string => {
  const value = 100 * share;
  return `${Math.abs(value) >= 10 || value === 0 ? format(".0f")(value) : trim(format(".1f")(value))} %`;
};

export const factor_text = (factor: number): string => trim(digits(factor));
/** Formats times as long as the limit, such as "1.08", as the tables of the program do. */
export const limit_text = (factor: number): string => format(factor < 9.995 ? ".2f" : factor < 99.95 ? ".1f" : ",.0f")(factor);
export const count_text = (count: number): string => format(",")(count);
export const plural = (count: number, one: string, many = one + "s"): string =>
  `${count_text(count)} ${count === 1 ? one : many}`;
