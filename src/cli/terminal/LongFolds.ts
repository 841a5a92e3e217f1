/** Shows the progress of long folds on the standard error, and how to make such questions quick. */
import { Effect } from "effect"
import type * as FoldWatch from "../../projections/projector/FoldWatch.ts"
import * as ProgressLine from "./ProgressLine.ts"
import { count } from "./Text.ts"

export interface CommandLine {
  readonly path: ReadonlyArray<string>
  readonly json: boolean
}

/**
 * The watch of one command line. Shows nothing with `--json`, or if the standard error is not a terminal. `asTyped`
 * adapts the advice to the user's shell.
 */
export const watch = (
  { json, path }: CommandLine,
  terminal: ProgressLine.Terminal = process.stderr,
  asTyped: (text: string) => string = (text) => text,
): FoldWatch.Watch => {
  let advised = !READERS.has(path[0] ?? "")
  return (fold) => {
    let events = 0
    const counted = ProgressLine.during(
      { verb: "read", unit: "events", json },
      (onProgress) =>
        fold((done, of) => {
          events = done
          return onProgress(done, of)
        }),
      terminal,
    )
    return Effect.tap(counted, () => {
      if (advised || events < SLOW || json || terminal.isTTY !== true) return
      advised = true
      terminal.write(asTyped(`Read ${count(events, "event")}. \`hindcast log snapshot\` makes such questions fast.\n`))
    })
  }
}

/** Commands that open a log read-only, and so store no snapshots themselves. */
const READERS = new Set(["state", "diff", "history", "blame", "bisect", "watch", "align", "step", "task", "audit"])

/** Folds of more events take longer than a second. */
const SLOW = 100_000
