import { Effect } from "effect"
import type { LogError } from "../EventLog.ts"
import type { Connection, StatementError } from "./connection.ts"

/**
 * The interned names of a log, kept in memory: names are only ever added, so what was loaded stays true, and what is
 * missing is loaded when it is first met.
 */
export interface Names {
  /** The text of an id. An id that the file does not know is undefined: the row that holds it is damaged. */
  readonly text: (id: number) => string | undefined
  /** The id of a text; undefined where no event uses it. */
  readonly id: (text: string) => Effect.Effect<number | undefined, LogError>
  /** Loads what was added since, by whichever process. */
  readonly refresh: Effect.Effect<void, LogError>
}

export const make = (connection: Connection): Effect.Effect<Names, LogError> =>
  Effect.gen(function* () {
    const texts = new Map<number, string>()
    const ids = new Map<string, number>()
    let newest = 0

    const refresh = Effect.map(
      readable(connection.rows("SELECT id, text FROM names WHERE id > ? ORDER BY id", [newest])),
      (rows) => {
        for (const [id, text] of rows) {
          texts.set(Number(id), String(text))
          ids.set(String(text), Number(id))
          newest = Number(id)
        }
      },
    )
    const refreshLazily = Effect.suspend(() => refresh)
    yield* refreshLazily
    return {
      text: (id) => texts.get(id),
      id: (text) =>
        Effect.suspend(() => {
          const known = ids.get(text)
          return known === undefined ? Effect.map(refreshLazily, () => ids.get(text)) : Effect.succeed(known)
        }),
      refresh: refreshLazily,
    }
  })

/** Adds the names that the log does not have yet. A name without an event does no harm. */
export const intern = (
  connection: Connection,
  names: Names,
  texts: Iterable<string>,
): Effect.Effect<ReadonlyMap<string, number>, StatementError> =>
  Effect.gen(function* () {
    const interned = new Map<string, number>()
    for (const text of texts) {
      let id = yield* names.id(text)
      if (id === undefined) {
        yield* connection.run("INSERT INTO names (text) VALUES (?) ON CONFLICT (text) DO NOTHING", [text])
        id = yield* names.id(text)
      }
      if (id === undefined) return yield* Effect.dieMessage(`the name ${JSON.stringify(text)} was not stored`)
      interned.set(text, id)
    }
    return interned
  })

/** A read cannot fill a disk. */
export const readable = <A>(effect: Effect.Effect<A, StatementError>): Effect.Effect<A, LogError> =>
  Effect.catchTag(effect, "DiskFull", (error) => Effect.die(error))
