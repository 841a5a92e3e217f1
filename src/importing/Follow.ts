/** Imports sessions while they are being written, by polling for files that changed. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { AppendError, EventLog } from "../events/log/EventLog.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as Detection from "./files/Detection.ts"
import * as Listing from "./files/Listing.ts"
import type { FileRefused } from "./files/SourceText.ts"
import { type ImportOptions, importFound, sourcesOf } from "./Import.ts"
import type { ImportReport } from "./ImportReport.ts"
import type { Source } from "./Source.ts"
import { EarlierImports } from "./writing/EarlierImports.ts"

export interface FollowOptions extends Omit<ImportOptions, "dryRun" | "onProgress"> {
  /**
   * Milliseconds between two polls. Default: 1 second. After a poll that took longer, the pause is as long as the poll.
   */
  readonly everyMs?: number
  /** Called with each poll's report: the first one always, later ones if something is new or was refused. */
  readonly onReport: (report: ImportReport) => Effect.Effect<void>
}

const EVERY_MS = 1_000

/**
 * Milliseconds after which an unchanged file with an open or waiting run is imported again: the run may have ended
 * since.
 */
const LOOK_AGAIN_MS = 5 * 60 * 1_000

interface Known {
  /** Identity and change times of the file and its companions. */
  readonly state: string
  /** When to import it again, by the monotonic clock; null if all of its runs have ended. */
  readonly dueAt: number | null
}

/**
 * Imports files and then, until interrupted, everything added to them, and new files in directories. Imports whole
 * lines only. A file of no known format is skipped until it has one. A named path must exist at the first poll; a file
 * that later vanishes or becomes unreadable is reported once and imported when it is readable again.
 */
export const followFiles = (options: FollowOptions): Effect.Effect<never, FileRefused | AppendError, EventLog> =>
  Effect.gen(function* () {
    const { everyMs = EVERY_MS, onReport } = options
    const sources = sourcesOf(options)
    const known = new Map<string, Known>()
    let told: ReadonlySet<string> = new Set()
    let isFirst = true
    const earlier = new EarlierImports()
    while (true) {
      const began = yield* MonotonicClock.now
      const { units, unreadable } = yield* unitsOf(options.paths, sources, isFirst)
      const untold = unreadable.filter(({ file }) => !told.has(file))
      told = new Set(unreadable.map(({ file }) => file))
      const changed = changedOf(units, known, sources, began)
      if (changed.size > 0 || untold.length > 0 || isFirst) {
        const findings = yield* Detection.find(filesIn(changed), sources, true)
        const report = yield* importFound({ ...findings, refused: [...untold, ...findings.refused] }, options, earlier)
        for (const [unit, state] of changed) {
          const isOpen = report.files.some(
            ({ file, parts, counts, waits }) => [file, ...parts].includes(unit) && (waits || counts.open > 0),
          )
          known.set(unit, { state, dueAt: isOpen ? began + LOOK_AGAIN_MS : null })
        }
        if (isFirst || report.added > 0 || report.refused.length > 0) yield* onReport(report)
        isFirst = false
      }
      yield* Effect.sleep(Math.max(everyMs, (yield* MonotonicClock.now) - began))
    }
  })

/** The files, and directories of runs in pieces, to import as one unit each, plus everything unreadable. */
const unitsOf = (paths: ReadonlyArray<string>, sources: ReadonlyArray<Source>, isFirst: boolean) =>
  Effect.gen(function* () {
    const units = new Set<string>()
    const unreadable: Array<FileRefused> = []
    for (const named of paths) {
      const found = Listing.filesOf(named)
      const later = Effect.catchAll(found, (cause) =>
        Effect.succeed({ files: [], links: [], others: [], unreadable: [cause] }),
      )
      const listing = yield* isFirst ? found : later
      unreadable.push(...(listing?.unreadable ?? []))
      for (const file of listing?.files ?? [named]) units.add(isPiece(file, sources) ? path.dirname(file) : file)
    }
    return { units, unreadable }
  })

const isPiece = (file: string, sources: ReadonlyArray<Source>): boolean =>
  sources.some(({ piece }) => piece?.test(path.basename(file)) === true)

/** Changed units with their state, taken before they are read. */
const changedOf = (
  units: ReadonlySet<string>,
  known: ReadonlyMap<string, Known>,
  sources: ReadonlyArray<Source>,
  now: number,
): ReadonlyMap<string, string> => {
  const companions = [...new Set(sources.flatMap((source) => source.companions ?? []))]
  const changed = new Map<string, string>()
  for (const unit of units) {
    const state = stateOf(unit, companions)
    const before = known.get(unit)
    const isDue = before?.dueAt !== undefined && before.dueAt !== null && before.dueAt <= now
    if (before?.state !== state || isDue) changed.set(unit, state)
  }
  return changed
}

const stateOf = (unit: string, companions: ReadonlyArray<string>): string => {
  const pieces = piecesOf(unit)
  const directory = pieces === undefined ? path.dirname(unit) : unit
  const beside = companions.map((name) => identityOf(path.join(directory, name)))
  return [identityOf(unit), pieces?.length ?? "", ...beside].join()
}

/**
 * Identifies the file now at a path. Size and modification time can be set, so they alone do not show a replaced file.
 * An unreadable file has a state too; its import reports why.
 */
const identityOf = (file: string): string => {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat === undefined ? "" : [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(":")
  } catch (cause) {
    return String(cause)
  }
}

const piecesOf = (unit: string): ReadonlyArray<string> | undefined => {
  try {
    return fs.readdirSync(unit)
  } catch {
    return undefined
  }
}

const filesIn = (units: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...units.keys()].flatMap((unit) => piecesOf(unit)?.map((name) => path.join(unit, name)) ?? [unit])
