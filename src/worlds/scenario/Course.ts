/** Folds the events of a task into the progress of its scenario: the triggers that fired, and its end. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Conditions from "./Conditions.ts"
import type { Scenario } from "./Document.ts"
import * as Facts from "./Facts.ts"
import * as Triggers from "./Triggers.ts"

/** The progress of a scenario. */
export interface Course {
  /** All responses that have fallen due, in order. The same events give the same responses. */
  readonly firings: ReadonlyArray<Triggers.Firing>
  /** Undefined while the scenario is open. After it, no response falls due. */
  readonly end: Conditions.ScenarioEnd | undefined
  /** The number of steps of the agent with the most. */
  readonly steps: number
}

/** The fold of one task. */
export interface CourseFold {
  /** Takes the next events, oldest first. */
  readonly take: (events: ReadonlyArray<Event>) => Course
}

/** Starts the fold for a task in the world of a plugin. */
export const start = (scenario: Scenario, taskId: string, plugin: string): CourseFold => {
  const facts = Facts.start(scenario, taskId, plugin)
  const triggers = Triggers.of(scenario)
  const judge = Conditions.of(scenario)
  const firings: Array<Triggers.Firing> = []
  let flags = Facts.initialFlags(scenario)
  let end: Conditions.ScenarioEnd | undefined
  let steps = 0

  const look = (together: ReadonlyArray<Event>) => {
    const now = facts.after(together, () => flags)
    steps = now.steps()
    let due = triggers.after(now)
    firings.push(...due)
    // A new flag may trigger another event. Each flag is set once, so the loop ends.
    for (let added = flagsIn(due, flags); added.size > flags.size; added = flagsIn(due, flags)) {
      flags = added
      due = triggers.after({ ...now, commands: [], contexts: [], again: true })
      firings.push(...due)
    }
    end = judge(now)
  }
  return {
    take: (events) => {
      for (const together of commits(events)) if (end === undefined) look(together)
      return { firings, end, steps }
    },
  }
}

/** Adds the flags that responses set. */
const flagsIn = (firings: ReadonlyArray<Triggers.Firing>, flags: Facts.Flags): Facts.Flags =>
  new Set([
    ...flags,
    ...firings.flatMap(({ response }) =>
      response.type === "set_flag"
        ? [Facts.flagKey(response.flag_name), Facts.flagKey(response.flag_name, response.agent_id ?? Facts.ALL)]
        : [],
    ),
  ])

/** Groups events by commit: the ends of commands with their change of the world and their rewards. */
const commits = (events: ReadonlyArray<Event>): ReadonlyArray<ReadonlyArray<Event>> => {
  const groups: Array<Array<Event>> = []
  for (const event of events) {
    const group = groups.at(-1)
    if (group === undefined || !follows(group, event)) {
      groups.push([event])
      continue
    }
    group.push(event)
    joinRound(groups, event)
  }
  return groups
}

/** Whether an event belongs to the commit before it: only results follow their cause directly. */
const follows = (group: ReadonlyArray<Event>, event: Event): boolean =>
  (event.type === "EnvironmentChanged" || Facts.REWARDS.has(event.type)) &&
  group.at(-1)?.position === event.position - 1 &&
  group.some(({ type }) => Facts.ENDS.has(type) || type === "WorldTicked")

/** Joins the ends of a round's commands, which changed the world in one step. */
const joinRound = (groups: Array<Array<Event>>, event: Event): void => {
  const commands = is(event, "EnvironmentChanged") ? event.payload.commands : undefined
  if (commands === undefined) return
  const ids = new Set<unknown>(commands)
  const first = groups.findIndex((group) =>
    group.some((one) => Facts.ENDS.has(one.type) && ids.has(one.payload.commandId)),
  )
  if (first !== -1) groups.push(groups.splice(first).flat())
}

/**
 * The events up to the last one that shows the world's state: a reset, a tick, or the end of a command. Later ones wait
 * for the next such event, so the result does not depend on when the log is read.
 */
export const settled = (events: ReadonlyArray<Event>): ReadonlyArray<Event> => {
  const groups = commits(events)
  const last = groups.findLastIndex((group) => group.some(({ type }) => Facts.ENDS.has(type) || SETTLES.has(type)))
  return groups.slice(0, last + 1).flat()
}

const SETTLES: ReadonlySet<string> = new Set(["EnvironmentReset", "EnvironmentRestored", "WorldTicked"])
