/**
 * Tables of events whose row groups are encoded by several threads, each of which reads its part of the log itself. The file is the one
 * that a single thread writes, bit for bit.
 */

import { Context, Effect, type Scope } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { LogFile } from "../../events/log/LogFile.ts"
import { type DecodedOptions, Records } from "../../events/read/Records.ts"
import { openFile } from "../../events/sqlite/openFile.ts"
import type { ThreadDied, Threads } from "../../platform/threads/Threads.ts"
import { type Chunk, made } from "./Encoder.ts"
import * as EventTable from "./EventTable.ts"
import type { Group } from "./ParquetGroups.ts"

/** What of the log is encoded: the events after one position, up to another. */
export interface EventRange {
  readonly after: number
  readonly until: number
}

/** What a thread is asked. */
export interface AskedPart {
  readonly file: LogFile
  readonly range: EventRange
  readonly options: DecodedOptions
}

/** A part's row groups, and how many events are in them. */
interface TablePart {
  readonly events: number
  readonly groups: ReadonlyArray<Group>
}

/** The work of a thread: encodes a part. */
export const encodePart = ({ file, range, options }: AskedPart): Effect.Effect<TablePart, LogError, Scope.Scope> =>
  Effect.flatMap(openFile(file), (opened) => encode(Context.get(opened, Records), range, options))

const encode = (records: Records.Service, range: EventRange, options: DecodedOptions) =>
  Effect.gen(function* () {
    const grouper = EventTable.grouper()
    const groups: Array<Group> = []
    let events = 0
    yield* records.decoded(range, options, (page) =>
      Effect.sync(() => {
        events += page.length
        groups.push(...grouper.add(page))
      }),
    )
    return { events, groups: [...groups, ...grouper.end()] }
  })

/** A table, and who encodes it. */
export interface TableOptions extends AskedPart {
  readonly threads: Threads
  readonly source: EventTable.EventSource
}

/** Writes a chunk of the file, in which there are so many events. */
export type Write<E> = (chunk: Chunk, events: number) => Effect.Effect<void, E>

/** Encodes every event of a range, and has the file's chunks written in their order. */
export const write = <E>(
  { threads, file, source, range, options }: TableOptions,
  write: Write<E>,
): Effect.Effect<void, E | LogError | ThreadDied, Records> =>
  Effect.gen(function* () {
    const records = yield* Records
    const table = EventTable.joiner(source)
    const pieces = divided(range).map((part) => ({
      asked: { file, range: part, options } satisfies AskedPart,
      again: encode(records, part, options),
      take: ({ groups, events }: TablePart): Effect.Effect<boolean, E> =>
        made(table.add(groups)).pipe(
          Effect.flatMap((chunk) => write(chunk, events)),
          Effect.as(true),
        ),
    }))
    yield* threads.inOrder<TablePart, LogError | E, never>("table", pieces)
    yield* write(yield* made(table.end()), 0)
  })

/** The parts of a range, in order: each ends with a block. */
const divided = ({ after, until }: EventRange): ReadonlyArray<EventRange> => {
  const parts: Array<EventRange> = []
  for (let from = after; from < until; ) {
    const end = Math.min((Math.floor(from / EventTable.BLOCK) + 1) * EventTable.BLOCK, until)
    parts.push({ after: from, until: end })
    from = end
  }
  return parts
}
