/** The triggers of a scenario's events: which of them fire, and because of what. Deterministic. */

import { STEP } from "../../plugins/manifest/Manifest.ts"
import type { Json } from "../../values/Json.ts"
import { heldAt } from "./Conditions.ts"
import { canonical, type Response, responsesOf, type Scenario, type Trigger } from "./Document.ts"
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
  const all = events.map((event, index) => {
    const { name, trigger, repeat = false } = event
    return { trigger: name ?? `events/${index}`, responses: responsesOf(event), fires: watching(trigger, repeat) }
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
      return reaching(trigger)
    case "rule": {
      const becomesTrue = becoming(heldAt(trigger.rule), false)
      // A rule does not look at the scenario's flags.
      return (facts) => (facts.again ? undefined : becomesTrue(facts))
    }
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

/** Fires when a number of steps is reached, each time if it repeats. */
const reaching = ({ agent_id, steps: every }: Extract<Trigger, { readonly type: "step_reached" }>): Watching => {
  let reached = 0
  return ({ steps, position }) => {
    const times = Math.floor(steps(agent_id) / every)
    if (times <= reached) return undefined
    reached = times
    return [position]
  }
}

/** Fires when a command was carried out as often as the trigger says. */
const counting = (trigger: Extract<Trigger, { readonly type: "action_taken" }>): Watching => {
  const { count = 1, agent_id } = trigger
  let positions: ReadonlyArray<number> = []
  return ({ commands, agents, position }) => {
    const taken = commands.filter(
      (command) =>
        command.succeeded &&
        (agent_id === undefined || agents.length === 0 || command.agentId === agent_id) &&
        isAction(trigger, command),
    )
    if (taken.length === 0) return undefined
    positions = [...positions, ...taken.map(() => position)]
    if (positions.length < count) return undefined
    const counted = positions.length - (positions.length % count)
    const because = [...new Set(positions.slice(0, counted))]
    positions = positions.slice(counted)
    return because
  }
}

/** Whether a command is the action of a trigger: by its actuator, or by the action of a world that is stepped. */
const isAction = (
  { action_type, target }: Extract<Trigger, { readonly type: "action_taken" }>,
  { actuator, args }: EndedCommand,
): boolean => {
  const component = actuator.slice(actuator.indexOf("/") + 1)
  const { verbs, things } = component === STEP ? spoken(args.action) : { verbs: [], things: Object.values(args) }
  const named = [actuator, component, ...verbs]
  const same = target === undefined ? [] : named.flatMap((name) => SAME_WITH_TARGET.get(name) ?? [])
  return (
    [...named, ...same].includes(action_type) && (target === undefined || things.some((value) => isText(value, target)))
  )
}

/**
 * What an action of a world says: of a line such as `use the key on the desk`, its verb, the line itself and what comes
 * after the verb; of an object, its texts; of any other action, the action as JSON.
 */
const spoken = (
  action: Json | undefined,
): { readonly verbs: ReadonlyArray<string>; readonly things: ReadonlyArray<unknown> } => {
  if (typeof action === "string") {
    const [, verb = "", rest = ""] = /^\s*(\S+)\s*(.*)$/s.exec(action) ?? []
    return { verbs: [action, verb.toLowerCase()], things: [action, rest, ...rest.split(/ (?:on|with|to|in|from) /i)] }
  }
  if (typeof action === "object" && action !== null && !Array.isArray(action)) {
    const values = Object.values(action)
    return { verbs: values.filter((value) => typeof value === "string"), things: values }
  }
  return { verbs: [JSON.stringify(action) ?? ""], things: [action] }
}

/** Looking at something is the same as examining it. */
const SAME_WITH_TARGET: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["look", ["examine"]],
  ["examine", ["look"]],
])

const isText = (value: unknown, name: string): boolean =>
  typeof value === "string" && canonical(value) === canonical(name)
