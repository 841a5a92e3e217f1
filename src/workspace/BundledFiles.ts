/** The recorded contents of a task's files for its bundle: copies them from the log's store into one of the bundle's own. */

import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import { EventLog, type LogError } from "../events/log/EventLog.ts"
import * as AtomicFile from "../platform/AtomicFile.ts"
import { yieldToEventLoop } from "../platform/yieldToEventLoop.ts"
import * as Looks from "./history/Looks.ts"
import * as Purgeable from "./history/Purgeable.ts"
import { ContentStore } from "./store/ContentStore.ts"
import { fileOf, guarded, reading, type StoreUnavailable } from "./store/StoreFile.ts"

/** Options of `copy`. */
export interface CopyOptions {
  readonly taskId: string
  /** The file of the log that recorded the task. */
  readonly log: string
  /** The bundle's file, which need not exist yet. */
  readonly bundle: string
}

/** The copied contents. */
export interface CopiedFiles {
  /** Undefined if the task has no recorded files, or its log no store: then no file was written. */
  readonly file: string | undefined
  readonly contents: number
  /** The contents' own bytes, before compression. */
  readonly bytes: number
  /** Contents and trees that the task names and the store lacks, for example after a purge. */
  readonly missing: number
}

/** Copied contents that are not at the bundle's side yet. */
export interface Copied extends CopiedFiles {
  /** Gives the file its name. Without this, the end of the scope removes it. */
  readonly keep: Effect.Effect<void, StoreUnavailable>
}

/**
 * Copies the contents and trees that a task's snapshots name into a temporary file next to `BUNDLE.files`, which must not
 * exist. `keep` gives it that name.
 */
export const copy = ({
  taskId,
  log,
  bundle,
}: CopyOptions): Effect.Effect<Copied, StoreUnavailable | LogError, EventLog | Scope.Scope> =>
  Effect.gen(function* () {
    const events = yield* EventLog
    const { position } = yield* events.head
    const starts = yield* Looks.starts(events, { until: position, taskId })
    const source = yield* opened(() => (starts.length > 0 ? ContentStore.openReadOnly(fileOf(log)) : undefined))
    if (source === undefined) return NONE
    const looks = yield* Looks.since(events, starts, position)
    const file = fileOf(bundle)
    const partial = AtomicFile.nameFor(file)
    AtomicFile.removeAbandonedFile(file)
    // A file that cannot be removed goes with the next bundle of this name.
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.try(() => removeAll(partial))))
    const copied = yield* Effect.scoped(
      Effect.flatMap(
        opened(() => ContentStore.open(partial)),
        (target) => copyInto(target, source, looks),
      ),
    )
    return { file, ...copied, keep: reading(() => guarded(file, () => AtomicFile.moveNew(partial, file))) }
  })

const NONE: Copied = { file: undefined, contents: 0, bytes: 0, missing: 0, keep: Effect.void }

const opened = <Store extends ContentStore | undefined>(open: () => Store) =>
  Effect.acquireRelease(reading(open), (store) => Effect.sync(() => store?.close()))

const copyInto = (target: ContentStore, source: ContentStore, looks: ReadonlyArray<Looks.Look>) =>
  Effect.gen(function* () {
    const digests = new Set<string>()
    const treesMissing = new Set<string>()
    const add = (found: Iterable<string> | undefined) => {
      for (const digest of found ?? []) digests.add(digest)
    }
    for (const { base, files } of looks) {
      add(Purgeable.namedIn([{ base: undefined, files }], () => undefined))
      if (base === undefined) continue
      const tree = yield* reading(() => source.tree(base))
      if (tree === undefined) treesMissing.add(base)
      else {
        yield* reading(() => target.transaction(() => target.putTree(tree)))
        add(Purgeable.namedIn([{ base, files: [] }], () => tree))
      }
    }
    let [contents, bytes, missing] = [0, 0, treesMissing.size]
    const all = [...digests]
    for (let start = 0; start < all.length; start += CONTENTS_PER_TRANSACTION) {
      const part = all.slice(start, start + CONTENTS_PER_TRANSACTION)
      yield* reading(() =>
        target.transaction(() => {
          for (const digest of part) {
            const content = source.get(digest)
            if (content === undefined) missing++
            else {
              target.put(digest, content)
              contents++
              bytes += content.length
            }
          }
        }),
      )
      yield* yieldToEventLoop
    }
    return { contents, bytes, missing }
  })

const CONTENTS_PER_TRANSACTION = 100

const removeAll = (file: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) fs.rmSync(file + suffix, { force: true })
}
