/** Opens a log's file a second time, for a thread. */

import { type Context, Effect, Layer, type Scope } from "effect"
import { type EventLog, type LogError, LogUnavailable } from "../log/EventLog.ts"
import type { LogFile } from "../log/LogFile.ts"
import type { Records } from "../read/Records.ts"
import { identityOf } from "./file/fileIdentity.ts"
import * as SqliteEventLog from "./SqliteEventLog.ts"

/** The log in a file and its records, read-only, until the scope closes. Fails if another file has taken its place. */
export const openFile = ({
  filename,
  identity,
  personal,
}: LogFile): Effect.Effect<Context.Context<EventLog | Records>, LogError, Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* Layer.build(SqliteEventLog.layer({ filename, readonly: true, personal }))
    if (identityOf(filename) !== identity)
      return yield* new LogUnavailable({ log: filename, reason: "another file has taken its place" })
    return opened
  }).pipe(
    Effect.catchTags({
      InvalidOptions: Effect.die,
      LogFormatUnsupported: ({ message }) => new LogUnavailable({ log: filename, reason: message }),
    }),
  )
