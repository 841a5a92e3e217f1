import { Data, Predicate, Stream } from "effect"
import * as Options from "../../values/Options.ts"
import type { Recorded } from "../read/Records.ts"

/** Fix the input, or the call: these are not all the events of a log, as they were; or there is no place for them. */
export class NotImported extends Data.TaggedError("NotImported")<{
  readonly log: string
  /** Which of the events is at fault, from 1: its line, in a file with a line an event. Null where none is. */
  readonly line: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.line === null ? "" : ` line ${this.line}:`
    return `${this.log}:${where} ${this.reason}. Nothing was imported.`
  }
}

/** Which events, and where to. */
export interface ImportOptions<E, R> {
  /** The log to make, which must not be there yet. */
  readonly filename: string
  /** All events of a log from its first, in order, as they stood there. */
  readonly events: Stream.Stream<ReadonlyArray<Recorded>, E, R>
}

/** Their schema. The events are held against the chain one by one, when they come. */
export const ImportOptions = <E, R>() =>
  Options.of<ImportOptions<E, R>>({
    required: {
      filename: Options.Path,
      events: Options.kind<ImportOptions<E, R>["events"]>("a stream of events", (value) =>
        Predicate.hasProperty(value, Stream.StreamTypeId),
      ),
    },
  })
