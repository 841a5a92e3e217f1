/** What is not reproducible in a program, found by comparing runs of it that differ in one thing each. Pure. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import * as RequestDifference from "../replay/RequestDifference.ts"
import type { Asked } from "./ExaminedFetch.ts"
import * as Restless from "./Restless.ts"

/** What a program's requests depend on. */
export type Cause = "time" | "randomness" | "order" | "environment" | "unknown"

/** Something that a program's requests depend on, besides its recorded answers. */
export interface Finding {
  readonly cause: Cause
  /** The recorded position of the first request that depends on it; null where it has none. */
  readonly position: number | null
  /** How many requests do. */
  readonly requests: number
  /** Where the first one differs, with the one thing as it was and as it was changed. */
  readonly difference: RequestDifference.Difference
}

/** A run of the program on its recording. */
export interface Examined {
  readonly asked: ReadonlyArray<Asked>
}

/** The runs: all alike but for one thing. */
export interface Runs {
  readonly base: Examined
  /** The same again. */
  readonly again: Examined
  /** Another clock, other random numbers, another order of answers, another time zone and language. */
  readonly changed: { readonly [Changed in Exclude<Cause, "unknown">]: Examined }
}

/** What the runs show, and what the recorded requests themselves do. */
export const of = (
  { base, again, changed }: Runs,
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

/** The requests of a run that another one did not make. */
const without = (one: Examined, other: Examined): ReadonlyArray<Asked> => {
  const left = new Map<string, number>()
  for (const { digest } of other.asked) left.set(digest, (left.get(digest) ?? 0) + 1)
  return one.asked.filter(({ digest }) => {
    const count = left.get(digest) ?? 0
    left.set(digest, count - 1)
    return count <= 0
  })
}

/** Where two runs part; undefined if they asked the same, in whatever order. */
const between = (base: Examined, other: Examined, cause: Cause): Finding | undefined => {
  const [was, is] = [without(base, other), without(other, base)]
  const requests = Math.max(was.length, is.length)
  if (requests === 0) return undefined
  const position = was[0]?.position ?? is[0]?.position ?? null
  return { cause, position, requests, difference: differenceOf(was[0], is[0]) }
}

const differenceOf = (was: Asked | undefined, is: Asked | undefined): RequestDifference.Difference => {
  if (was === undefined || is === undefined) {
    const [recorded, now] = [was === undefined ? "no more of them" : "one more", is === undefined ? "none" : "one more"]
    return { where: "the requests", recorded, now }
  }
  if (was.reads === null || is.reads === null) {
    return RequestDifference.first("the request", shown(was), shown(is))
  }
  if (was.reads.model !== is.reads.model) return { where: "the model", recorded: was.reads.model, now: is.reads.model }
  return RequestDifference.between(was.reads, is.reads)
}

const shown = ({ reads, request }: Asked): Json => (reads === null ? request : `a request to the model ${reads.model}`)

/** What the program asks otherwise than it did when it was recorded, and why is not known. */
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
  (is(event, "ModelCalled") && event.payload.batch === undefined) ||
  (is(event, "IoCalled") && event.payload.io === "fetch")

/** Names of places of this machine that stand in recorded requests: on another machine they are others. */
const placesIn = (events: ReadonlyArray<Event>, places: Readonly<Record<string, string>>): ReadonlyArray<Finding> => {
  const requests = events
    .filter(isRequest)
    .map(({ position, payload }) => ({ position, text: JSON.stringify(payload.request) }))
  const found = Object.entries(places).flatMap(([name, text]) => {
    if (text.length < SHORTEST_PLACE) return []
    const holding = requests.filter((request) => request.text.includes(JSON.stringify(text).slice(1, -1)))
    return holding.length === 0 ? [] : [{ name, text, holding }]
  })
  // A directory within another one is named once.
  const most = found.filter(({ text }) => !found.some((other) => other.text !== text && other.text.includes(text)))
  return most.map(({ name, text, holding }) => ({
    cause: "environment",
    position: holding[0]?.position ?? null,
    requests: holding.length,
    difference: { where: name, recorded: text, now: "another one on another machine" },
  }))
}

/** Shorter names stand in many texts. */
const SHORTEST_PLACE = 5
