/**
 * Finds earlier imports of a file by their digests. A file of lines that no longer begins with the imported bytes was
 * rotated, cut or changed; the log keeps what it has.
 */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Extent } from "../files/SourceText.ts"

interface Imported {
  readonly bytes: number
  readonly digest: string
}

export class EarlierImports {
  /** Position up to which the log was read. */
  #position = 0
  /** The last import of each task, by source with file name, and by source alone. */
  readonly #files = new Map<string, Map<string, Imported>>()

  /** The last imports of a file by task: of the given task, otherwise of all tasks imported from that file name. */
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

/** Whether a file with runs of an earlier import no longer begins with the imported bytes. */
export const isChanged = (
  earlier: ReadonlyMap<string, Imported>,
  taskIds: ReadonlyArray<string>,
  { digestsAt }: Extent,
): boolean =>
  taskIds.some((taskId) => {
    const before = earlier.get(taskId)
    return before !== undefined && digestsAt?.get(before.bytes) !== before.digest
  })
