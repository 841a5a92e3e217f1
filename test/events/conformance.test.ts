import * as path from "node:path"
import { Effect } from "effect"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Vocabulary } from "../../src/events/vocabulary/Vocabulary.ts"
import { suite } from "../../src/testing.ts"
import { temporaryDirectory, temporaryLog } from "../temporary.ts"

/** The same file, opened anew. */
const reopen = Effect.map(
  temporaryDirectory,
  (directory) => (vocabulary: Vocabulary) =>
    SqliteEventLog.layer({ filename: path.join(directory, "log.db"), vocabulary }),
)

suite("SQLite file", temporaryLog(), { reopen })
suite("SQLite in memory", SqliteEventLog.layer({ filename: ":memory:" }))
