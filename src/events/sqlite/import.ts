/** Imports a log from stored events. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Stream } from "effect"
import * as Options from "../../values/Options.ts"
import * as Chain from "../integrity/Chain.ts"
import type { OpenError } from "../log/EventLog.ts"
import { ImportOptions, NotImported } from "../maintenance/Import.ts"
import { flawOf, rowsOf } from "../maintenance/StoredRows.ts"
import type { Head } from "../vocabulary/Event.ts"
import * as createLog from "./file/createLog.ts"
import { attempt, type StatementError } from "./file/database.ts"
import * as Names from "./stringInterning.ts"
import { write } from "./writeRows.ts"

/** See `importEvents` of `wholeFile`. */
export const importEvents = <E, R>(
  options: ImportOptions<E, R>,
): Effect.Effect<Head, E | Options.InvalidOptions | NotImported | OpenError | StatementError, R> =>
  Effect.gen(function* () {
    const { filename, events } = yield* Options.decode("importEvents", ImportOptions<E, R>(), options)
    const refuse = (line: number | null, reason: string) => new NotImported({ log: filename, line, reason })
    const existing = createLog.exists(filename)
    if (existing !== undefined) return yield* refuse(null, `expected no log there yet, found ${existing}`)
    if (!fs.existsSync(path.dirname(filename)))
      return yield* refuse(null, `there is no directory ${path.dirname(filename)}`)
    return yield* createLog.createAtomically(filename, (database) =>
      Effect.gen(function* () {
        const names = Names.make(database)
        let head: Head = { position: 0, hash: Chain.GENESIS }
        yield* Stream.runForEach(events, (page) =>
          Effect.gen(function* () {
            for (const event of page) {
              const flaw = flawOf(head, event)
              if (flaw !== undefined) return yield* refuse(head.position + 1, flaw)
              head = { position: head.position + 1, hash: event.hash }
            }
            if (page.length === 0) return
            const isWritten = yield* attempt(filename, () => write(database, names, rowsOf(page))).pipe(
              // Valid hashes do not guarantee valid rows: two events may share an id, or a version in a stream.
              Effect.catchTag("LogCorrupt", ({ reason }) => refuse(null, `up to @${head.position}, ${reason}`)),
            )
            if (!isWritten)
              return yield* refuse(null, `up to @${head.position}, another program changed the new log's file`)
          }),
        )
        return head
      }),
    )
  })
