/** Imports sessions while they are written: again and again, only the files that changed. */

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

/** What to follow, and how. */
export interface FollowOptions extends Omit<ImportOptions, "dryRun" | "onProgress"> {
  /** How long to wait between two looks at the files, in milliseconds. Default: 1 second. A look that took longer is followed by as long a wait. */
  readonly everyMs?: number
  /** Is told what each look imported: the first one in any case, later ones if something is new or was refused. */
  readonly onReport: (report: ImportReport) => Effect.Effect<void>
}

const EVERY_MS = 1_000

/** How long after its import a file with a run that is open, or waits to be imported, is looked at again though it did not change: it may have ended since. */
const LOOK_AGAIN_MS = 5 * 60 * 1_000

/** A file, or the directory of a run in pieces, as it was when it was last imported. */
interface Known {
  /** Which files it and the small files that belong to it are, and when they were last changed. */
  readonly state: string
  /** When it is looked at again, by the monotonic clock; null if all of its runs are imported and have ended. */
  readonly dueAt: number | null
}

/**
 * Imports files and then, until it is interrupted, what is added to them, and new files of directories. Whole lines only
 * are imported; what was imported is in the log, whenever this is stopped. A path that is of no format is passed over:
 * it may be of one when more of it is written. A named path has to be there at the first look; what vanishes or cannot
 * be read later is reported once, and imported when it can be read again.
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
            ({ file, parts, runs, waits }) =>
              [file, ...parts].includes(unit) && (waits || runs.some(({ ended }) => !ended)),
          )
          known.set(unit, { state, dueAt: isOpen ? began + LOOK_AGAIN_MS : null })
        }
        if (isFirst || report.added > 0 || report.refused.length > 0) yield* onReport(report)
        isFirst = false
      }
      yield* Effect.sleep(Math.max(everyMs, (yield* MonotonicClock.now) - began))
    }
  })

/** What is imported as one: files, and directories of runs in pieces. And what cannot be looked at. */
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

/** The units that are not as they were, with their state now. The state is taken before they are read. */
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
 * Which file is at a place, as it is now: one that took another's place is not told by its size and time, which may have
 * been set. What cannot be looked at has a state too: its import says why it is refused.
 */
const identityOf = (file: string): string => {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat === undefined ? "" : [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(":")
  } catch (cause) {
    return String(cause)
  }
}

/** The names of the files in a directory; undefined of what is none, or is one no more. */
const piecesOf = (unit: string): ReadonlyArray<string> | undefined => {
  try {
    return fs.readdirSync(unit)
  } catch {
    return undefined
  }
}

/** The files of units: those of a directory are its pieces. */
const filesIn = (units: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...units.keys()].flatMap((unit) => piecesOf(unit)?.map((name) => path.join(unit, name)) ?? [unit])
