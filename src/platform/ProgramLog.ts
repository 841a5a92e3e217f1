/**
 * What Hindcast says on the log of the program that it runs in: trouble that cannot be recorded, or cannot be answered to
 * anybody. Others wrote parts of it, so that all of it is shown as `PlainText` has it. Nothing else in Hindcast logs.
 */
import { Cause, Effect } from "effect"
import { visible, visibleLines } from "../values/PlainText.ts"

/** Says what went wrong, with its cause where there is one, and goes on. */
export const warning = (what: string, why?: unknown): Effect.Effect<void> => Effect.logWarning(line(what, why))

/**
 * Says what was lost.
 *
 * @param about what it was about: is shown as JSON
 */
export const error = (what: string, why?: unknown, about?: unknown): Effect.Effect<void> =>
  Effect.logError(line(what, why, about))

const line = (what: string, why: unknown, about?: unknown): string =>
  [
    visible(what),
    ...(about === undefined ? [] : [visible(JSON.stringify(about) ?? "")]),
    ...(why === undefined ? [] : [visibleLines(reasonOf(why))]),
  ].join("\n")

const reasonOf = (why: unknown): string => {
  if (Cause.isCause(why)) return Cause.pretty(why)
  return why instanceof Error ? why.message : String(why)
}
