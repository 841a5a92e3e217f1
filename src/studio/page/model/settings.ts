/** The reader's settings for all logs, stored by the browser. */
import { type Signal, signal } from "@preact/signals"

/** The browser's storage; null in a frame without an origin, or where the reader forbids storage. */
const storage = ((): Storage | null => {
  try {
    return localStorage
  } catch {
    return null
  }
})()

const kept = (name: string, initial: boolean): Signal<boolean> => {
  const stored = storage?.getItem(`hindcast-studio-${name}`) ?? null
  return signal(stored === null ? initial : stored === "true")
}

const keep = (name: string, setting: Signal<boolean>, value: boolean): void => {
  setting.value = value
  storage?.setItem(`hindcast-studio-${name}`, String(value))
}

const foldIdle = kept("fold-idle", true)
const singleKeys = kept("single-keys", true)
const raw = kept("raw", false)
const foldCalls = kept("fold-calls", true)

/** Widths of columns in CSS pixels, by `conversation` or `debugger` and the side; 0 for the usual one. */
const widths = new Map<string, Signal<number>>()

const widthOf = (name: string): Signal<number> => {
  const known = widths.get(name)
  if (known !== undefined) return known
  const stored = Number(storage?.getItem(`hindcast-studio-width-${name}`) ?? 0)
  const width = signal(Number.isFinite(stored) && stored > 0 ? stored : 0)
  widths.set(name, width)
  return width
}

export const settings = {
  widthOf,
  setWidth: (name: string, value: number): void => {
    widthOf(name).value = value
    storage?.setItem(`hindcast-studio-width-${name}`, String(value))
  },
  foldIdle,
  setFoldIdle: (value: boolean): void => keep("fold-idle", foldIdle, value),
  /** Whether the list of events shows a call as one row. */
  foldCalls,
  setFoldCalls: (value: boolean): void => keep("fold-calls", foldCalls, value),
  /** Whether single keys are commands (WCAG 2.2, 2.1.4). */
  singleKeys,
  /** Whether the conversation shows texts as they are, and not as Markdown and tables. */
  raw,
  setRaw: (value: boolean): void => keep("raw", raw, value),
  setSingleKeys: (value: boolean): void => keep("single-keys", singleKeys, value),
}
