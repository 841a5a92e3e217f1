/** The writers of a log on PostgreSQL. */

import { Effect } from "effect"
import { LogUnavailable } from "../../log/EventLog.ts"
import type { Presence } from "../../log/Presence.ts"
import { newId } from "../../vocabulary/Event.ts"
import { attemptRead, type Database } from "../server/connection.ts"
import type { Session } from "../server/session.ts"
import { announce, COLUMNS, heartbeatIn, judge, WATCH_INTERVAL_MS } from "./heartbeats.ts"

export const make = (database: Database, session: Session, readonly: boolean): Presence.Service => {
  const { address, query } = database
  const attempt = <A>(run: () => Promise<A>) => attemptRead(address, run)

  const look = async (identity: string) => {
    const [row = []] = await query(FIND, [identity])
    const heartbeat = heartbeatIn(row)
    return { beat: heartbeat?.beat, state: heartbeat === undefined ? undefined : judge(heartbeat) }
  }

  const refusal = new LogUnavailable({ log: address.name, reason: "it was opened for reading only" })
  return {
    announce: readonly
      ? Effect.fail(refusal)
      : Effect.suspend(() => {
          const identity = newId()
          return Effect.as(announce(database, session, identity), identity)
        }),
    stateOf: (identity) =>
      Effect.map(
        attempt(() => look(identity)),
        ({ state }) => (state?._tag === "Alive" ? "alive" : state?._tag === "Gone" ? "gone" : "unknown"),
      ),
    watch: (identity, watchMs) =>
      attempt(async () => {
        const began = performance.now()
        const first = await look(identity)
        for (let now = first; ; now = await look(identity)) {
          if (now.state?._tag === "Alive" || (now.beat !== undefined && now.beat !== first.beat)) return "alive"
          if (now.state?._tag === "Gone" || performance.now() - began >= watchMs) return "gone"
          await database.waitToLook(Math.min(WATCH_INTERVAL_MS, watchMs))
        }
      }),
    forget: (identities) =>
      readonly
        ? Effect.fail(refusal)
        : Effect.asVoid(attempt(() => query("DELETE FROM heartbeats WHERE identity = ANY($1::text[])", [identities]))),
  }
}

const FIND = `SELECT ${COLUMNS} FROM heartbeats h WHERE h.identity = $1`
