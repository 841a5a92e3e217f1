/** Writes stored events of another log to a log on PostgreSQL, exactly as they are. */

import { Effect, Either, type Scope } from "effect"
import { type LogError, LogUnavailable, type OpenError } from "../log/EventLog.ts"
import * as ServerUrl from "../log/ServerUrl.ts"
import type { CopySink, StoredKey } from "../maintenance/CopySink.ts"
import { rowsOf } from "../maintenance/StoredRows.ts"
import { addKeys, destroyKeys, storedKeys } from "./keys.ts"
import { EMPTY, readHead } from "./read.ts"
import { insert } from "./rows.ts"
import * as Address from "./server/address.ts"
import { attempt, attemptRead, make } from "./server/connection.ts"
import * as Driver from "./server/driver.ts"
import * as install from "./server/install.ts"

/** Opens or creates the log at a URL, to continue it by stored events. */
export const sink = (url: string): Effect.Effect<CopySink, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* opened(url)
    const { address } = database
    yield* attemptRead(address, () => install.findOrCreate(database))
    return {
      head: attemptRead(address, () => readHead(database)),
      write: (after, page) =>
        Effect.flatMap(
          attempt(address, () => insert(database.writeOnce, after.position === 0 ? EMPTY : after, rowsOf(page), true)),
          ({ placed }) => (placed ? Effect.void : new LogUnavailable({ log: address.name, reason: MOVED })),
        ),
      destroyKeys: (ids) => attempt(address, () => destroyKeys(database, ids)),
      addKeys: (keys) => attempt(address, () => addKeys(database, keys)),
    }
  })

const opened = (url: string) =>
  Effect.gen(function* () {
    const parsed = Address.parse(url)
    if (Either.isLeft(parsed)) return yield* new LogUnavailable({ log: ServerUrl.shown(url), reason: parsed.left })
    return yield* make(parsed.right, yield* Driver.load(parsed.right.name))
  })

/** The keys of a log at a URL. */
export const keysOf = (url: string): Effect.Effect<ReadonlyArray<StoredKey>, LogError> =>
  Effect.scoped(Effect.flatMap(opened(url), (database) => attemptRead(database.address, () => storedKeys(database))))

const MOVED = "another program has appended to it meanwhile"
