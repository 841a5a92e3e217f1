/** Lists the files of a directory that may hold runs, in the order of writing. */

import type { Dirent } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import { unpackedName } from "./FileText.ts"
import { FileRefused, unreadable } from "./SourceText.ts"

/**
 * File names that may hold runs, including rotated ones (`.1`; Python's `.2026-01-31`, `.2026-01-31_10-30`; logrotate's
 * `-20260131`) and packed ones. All others are skipped.
 */
const MAY_HOLD_RUNS =
  /\.(?:jsonl|json|eval|traj|ndjson|note)(?:\.\d{1,7}|[.-](?:\d{8}|\d{4}-)[\d_-]*)?(?:\.(?:gz|zst))?$/i

/** Skipped directories: many files, no runs. */
const PASSED_OVER = new Set(["node_modules", ".git"])

const NO_FILE = { expected: "a file or a directory", found: "a pipe, socket or device; write its content to a file" }

export interface Listing {
  readonly files: ReadonlyArray<string>
  /** Symbolic links to such files and to directories. */
  readonly links: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
  readonly unreadable: ReadonlyArray<FileRefused>
}

export const NO_FILES: Listing = { files: [], links: [], others: [], unreadable: [] }

/** Lists a directory; undefined for a file. */
export const filesOf = (named: string): Effect.Effect<Listing | undefined, FileRefused> =>
  Effect.gen(function* () {
    const stat = yield* Effect.tryPromise({ try: () => fs.stat(named), catch: unreadable(named) })
    if (stat.isDirectory()) return yield* filesIn(named)
    // A pipe can be read only once, and opening it blocks.
    return stat.isFile() ? undefined : yield* new FileRefused({ file: named, ...NO_FILE })
  })

const filesIn = (directory: string): Effect.Effect<Listing> =>
  Effect.gen(function* () {
    const entries: Array<Dirent> = yield* Effect.tryPromise({
      try: () => fs.readdir(directory, { withFileTypes: true }),
      catch: unreadable(directory),
    })
    const [files, links, others]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
    const failed: Array<FileRefused> = []
    for (const entry of entries.sort((a, b) => inOrder(a.name, b.name))) {
      const inner = path.join(directory, entry.name)
      if (PASSED_OVER.has(entry.name)) continue
      if (entry.isDirectory()) {
        const listing = yield* filesIn(inner)
        files.push(...listing.files)
        links.push(...listing.links)
        others.push(...listing.others)
        failed.push(...listing.unreadable)
      } else if (MAY_HOLD_RUNS.test(entry.name)) {
        if (entry.isFile()) files.push(inner)
        if (entry.isSymbolicLink()) links.push(inner)
      } else if (entry.isSymbolicLink() && (yield* Effect.promise(() => isDirectory(inner)))) links.push(inner)
      else if (entry.isFile()) others.push(path.extname(entry.name).toLowerCase() || "no ending")
    }
    return { files, links, others, unreadable: failed }
  }).pipe(Effect.catchAll((cause) => Effect.succeed({ ...NO_FILES, unreadable: [cause] })))

/** Whether a link leads to a directory; false for a broken link. */
const isDirectory = (link: string): Promise<boolean> =>
  fs.stat(link).then(
    (stat) => stat.isDirectory(),
    () => false,
  )

/** By name; rotated files oldest first: descending numbers, or ascending dates, then the current file. */
const inOrder = (a: string, b: string): number => {
  const [one, other] = [rotationOf(a), rotationOf(b)]
  return (
    compared(one.base, other.base) ||
    other.age - one.age ||
    compared(one.date ?? LAST, other.date ?? LAST) ||
    compared(a, b)
  )
}

/** Sorts after every date. */
const LAST = "9999999"

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** A file's name before rotation, and its rotation number or date. */
const rotationOf = (name: string): { readonly base: string; readonly age: number; readonly date?: string } => {
  const own = unpackedName(name)
  const [rotated, date] = MAY_HOLD_RUNS.test(name) ? (ROTATION.exec(own) ?? []) : []
  if (rotated === undefined) return { base: own, age: 0 }
  const base = own.slice(0, -rotated.length)
  return date === undefined
    ? { base, age: Number(rotated.slice(1)) }
    : { base, age: 0, date: date.replaceAll(/\D/g, "") }
}

const ROTATION = /(?:\.\d{1,7}|[.-]((?:\d{8}|\d{4}-)[\d_-]*))$/
