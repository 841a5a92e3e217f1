/** Packs all requests of a task for a file without a server, with each message once: requests repeat each other. */

import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as RequestDigest from "../../projections/request/RequestDigest.ts"
import * as Requests from "../../projections/request/Requests.ts"
import * as SeenTurn from "../../projections/request/SeenTurn.ts"
import { digest } from "../../values/Digest.ts"
import type { SharedRequests, SharedTurn } from "../wire/Saw.ts"

interface Place {
  readonly timeline: string
  readonly task: string
}

/** The requests of a task on a timeline; undefined if it has none. */
export const of = ({ timeline, task }: Place) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const events: Array<Event> = []
    yield* Pages.forEach(view.readPage, { timeline, taskId: task }, (page) => {
      for (const event of page) events.push(event)
    })
    return packed(events, { timeline, task })
  })

const packed = (events: ReadonlyArray<Event>, { timeline, task }: Place): SharedRequests | undefined => {
  const [messages, parts] = [pool<SharedRequests["messages"][number]>(), pool<SharedRequests["parts"][number]>()]
  const turns: Array<SharedTurn> = []
  let before: ReadonlyArray<number> = []
  for (const { position } of Requests.turnsIn(events)) {
    const place = { timeline, taskId: task }
    const seen = SeenTurn.of(events, position, place, { digest, isExact: RequestDigest.isExact })
    if (seen === undefined) continue
    const { request, ...turn } = seen
    const { messages: told, system, tools, settings, ...others } = request
    const indexes = told.map(messages.indexOf)
    const first = indexes.findIndex((index, place) => before[place] !== index)
    const same = first < 0 ? indexes.length : first
    turns.push({
      turn: { ...turn, request: others },
      same,
      messages: indexes.slice(same),
      parts: [parts.indexOf(system), parts.indexOf(tools), parts.indexOf(settings)],
    })
    before = indexes
  }
  if (turns.length === 0) return undefined
  const requestOf = new Requests.RequestOf()
  const of: Array<readonly [number, number | null]> = []
  for (const event of events) {
    const request = requestOf.take(event) ?? null
    if (of.at(-1)?.[1] !== request) of.push([event.position, request])
  }
  return { of, messages: messages.all, parts: parts.all, turns }
}

const pool = <A>() => {
  const [all, known]: [Array<A>, Map<string, number>] = [[], new Map()]
  const indexOf = (value: A): number => {
    const key = JSON.stringify(value)
    const found = known.get(key) ?? all.push(value) - 1
    known.set(key, found)
    return found
  }
  return { all, indexOf }
}
