/** Writes stored events of another log to a log in a file, exactly as they are. */

import { Effect, type Scope } from "effect"
import { type LogError, LogUnavailable, type OpenError } from "../log/EventLog.ts"
import type { CopySink, StoredKey } from "../maintenance/CopySink.ts"
import { rowsOf } from "../maintenance/StoredRows.ts"
import * as Database from "./file/database.ts"
import { targetOf } from "./file/fileIdentity.ts"
import * as openDatabase from "./file/openDatabase.ts"
import * as keyFile from "./keys/keyFile.ts"
import { readHead } from "./read.ts"
import * as Names from "./stringInterning.ts"
import { write } from "./writeRows.ts"

/** Opens or creates a log's file, to continue it by stored events. */
export const sink = (filename: string): Effect.Effect<CopySink, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* openDatabase.open(filename)
    const database = yield* openDatabase.patiently(Database.open(filename, { readonly: false }))
    const names = Names.make(database)
    const sink: CopySink = {
      head: Database.attemptRead(filename, () => readHead(database)),
      write: (after, page) =>
        Effect.flatMap(
          Database.attempt(
            filename,
            () => readHead(database).hash === after.hash && write(database, names, rowsOf(page)),
          ),
          (isWritten) => (isWritten ? Effect.void : new LogUnavailable({ log: filename, reason: MOVED })),
        ),
      destroyKeys: (ids) => Database.attempt(filename, () => keyFile.destroy(`${targetOf(filename)}.keys`, ids)),
      addKeys: (keys) => Database.attempt(filename, () => keyFile.add(`${targetOf(filename)}.keys`, keys)),
    }
    return sink
  }).pipe(openDatabase.mapDiskFull(filename))

/** The keys of a log in a file. */
export const keysOf = (filename: string): Effect.Effect<ReadonlyArray<StoredKey>, LogError> =>
  Database.attemptRead(filename, () => keyFile.storedIn(`${targetOf(filename)}.keys`))

const MOVED = "another program has appended to it meanwhile"
