/** The triggers of a scenario's events. Deterministic. */

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

/** The triggers of a scenario in one task. Stateful. */
export interface Triggers {
  /** Returns the responses that are due, in the scenario's order. A trigger without `repeat` fires once. */
  readonly after: (facts: Facts) => ReadonlyArray<Firing>
}

/** Starts the triggers of a decoded scenario. */
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

/** Returns the positions that make a trigger fire; undefined if it does not fire. */
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
      // Rules do not depend on the scenario's flags.
      return (facts) => (facts.again ? undefined : becomesTrue(facts))
    }
  }
}

/**
 * Fires when a fact becomes true.
 *
 * @param fromStart whether a fact that is true at the reset does not fire
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

/** Fires when the number of steps reaches a multiple of `steps`. */
const reaching = ({ agent_id, steps: every }: Extract<Trigger, { readonly type: "step_reached" }>): Watching => {
  let reached = 0
  return ({ steps, position }) => {
    const times = Math.floor(steps(agent_id) / every)
    if (times <= reached) return undefined
    reached = times
    return [position]
  }
}

/** Fires when enough matching commands have succeeded. */
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

/** Whether a command matches a trigger: by its actuator, or in a stepped world by its action. */
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
 * Splits an action into verbs and things. A line such as `use the key on the desk` gives its verb, the whole line, and
 * the words after the verb; an object gives its strings; any other action its JSON.
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

/** Looking at a target means examining it. */
const SAME_WITH_TARGET: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["look", ["examine"]],
  ["examine", ["look"]],
])

const isText = (value: unknown, name: string): boolean =>
  typeof value === "string" && canonical(value) === canonical(name)
