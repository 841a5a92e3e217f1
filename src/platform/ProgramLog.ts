/**
 * Writes to the embedding program's log: failures that no event can record and no caller receives. It escapes all texts
 * (`PlainText`), since they may come from outside. No other module logs.
 */
import { Cause, Effect } from "effect"
import { visible, visibleLines } from "../values/PlainText.ts"

/** Logs a failure after which the program continues. */
export const warning = (what: string, why?: unknown): Effect.Effect<void> => Effect.logWarning(line(what, why))

/**
 * Logs a loss of data.
 *
 * @param about the subject, shown as JSON
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
