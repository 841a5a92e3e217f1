/**
 * What was imported of a file before, by its digest then: a file of lines that does not begin with it any more was rotated, cut off or
 * changed in its past, of which the log keeps what it has.
 */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Extent } from "../files/SourceText.ts"

/** The beginning of a file as it was imported. */
interface Imported {
  readonly bytes: number
  readonly digest: string
}

export class EarlierImports {
  /** How far the log was read. */
  #position = 0
  /** The last import of each task, by the source and the name of its file, and by the source alone. */
  readonly #files = new Map<string, Map<string, Imported>>()

  /** The last imports of a file, by the tasks that they named: those of its name, or of the task that it is of. */
  of(log: EventLog.Service, source: string, name: string, taskId: string | undefined) {
    return Effect.map(this.#read(log), (): ReadonlyMap<string, Imported> => {
      const own = taskId === undefined ? undefined : this.#files.get(source)?.get(taskId)
      if (taskId !== undefined) return new Map(own === undefined ? [] : [[taskId, own]])
      return this.#files.get(keyOf(source, name)) ?? new Map()
    })
  }

  #read(log: EventLog.Service): Effect.Effect<void, LogError> {
    return log.read({ types: ["FileImported"], after: this.#position }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          this.#position = event.position
          if (!is(event, "FileImported")) return
          const { source, name, bytes, digest, taskIds } = event.payload
          for (const key of [source, keyOf(source, name)])
            for (const taskId of taskIds) {
              const known = this.#files.get(key) ?? new Map<string, Imported>()
              this.#files.set(key, known)
              known.set(taskId, { bytes, digest })
            }
        }),
      ),
    )
  }
}

const keyOf = (source: string, name: string): string => `${source} ${name}`

/** Whether a file that has runs of an earlier import does not begin with what was imported of it. */
export const isChanged = (
  earlier: ReadonlyMap<string, Imported>,
  taskIds: ReadonlyArray<string>,
  { digestsAt }: Extent,
): boolean =>
  taskIds.some((taskId) => {
    const before = earlier.get(taskId)
    return before !== undefined && digestsAt?.get(before.bytes) !== before.digest
  })
