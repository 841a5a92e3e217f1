/** The writers of a log in an SQLite file: one row each, kept alive by a heartbeat. */

import { Clock, Effect, Schedule } from "effect"
import * as ProcessIdentity from "../../../platform/ProcessIdentity.ts"
import type { LogError } from "../../log/EventLog.ts"
import type { Presence, WriterState } from "../../log/Presence.ts"
import { newId } from "../../vocabulary/Event.ts"
import * as Database from "../file/database.ts"
import * as Heartbeats from "./heartbeats.ts"

/** In milliseconds. */
const LOOK_EVERY_MS = 500

/** The reading part, which a log opened for reading only has too. */
export const reading = (database: Database.LogDatabase): Pick<Presence.Service, "stateOf" | "watch"> => {
  const read = (identity: string) => Database.attemptRead(database.filename, () => Heartbeats.find(database, identity))

  const stateOf = (identity: string): Effect.Effect<WriterState, LogError> => Effect.map(read(identity), stateIn)

  const watch = (identity: string, watchMs: number): Effect.Effect<"alive" | "gone", LogError> =>
    Effect.gen(function* () {
      const first = yield* read(identity)
      const state = stateIn(first)
      if (state !== "unknown") return state
      const startedAt = yield* Clock.currentTimeNanos
      for (;;) {
        yield* Effect.sleep(LOOK_EVERY_MS)
        const now = yield* read(identity)
        // A heartbeat that was missing before counts too: its row had been removed.
        if (now !== undefined && now.beat !== first?.beat) return "alive"
        if (stateIn(now) !== "unknown") return stateIn(now) === "alive" ? "alive" : "gone"
        const watchedMs = Number((yield* Clock.currentTimeNanos) - startedAt) / 1e6
        if (watchedMs >= watchMs) return "gone"
      }
    })

  return { stateOf, watch }
}

/** A writer whose process exists is alive even if silent: it may compute, or be stopped. */
const stateIn = (heartbeat: Heartbeats.Heartbeat | undefined): WriterState => {
  const judged = Heartbeats.judge(heartbeat)
  if (judged._tag === "Alive") return "alive"
  if (judged._tag === "Gone") return "gone"
  return judged.exists ? "alive" : "unknown"
}

/** @param database its own connection */
export const writing = (database: Database.LogDatabase): Pick<Presence.Service, "announce" | "forget"> => ({
  announce: Effect.gen(function* () {
    const identity = newId()
    const place = ProcessIdentity.own()
    const beat = attempt(database, () => Heartbeats.send(database, identity, place))
    // If the row cannot be removed, for example on a full disk, its process will be found gone.
    yield* Effect.acquireRelease(beat, () =>
      Effect.ignore(attempt(database, () => Heartbeats.remove(database, identity))),
    )
    yield* Effect.ignore(beat).pipe(
      Effect.delay(Heartbeats.HEARTBEAT_EVERY_MS),
      Effect.repeat(Schedule.forever),
      Effect.forkScoped,
    )
    return identity
  }),
  forget: (identities) =>
    attempt(database, () => {
      for (const identity of identities) Heartbeats.remove(database, identity)
    }),
})

const attempt = <A>(database: Database.LogDatabase, run: () => A): Effect.Effect<A, LogError> =>
  Effect.catchTag(Database.attempt(database.filename, run), "DiskFull", () => Database.diskFullError(database.filename))
