/** Opens a log's stores in a thread. */

import { Effect, type Scope } from "effect"
import { type LogError, LogUnavailable } from "../../../log/EventLog.ts"
import type { LogFile } from "../../../log/LogFile.ts"
import * as PersonalDataKeys from "../../../payload/PersonalDataKeys.ts"
import * as Segments from "../../archive/Segments.ts"
import * as Database from "../../file/database.ts"
import { identityOf, targetOf } from "../../file/fileIdentity.ts"
import * as keyFile from "../../keys/keyFile.ts"
import * as SnapshotKey from "../../keys/snapshotKey.ts"
import type { Stores } from "../checks/Check.ts"

/** Read-only, until the scope closes. Fails if another file has taken the log's place. */
export const openStores = ({
  filename,
  identity,
  personal,
}: LogFile): Effect.Effect<Stores, LogError | Database.StatementError, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* Database.open(filename, { readonly: true })
    if (identityOf(filename) !== identity)
      return yield* new LogUnavailable({ log: filename, reason: "another file has taken its place" })
    const segments = yield* Segments.make(database)
    const keys = personal
      ? yield* keyFile.open(`${targetOf(filename)}.keys`, { readonly: true })
      : PersonalDataKeys.memory()
    return { database, segments, keys, ownKey: SnapshotKey.inFile(filename) }
  })
