/** The last failure of a task that matters: a call or an event that went wrong, and that nothing made good later. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { shorten, value } from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as EventSummary from "../summary/EventSummary.ts"
import { type Course, nameOf, type Step } from "./Course.ts"
import * as Identifiers from "./Identifiers.ts"

export interface Failure {
  /** The event that reports it: the end of a call, or the call itself if its end is not recorded. */
  readonly at: number
  /** What went wrong, such as `shop/ship {"to":"ada"} failed with no-stock: nothing is left`. */
  readonly says: string
  /** The same without the part that repeats the recorded reason of the close. */
  readonly brief?: string
  /** The call, if it is one. */
  readonly step: Step | null
  /** Number of its failures with the same tool and code. */
  readonly times: number
  /** Number of the task's calls after it. */
  readonly later: number
}

export interface Failures {
  readonly last: Failure | null
  /** Number of failed calls that a later call made good. */
  readonly madeGood: number
}

/** Maximum length of a foreign text within a sentence, in characters. */
const TEXT = 100

/**
 * Finds the last failure of a task.
 *
 * @param isOver whether the task's process is gone, so that a call without an end will get none
 */
export const of = (events: ReadonlyArray<Event>, course: Course, isOver: boolean): Failures => {
  const bad = course.steps.filter((step) => isBad(step, isOver))
  const lasting = bad.filter((step) => !isMadeGood(step, course.steps))
  const found: ReadonlyArray<Failure> = [
    ...lasting.map((step) => ({
      at: step.end?.at ?? step.at,
      says: saysOf(step),
      step,
      times: lasting.filter((other) => kindOf(other) === kindOf(step)).length,
      later: course.steps.filter(({ at }) => at > step.at).length,
    })),
    ...troublesIn(events, new Set(lasting.map(({ actuator }) => pluginOf(actuator)))).map(({ at, ...trouble }) => ({
      at,
      ...trouble,
      step: null,
      times: 1,
      later: course.steps.filter((step) => step.at > at).length,
    })),
  ]
  const last = found.toSorted((a, b) => a.at - b.at).at(-1) ?? budgetIn(events)
  return { last, madeGood: bad.length - lasting.length }
}

const isBad = ({ end }: Step, isOver: boolean): boolean => (end === null ? isOver : end.kind !== "succeeded")

/** Whether a later call of the same tool succeeded with the same arguments, or about the same thing. */
const isMadeGood = (step: Step, steps: ReadonlyArray<Step>): boolean => {
  const things = Identifiers.inValue(step.args)
  return steps.some(
    (other) =>
      other.at > step.at &&
      other.actuator === step.actuator &&
      other.end?.kind === "succeeded" &&
      (JSON.stringify(other.args) === JSON.stringify(step.args) ||
        [...Identifiers.inValue(other.args)].some((thing) => things.has(thing))),
  )
}

const kindOf = ({ actuator, end }: Step): string => `${actuator} ${end?.kind} ${end?.kind === "failed" ? end.code : ""}`

const saysOf = (step: Step): string => {
  const { end } = step
  const named = nameOf(step)
  if (end === null) return `${named} has no recorded end`
  switch (end.kind) {
    case "failed":
      return `${named} failed with ${short(end.code)}: ${short(end.message)}`
    case "denied":
      return `${named} was denied${end.rule === "import" ? "" : ` by ${short(end.rule)}`}${end.reason === "" ? "" : `: ${short(end.reason)}`}`
    case "unknown":
      return `${named} has an unknown outcome`
    case "succeeded":
      return `${named} succeeded`
  }
}

/** Without the full stop, because the sentence continues. */
const short = (text: string): string => shorten(oneLine(text).trim().replace(/\.$/, ""), TEXT)

interface Trouble {
  readonly at: number
  readonly says: string
  readonly brief?: string
}

/**
 * Failed events other than calls, without those that a later event repaired.
 *
 * @param failed plugins with a failed call: their sensors fail because of it
 */
const troublesIn = (events: ReadonlyArray<Event>, failed: ReadonlySet<string>): ReadonlyArray<Trouble> => {
  const open = new Map<string, Trouble>()
  for (const event of events) {
    const { position: at } = event
    const set = (key: string, says: string, brief?: string) => open.set(key, { at, says, ...defined({ brief }) })
    if (is(event, "ModelFailed")) {
      const { kind, reason, retryInMs, fallbackTo } = event.payload
      if (retryInMs === undefined && fallbackTo === undefined)
        set("model", `the language model failed (${kind}): ${short(reason)}`)
    } else if (is(event, "ModelResponded")) open.delete("model")
    else if (is(event, "IoFailed")) {
      const { io, error } = event.payload
      set(`io ${io}`, `${short(io)} failed with ${short(error.code)}: ${short(error.message)}`)
    } else if (is(event, "IoAnswered")) open.delete(`io ${event.payload.io}`)
    else if (is(event, "SensorFailed")) {
      const { sensor, error } = event.payload
      if (failed.has(pluginOf(sensor))) continue
      set(`sensor ${sensor}`, `${short(sensor)} failed with ${short(error.code)}: ${short(error.message)}`)
    } else if (is(event, "SensorRead")) open.delete(`sensor ${event.payload.sensor}`)
    else if (is(event, "ScenarioEnded") && event.payload.result === "lost")
      set("scenario", `the scenario was lost by ${value(event.payload.condition, TEXT)}`, "the scenario was lost")
    else if (LASTING.has(event.type)) set(event.type, `${event.type}: ${EventSummary.of(event)}`)
  }
  return [...open.values()]
}

const pluginOf = (component: string): string => component.split("/")[0] ?? ""

/** Types of events that nothing makes good within a task. */
const LASTING: ReadonlySet<string> = new Set(["PluginQuarantined", "PluginStartRefused", "AgentSuspended"])

/** A budget is used up at the end, whatever went wrong before. */
const budgetIn = (events: ReadonlyArray<Event>): Failure | null => {
  const event = events.findLast((event) => event.type === "BudgetExceeded")
  if (event === undefined || !is(event, "BudgetExceeded")) return null
  const { budget, used, limit } = event.payload
  return {
    at: event.position,
    says: `the budget of ${budget} was used up: ${used} of ${limit}`,
    step: null,
    times: 1,
    later: 0,
  }
}
