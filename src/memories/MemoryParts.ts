/** The two parts of a log's memories: those without personal data, in a file, and those with it, in memory. */

import { Data, Effect, type Scope } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import { targetOf } from "../events/sqlite/file/fileIdentity.ts"
import { isBusy, isDamaged, isPassing } from "../search/IndexDatabase.ts"
import * as OpenIndex from "../search/OpenIndex.ts"
import * as MemoryBuilding from "./MemoryBuilding.ts"
import { MemoryIndex } from "./MemoryIndex.ts"
import { MemoryVectors } from "./MemoryVectors.ts"
import type { MemoryPart } from "./Recalling.ts"

/** The index of the memories cannot be used now. The memories are safe: they are in the log. */
export class MemoriesUnavailable extends Data.TaggedError("MemoriesUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `The index of the memories, ${this.file}, cannot be used: ${this.reason}. The memories themselves are in the log: try again, or remove the file and run \`hindcast memory rebuild\`.`
  }
}

export interface MemoryParts {
  /** The parts that have memories, up to the head. */
  readonly built: Effect.Effect<ReadonlyArray<MemoryPart>, MemoriesUnavailable | LogError>
  /** Empties both parts, so that the next use builds them from the log's beginning. */
  readonly clear: Effect.Effect<void>
}

/** Opens the parts at their first use. */
export const open = (log: EventLog.Service): Effect.Effect<MemoryParts, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = log.file === undefined ? undefined : fileOf(log.file.filename)
    const partOf = (place: OpenIndex.IndexPlace<MemoryIndex>) =>
      Effect.map(OpenIndex.make(log, place), (index) => ({ index, vectors: new MemoryVectors(index) }))
    const shared = yield* partOf(file === undefined ? IN_PROCESS : placeOf(file))
    const ofSubjects = yield* partOf(IN_PROCESS)
    const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)

    const build = ({ index }: MemoryPart, name: MemoryBuilding.Part) =>
      Effect.gen(function* () {
        // Half an index would pass over memories in silence.
        if (yield* MemoryBuilding.run(log, index, name)) return
        const reason = index.problem() ?? "another process holds it"
        return yield* new MemoriesUnavailable({ file: file ?? log.name, reason })
      })

    return {
      built: oneAtATime(
        Effect.gen(function* () {
          yield* build(shared, "shared")
          if ((yield* shared.index.use((of) => of.hasPersonal)) !== true) return [shared]
          yield* build(ofSubjects, "personal")
          return [shared, ofSubjects]
        }),
      ),
      clear: oneAtATime(
        Effect.forEach([shared, ofSubjects], ({ index }) => index.use((of) => of.clear()), { discard: true }),
      ),
    }
  })

/** The file of a log's memories, next to it. */
export const fileOf = (log: string): string => `${targetOf(log)}.memories`

const IN_PROCESS: OpenIndex.IndexPlace<MemoryIndex> = {
  open: () => MemoryIndex.inMemory(),
  fileOf: () => "",
  replace: () => MemoryIndex.inMemory(),
}

/** In a directory where nothing can be written, the index is in memory. */
const placeOf = (file: string): OpenIndex.IndexPlace<MemoryIndex> => ({
  open: () => {
    try {
      return MemoryIndex.open(file)
    } catch (cause) {
      if (isBusy(cause) || isDamaged(cause) || !isReadOnly(cause)) throw cause
      return MemoryIndex.inMemory()
    }
  },
  fileOf: () => file,
  replace: () => MemoryIndex.replace(file),
  mayPass: isPassing,
})

const isReadOnly = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  /^(?:EACCES|EROFS|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(String(cause.code))
