/** The triggers of a scenario's events: which of them fire, and because of what. Deterministic. */

import { heldAt } from "./Conditions.ts"
import { canonical, type Response, type Scenario, type Trigger } from "./Document.ts"
import type { EndedCommand, Facts } from "./Facts.ts"

/** A response that is due. */
export interface Firing {
  /** The event's name, or `events/<index>`. */
  readonly trigger: string
  readonly response: Response
  readonly because: ReadonlyArray<number>
}

/** The triggers of a scenario as they stand in one task. */
export interface Triggers {
  /** The responses that are due after these facts, in the scenario's order. Without `repeat`, each trigger fires once. */
  readonly after: (facts: Facts) => ReadonlyArray<Firing>
}

/** Starts the triggers of a scenario that was decoded. */
export const of = ({ events = [] }: Scenario): Triggers => {
  const all = events.map(({ name, trigger, response, repeat = false }, index) => {
    const responses: ReadonlyArray<Response> = "type" in response ? [response] : response
    return { trigger: name ?? `events/${index}`, responses, fires: watching(trigger, repeat) }
  })
  return {
    after: (facts) =>
      all.flatMap(({ trigger, responses, fires }) => {
        const because = fires(facts)
        return because === undefined ? [] : responses.map((response) => ({ trigger, response, because }))
      }),
  }
}

/** The positions because of which a trigger fires now; undefined if it does not. */
type Watching = (facts: Facts) => ReadonlyArray<number> | undefined

const watching = (trigger: Trigger, repeat: boolean): Watching => {
  const fires = watch(trigger)
  let fired = false
  return (facts) => {
    if (fired && !repeat) return undefined
    const because = fires(facts)
    fired ||= because !== undefined
    return because
  }
}

const watch = (trigger: Trigger): Watching => {
  switch (trigger.type) {
    case "action_taken":
      return counting(trigger)
    case "item_found":
      return becoming((facts) => (facts.found(trigger.item_name, trigger.agent_id) ? facts.position : undefined), true)
    case "flag_set":
      return becoming((facts) => (facts.flag(trigger.flag_name, trigger.agent_id) ? facts.position : undefined), true)
    case "step_reached":
      return ({ command, steps, position }) =>
        command !== undefined && steps % trigger.steps === 0 ? [position] : undefined
    case "rule":
      return becoming(heldAt(trigger.rule), false)
  }
}

/**
 * Fires when something becomes true.
 *
 * @param fromStart what is true at the start has not become true
 */
const becoming = (at: (facts: Facts) => number | undefined, fromStart: boolean): Watching => {
  let before: boolean | undefined = fromStart ? undefined : false
  return (facts) => {
    if (fromStart && !facts.started) return undefined
    const now = at(facts)
    const fires = now !== undefined && before === false
    before = now !== undefined
    return fires ? [now] : undefined
  }
}

/** Fires when a command was carried out as often as the trigger says. */
const counting = (trigger: Extract<Trigger, { readonly type: "action_taken" }>): Watching => {
  let positions: ReadonlyArray<number> = []
  return ({ command, position }) => {
    if (command === undefined || !command.succeeded || !isAction(trigger, command)) return undefined
    positions = [...positions, position]
    if (positions.length < (trigger.count ?? 1)) return undefined
    const because = positions
    positions = []
    return because
  }
}

/** Whether a command is the action of a trigger: by its actuator, or by the action of a world that is stepped. */
const isAction = (
  { action_type, target }: Extract<Trigger, { readonly type: "action_taken" }>,
  { actuator, args }: EndedCommand,
): boolean => {
  const component = actuator.slice(actuator.indexOf("/") + 1)
  const names = [actuator, component, ...(target === undefined ? [] : (SAME_WITH_TARGET.get(component) ?? []))]
  const action = typeof args.action === "string" ? args.action : JSON.stringify(args.action)
  const isNamed = names.includes(action_type) || (component === "step" && action === action_type)
  return isNamed && (target === undefined || Object.values(args).some((value) => isText(value, target)))
}

/** Looking at something is the same as examining it. */
const SAME_WITH_TARGET: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["look", ["examine"]],
  ["examine", ["look"]],
])

const isText = (value: unknown, name: string): boolean =>
  typeof value === "string" && canonical(value) === canonical(name)
