/**
 * Removes contents from a store while recorders may write. A look first puts contents into the store, and then appends
 * its events to the log. In between, nothing shows that the contents are needed. A purge therefore keeps recorders from
 * writing to the store while it reads the newest events and removes. A look whose events come later then notices the
 * purge, and puts missing contents back (`Snapshots.confirm`).
 */

import { Effect, Exit } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { ContentStore } from "../store/ContentStore.ts"
import { reading, StoreUnavailable } from "../store/StoreFile.ts"
import * as Looks from "./Looks.ts"
import * as Purgeable from "./Purgeable.ts"

export interface Purge {
  readonly digests: ReadonlySet<string>
  /** The position of the last event that the choice takes into account. */
  readonly until: number
  /** Whether the store refuses them from now on. Otherwise, those that later looks name stay. */
  readonly forever: boolean
}

export interface Purged {
  /** The stored bytes of the removed contents, by digest. */
  readonly sizes: ReadonlyMap<string, number>
  /** False if another process reads: old bytes may then stay in the write-ahead log until it ends. */
  readonly isOverwritten: boolean
}

export const purge = (
  log: EventLog.Service,
  store: ContentStore,
  wanted: Purge,
): Effect.Effect<Purged, LogError | StoreUnavailable> =>
  Effect.acquireUseRelease(
    reading(() => store.begin()),
    () => remove(log, store, wanted),
    (_, exit) => Effect.ignore(reading(() => (Exit.isSuccess(exit) ? undefined : store.rollback()))),
  ).pipe(Effect.flatMap((sizes) => reading(() => ({ sizes, isOverwritten: sizes.size === 0 || store.overwrite() }))))

const remove = (log: EventLog.Service, store: ContentStore, { digests, until, forever }: Purge) =>
  Effect.gen(function* () {
    const views = forever ? [] : (yield* Timelines.list(log)).map((timeline) => Timelines.view(log, timeline))
    const later = (yield* Effect.forEach(views, (view) => Looks.after(view, until))).flat()
    return yield* reading(() => {
      const needed = Purgeable.namedIn(later, (base) => store.tree(base))
      if (needed === undefined) throw new StoreUnavailable({ file: store.file, reason: LACKS_A_START })
      const sizes = store.sizesOf([...digests].filter((digest) => !needed.has(digest)))
      if (sizes.size > 0) store.remove([...sizes.keys()], { forever })
      store.commit()
      return sizes
    })
  })

export const LACKS_A_START =
  "it lacks the files at a task's start, so that nobody knows which contents later moments need"
