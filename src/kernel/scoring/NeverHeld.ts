/** Finds rules of a rubric that compare something with a text that no task has, such as a tool that was never called. */

import { Effect, Either } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import * as TaskObservation from "../critics/TaskObservation.ts"
import type { Comparison } from "../rules/EventReads.ts"
import { measureName, type Rubric } from "../rules/Rubric.ts"
import * as Rule from "../rules/Rule.ts"

export interface NeverHeld {
  /** `plugin/measure`, or the bare name. */
  readonly measure: string
  readonly name: string
  readonly kind: "reward" | "punishment"
  /** The text that it asks for and that no event of the tasks has; null if each part occurs, but never all together. */
  readonly missing: string | null
}

/** Which rules to look for: a measure's reward or punishment. */
export type Sought = Omit<NeverHeld, "missing">

/** Bounds the time of a search through a log for many tasks. Beyond it, nothing is known to be missing. */
const MAX_EVENTS = 200_000

/** Up to this number, the tasks are read one after the other, by their index. */
const MAX_APART = 20

const MAX_VALUES = 20
const MAX_NAMED = 3

/** Explains rules by the events of tasks up to a position, in one pass. */
export const explain = (
  log: EventLog.Service,
  rubric: Rubric,
  sought: ReadonlyArray<Sought>,
  { taskIds, until }: { readonly taskIds: ReadonlyArray<string>; readonly until: number },
): Effect.Effect<ReadonlyArray<NeverHeld>, LogError> =>
  Effect.gen(function* () {
    const searches = sought.map((one) => ({ one, ...searchOf(rubric, one) }))
    const isApart = taskIds.length <= MAX_APART
    if (searches.every(({ comparisons }) => comparisons.length === 0) || (!isApart && until > MAX_EVENTS)) {
      return sought.map((one) => ({ ...one, missing: null }))
    }
    const tasks = new Set(taskIds)
    const actuators = new Map<string, string>()
    const whole = { timeline: log.timeline, until }
    for (const query of isApart ? taskIds.map((taskId) => ({ ...whole, taskId })) : [whole]) {
      yield* Pages.forEach(log.readPage, query, (page) => {
        for (const event of page) {
          if (event.taskId === null || !tasks.has(event.taskId) || !TaskObservation.isJudged(event)) continue
          if (is(event, "ActuatorCommanded")) actuators.set(event.payload.commandId, event.payload.actuator)
          for (const search of searches) observe(search, event, actuators)
        }
      })
    }
    return searches.map(({ one, comparisons }) => ({ ...one, missing: missingFrom(comparisons) }))
  })

/** All rewards and punishments with rules. */
export const all = (rubric: Rubric): ReadonlyArray<Sought> =>
  rubric.measures.flatMap((of) => {
    const named = (kind: Sought["kind"], verdicts: typeof of.rewards = []) =>
      verdicts.flatMap(({ name, rule }) => (rule === undefined ? [] : [{ measure: measureName(of), name, kind }]))
    return [...named("reward", of.rewards), ...named("punishment", of.punishments)]
  })

interface Observed extends Comparison {
  readonly values: Set<string>
  occurs: boolean
}

interface Search {
  readonly types: ReadonlySet<string> | undefined
  readonly comparisons: ReadonlyArray<Observed>
}

const NONE: Search = { types: undefined, comparisons: [] }

const searchOf = (rubric: Rubric, { measure, name, kind }: Sought): Search => {
  const found = rubric.measures.find((one) => measureName(one) === measure)
  const { rule } = (kind === "reward" ? found?.rewards : found?.punishments)?.find((one) => one.name === name) ?? {}
  if (rule === undefined) return NONE
  return Either.match(Rule.compile(rule), {
    onLeft: () => NONE,
    onRight: ({ types, comparisons }) => ({
      types,
      comparisons: comparisons().map((one) => ({ ...one, values: new Set<string>(), occurs: false })),
    }),
  })
}

const observe = ({ types, comparisons }: Search, event: Event, actuators: ReadonlyMap<string, string>): void => {
  for (const comparison of comparisons) {
    if (!isOfType(comparison) && types !== undefined && !types.has(event.type)) continue
    const value = readFrom(comparison, event, actuators)
    if (typeof value !== "string") continue
    if (value === comparison.value) comparison.occurs = true
    else if (comparison.values.size < MAX_VALUES) comparison.values.add(value)
  }
}

const readFrom = (
  { in: variable, path }: Comparison,
  event: Event,
  actuators: ReadonlyMap<string, string>,
): unknown => {
  if (variable === "command") {
    const { commandId } = event.payload
    return path.length === 1 && path[0] === "actuator" && typeof commandId === "string"
      ? actuators.get(commandId)
      : undefined
  }
  let value: unknown = event
  for (const key of path) value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
  return value
}

/**
 * A missing type of Hindcast's own is no mistake: perhaps nothing was denied. Nor is a path without any text, which
 * perhaps only the whole rule understands.
 */
const missingFrom = (comparisons: ReadonlyArray<Observed>): string | null => {
  const lost = comparisons.find((one) => !one.occurs && (isOfType(one) ? one.value.includes("/") : one.values.size > 0))
  if (lost === undefined) return null
  const { read, value, values } = lost
  const none = `no event had ${read} == "${value}"`
  const whole = [...values].filter((one) => one.endsWith(`/${value}`))
  const similar = [...new Set([...whole, ...DidYouMean.similarNames(value, [...values])])]
  const listed = (similar.length > 0 ? similar : [...values]).slice(0, MAX_NAMED).map((one) => `"${one}"`)
  return `${none}; found ${listed.join(", ")}${values.size > listed.length ? " …" : ""}`
}

const isOfType = ({ in: variable, path }: Comparison): boolean =>
  variable === "event" && path.length === 1 && path[0] === "type"
