/** The course of a task in a few characters. */

import { CODES, type Kind } from "../wire/Kind.ts"

/** Maximum length of a strip in characters. */
export const LONGEST_STRIP = 80

/** Kinds from the most telling to the least. */
const TELLING: ReadonlyArray<Kind> = [
  ...(["punishment", "approval", "reward", "command", "decision", "world", "message", "model"] as const),
  ...(["reading", "task", "plugin", "other"] as const),
]

const rankByCode: ReadonlyMap<string, number> = new Map(TELLING.map((kind, rank) => [CODES[kind], rank]))

/** Failures rank first. */
const rankOf = (code: string): number => {
  const rank = rankByCode.get(code.toLowerCase()) ?? TELLING.length
  return code === code.toLowerCase() ? rank : rank - TELLING.length
}

/**
 * Shortens a course (one character for each event, `Kind.CODES`) to at most 80 characters, each the most telling of its
 * part.
 */
export const of = (course: string): string => {
  const length = Math.min(course.length, LONGEST_STRIP)
  let strip = ""
  for (let part = 0; part < length; part++) {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * course.length) / length))
    let best = course[from ?? 0] ?? ""
    for (const code of course.slice(from, to)) if (rankOf(code) < rankOf(best)) best = code
    strip += best
  }
  return strip
}
