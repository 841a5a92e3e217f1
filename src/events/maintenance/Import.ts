/** Imports a log from events that were exported exactly as stored. */

import { Data, Predicate, Stream } from "effect"
import * as Options from "../../values/Options.ts"
import { LogFileName } from "../log/LogFileName.ts"
import type { StoredEvent } from "../read/Records.ts"

/** Fix the input or the call: the events are no complete, unchanged log, or the target file exists. */
export class NotImported extends Data.TaggedError("NotImported")<{
  readonly log: string
  /** The event at fault, counted from 1: its line in a file with one event per line. Null if none is. */
  readonly line: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.line === null ? "" : ` line ${this.line}:`
    return `${this.log}:${where} ${this.reason}. Nothing was imported.`
  }
}

/** Options of `importEvents`. */
export interface ImportOptions<E, R> {
  /** The log to create. The file must not exist. */
  readonly filename: string
  /** All events of a log from its first, in order, exactly as stored. */
  readonly events: Stream.Stream<ReadonlyArray<StoredEvent>, E, R>
}

/** Schema of `ImportOptions`. The import verifies the chain while it reads. */
export const ImportOptions = <E, R>() =>
  Options.of<ImportOptions<E, R>>({
    required: {
      filename: LogFileName,
      events: Options.kind<ImportOptions<E, R>["events"]>("a stream of events", (value) =>
        Predicate.hasProperty(value, Stream.StreamTypeId),
      ),
    },
  })
