/** Finds a program's irreproducible parts, by comparing runs that each differ in one condition. Pure. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import * as RequestDifference from "../replay/RequestDifference.ts"
import type { Asked } from "./ExaminedFetch.ts"
import * as Restless from "./Restless.ts"

export type Cause = "time" | "randomness" | "order" | "environment" | "unknown"

/** A dependency of the program's requests in addition to recorded answers. */
export interface Finding {
  readonly cause: Cause
  /** Recorded position of the first affected request; null if it has none. */
  readonly position: number | null
  readonly requests: number
  /** How the first one differs between the unchanged and the changed condition. */
  readonly difference: RequestDifference.Difference
}

export interface Examined {
  readonly asked: ReadonlyArray<Asked>
}

export interface ComparedRuns {
  readonly base: Examined
  readonly again: Examined
  /** Runs with another clock, other random numbers, another order of answers, another time zone and locale. */
  readonly changed: { readonly [Changed in Exclude<Cause, "unknown">]: Examined }
}

export const of = (
  { base, again, changed }: ComparedRuns,
  events: ReadonlyArray<Event>,
  places: Readonly<Record<string, string>>,
): ReadonlyArray<Finding> => {
  const restless = Restless.between(base.asked, again.asked)
  const calm = (run: Examined): Examined => ({ asked: run.asked.map((asked) => Restless.calmed(restless, asked)) })
  const named = [
    ...CAUSES.flatMap((cause) => between(base, calm(changed[cause]), cause) ?? []),
    ...[between(base, again, "unknown") ?? []].flat(),
  ]
  const known = new Set(named.map(({ position }) => position))
  const since = sinceRecorded(base, events)
  return [...named, ...(since === undefined || known.has(since.position) ? [] : [since]), ...placesIn(events, places)]
}

const CAUSES = ["time", "randomness", "order", "environment"] as const

/** Requests of one run that the other did not make. */
const without = (one: Examined, other: Examined): ReadonlyArray<Asked> => {
  const left = new Map<string, number>()
  for (const { digest } of other.asked) left.set(digest, (left.get(digest) ?? 0) + 1)
  return one.asked.filter(({ digest }) => {
    const count = left.get(digest) ?? 0
    left.set(digest, count - 1)
    return count <= 0
  })
}

/** Compares two runs, ignoring the order of requests; undefined if they are equal. */
const between = (base: Examined, other: Examined, cause: Cause): Finding | undefined => {
  const [was, is] = [without(base, other), without(other, base)]
  const requests = Math.max(was.length, is.length)
  if (requests === 0) return undefined
  const position = was[0]?.position ?? is[0]?.position ?? null
  return { cause, position, requests, difference: differenceOf(was[0], is[0]) }
}

const differenceOf = (was: Asked | undefined, is: Asked | undefined): RequestDifference.Difference => {
  if (was === undefined || is === undefined) {
    const [recorded, now] = [
      was === undefined ? "no further request" : "one more",
      is === undefined ? "none" : "one more",
    ]
    return { where: "the requests", recorded, now }
  }
  if (was.reads === null || is.reads === null) {
    return RequestDifference.first("the request", shown(was), shown(is))
  }
  if (was.reads.model !== is.reads.model) return { where: "the model", recorded: was.reads.model, now: is.reads.model }
  return RequestDifference.between(was.reads, is.reads)
}

const shown = ({ reads, request }: Asked): Json => (reads === null ? request : `a request to the model ${reads.model}`)

/** Differences from the recording without a known cause. */
const sinceRecorded = ({ asked }: Examined, events: ReadonlyArray<Event>): Finding | undefined => {
  const others = asked.filter(({ difference }) => difference !== null)
  const [first] = others
  if (first?.difference) {
    return { cause: "unknown", position: first.position, requests: others.length, difference: first.difference }
  }
  const recorded = events.filter(isRequest).length
  if (recorded <= asked.length) return undefined
  const difference = { where: "the requests", recorded: String(recorded), now: String(asked.length) }
  return { cause: "unknown", position: null, requests: recorded - asked.length, difference }
}

const isRequest = (event: Event): boolean =>
  (is(event, "ModelCalled") && event.payload.batch === undefined && event.payload.observed === undefined) ||
  (is(event, "IoCalled") && event.payload.io === "fetch")

/** Finds paths and names of this machine in recorded requests; another machine has others. */
const placesIn = (events: ReadonlyArray<Event>, places: Readonly<Record<string, string>>): ReadonlyArray<Finding> => {
  const requests = events
    .filter(isRequest)
    .map(({ position, payload }) => ({ position, text: JSON.stringify(payload.request) }))
  const found = Object.entries(places).flatMap(([name, text]) => {
    if (text.length < SHORTEST_PLACE) return []
    const holding = requests.filter((request) => request.text.includes(JSON.stringify(text).slice(1, -1)))
    return holding.length === 0 ? [] : [{ name, text, holding }]
  })
  // Reports only the outermost of nested directories' names.
  const most = found.filter(({ text }) => !found.some((other) => other.text !== text && other.text.includes(text)))
  return most.map(({ name, text, holding }) => ({
    cause: "environment",
    position: holding[0]?.position ?? null,
    requests: holding.length,
    difference: { where: name, recorded: text, now: "another value on another machine" },
  }))
}

/** Shorter names occur in many texts by chance. */
const SHORTEST_PLACE = 5
