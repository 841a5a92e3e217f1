/**
 * The recorded looks at a workspace's files: the state at a task's start, and each change that a snapshot found since.
 */

import { Effect, Stream } from "effect"
import type { EventLog, LogError, Query } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as FileStates from "../../projections/state/files/FileStates.ts"
import * as Document from "../model/Document.ts"

export interface Look {
  readonly event: Event
  readonly taskId: string
  /** The directory, on the machine that recorded it. */
  readonly root: string
  /** At a start: the digest of the whole tree. */
  readonly base: string | undefined
  /** The files that changed since the task's last look. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly state: Document.FileState }>
}

/** The cause of a look's changes. */
export type Source =
  /** The files at the beginning: from before the recording, or from between two tasks. */
  { readonly kind: "start" } | FileStates.Source

export const sourceOf = ({ event, base }: Look): Source =>
  base === undefined ? FileStates.sourceOf(event.payload) : { kind: "start" }

export interface StartsOptions {
  /** The last position. */
  readonly until: number
  /** Only this task's. */
  readonly taskId?: string | undefined
}

/** The looks at tasks' starts in the log's timeline up to a position, in the log's order. */
export const starts = (log: Reading, { until, taskId }: StartsOptions): Effect.Effect<ReadonlyArray<Look>, LogError> =>
  Effect.gen(function* () {
    const found: Array<Look> = []
    const take = (event: Event) => {
      const look = startOf(event)
      if (look !== undefined) found.push(look)
    }
    const query = { timeline: log.timeline, types: ["EnvironmentReset"], plugin: Document.PLUGIN, until }
    if (taskId !== undefined) yield* forEachEvent(log, { ...query, taskId }, take)
    else yield* forEachOfAll(log, { ...query, after: 0, until: yield* lastOf(log, until) }, take)
    return found
  })

/** All looks in the log's timeline that begin with these starts up to a position, in the log's order. */
export const since = (
  log: Reading,
  from: ReadonlyArray<Look>,
  until: number,
): Effect.Effect<ReadonlyArray<Look>, LogError> =>
  Effect.map(changesSince(log, from, { after: from[0]?.event.position ?? 0, until }), (changes) =>
    [...from, ...changes].sort((one, other) => one.event.position - other.event.position),
  )

/**
 * The looks of the task that looked last: its files after them are the workspace's. With many tasks, reads only this
 * task's changes and those after the last start.
 */
export const ofLastTask = (
  log: Reading,
  from: ReadonlyArray<Look>,
  until: number,
): Effect.Effect<ReadonlyArray<Look>, LogError> =>
  Effect.gen(function* () {
    const newest = from.at(-1)
    if (newest === undefined) return []
    const later = yield* changesSince(log, from, { after: newest.event.position, until })
    const task = later.reduce((last, look) => (look.event.position > last.event.position ? look : last), newest).taskId
    return yield* since(
      log,
      from.filter((start) => start.taskId === task),
      until,
    )
  })

type Reading = Pick<EventLog.Service, "readPage" | "timeline" | "head">

interface Range {
  readonly after: number
  readonly until: number
}

/**
 * The changes of the starts' tasks in a range, read by task, or from all tasks if that is less to read. In no order.
 */
const changesSince = (log: Reading, from: ReadonlyArray<Look>, range: Range) =>
  Effect.gen(function* () {
    const startsOf = new Map<string, Array<Look>>()
    for (const start of from) {
      const own = startsOf.get(start.taskId)
      if (own === undefined) startsOf.set(start.taskId, [start])
      else own.push(start)
    }
    const looks: Array<Look> = []
    const take = (event: Event) => {
      const own = event.taskId === null ? undefined : startsOf.get(event.taskId)
      const look = own && changeOf(event, own)
      if (look !== undefined) looks.push(look)
    }
    const until = yield* lastOf(log, range.until)
    const query = { timeline: log.timeline, types: ["EnvironmentChanged"], plugin: Document.PLUGIN, ...range, until }
    if (until - range.after < startsOf.size * A_TASK) yield* forEachOfAll(log, query, take)
    else for (const taskId of startsOf.keys()) yield* forEachEvent(log, { ...query, taskId }, take)
    return looks
  })

/** Starting to read a task takes as long as passing so many positions. */
const A_TASK = 500

const lastOf = ({ head }: Reading, until: number) => Effect.map(head, ({ position }) => Math.min(until, position))

/** Reads by pages: a stream for each of many tasks takes ten times as long. */
const forEachEvent = ({ readPage }: Reading, query: Query, take: (event: Event) => void) =>
  Pages.forEach(readPage, query, (page) => {
    for (const event of page) take(event)
  })

/** Reads all tasks. The range has limits because a page may pass over any number of other plugins' events. */
const forEachOfAll = (log: Reading, { after = 0, until, ...query }: Query & Range, take: (event: Event) => void) =>
  Effect.gen(function* () {
    for (let from = after; from < until; from += MAX_PASSED)
      yield* forEachEvent(log, { ...query, after: from, until: Math.min(until, from + MAX_PASSED) }, take)
  })

/** Maximum number of positions to read without a pause. */
const MAX_PASSED = 100_000

/** The looks among the events of one task, in their order. */
export const among = (events: ReadonlyArray<Event>): ReadonlyArray<Look> => {
  const looks: Array<Look> = []
  const starts: Array<Look> = []
  for (const event of events) {
    const start = startOf(event)
    if (start !== undefined) starts.push(start)
    const look = start ?? changeOf(event, starts)
    if (look !== undefined) looks.push(look)
  }
  return looks
}

/** Finds the files that looks of any task in the log's timeline name after a position. */
export const after = (
  log: Pick<EventLog.Service, "read" | "timeline">,
  position: number,
): Effect.Effect<ReadonlyArray<Pick<Look, "base" | "files">>, LogError> =>
  Effect.gen(function* () {
    const found: Array<Pick<Look, "base" | "files">> = []
    const query = { timeline: log.timeline, after: position, types: ["EnvironmentReset", "EnvironmentChanged"] }
    yield* Stream.runForEach(log.read(query), (event) =>
      Effect.sync(() => {
        const start = startOf(event)
        if (start !== undefined) found.push(start)
        else if (is(event, "EnvironmentChanged") && event.payload.plugin === Document.PLUGIN)
          found.push({ base: undefined, files: Document.read(event.payload.patch) })
      }),
    )
    return found
  })

const startOf = (event: Event): Look | undefined => {
  if (!is(event, "EnvironmentReset") || event.payload.plugin !== Document.PLUGIN || event.taskId === null) return
  const start = Document.start(event.payload.state)
  return start && { event, taskId: event.taskId, ...start, files: [] }
}

const changeOf = (event: Event, from: ReadonlyArray<Look>): Look | undefined => {
  if (!is(event, "EnvironmentChanged") || event.payload.plugin !== Document.PLUGIN || event.taskId === null) return
  const start = from.findLast((one) => one.event.position < event.position)
  if (start === undefined) return
  const files = Document.read(event.payload.patch)
  return { event, taskId: event.taskId, root: start.root, base: undefined, files }
}
