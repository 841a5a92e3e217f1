/** What becomes of a task that is forked at each of its events, one by one, by the agent that worked on it. */
import { Effect } from "effect"
import { expect } from "vitest"
import { EventLog, MAIN } from "../../src/events/log/EventLog.ts"
import * as Timelines from "../../src/events/read/Timelines.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import type { ForkOptions } from "../../src/kernel/fork/Fork.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"

const eventsOn = (taskId: string, timeline: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* view.readPage({ taskId, timeline }, 10_000)
  })

/** What the agent asked for, without ids, places and times; a model's question that was cut off was asked again. */
const storyOf = (events: ReadonlyArray<Event>) => {
  const answered = new Set(
    events.flatMap((event) => (is(event, "ModelResponded") || is(event, "ModelFailed") ? [event.causationId] : [])),
  )
  return events
    .flatMap((event): ReadonlyArray<string> => {
      if (is(event, "DecisionMade")) return [`decides ${JSON.stringify(event.payload.choice)}`]
      if (is(event, "MessageSent")) return [`says ${event.payload.content}`]
      if (is(event, "ModelCalled") && answered.has(event.id)) return [`asks ${JSON.stringify(event.payload.request)}`]
      if (is(event, "InputDelivered")) return ["is told"]
      if (!is(event, "ActuatorCommanded")) return []
      const { actuator, args, callId = "", commandId } = event.payload
      const own = events.filter(({ payload }) => payload.commandId === commandId)
      const ends = own.flatMap(({ type, payload }) => {
        const { rule = "", result = null } = payload
        return ENDS.has(type) ? [`${type} ${String(rule)} ${JSON.stringify(result)}`] : []
      })
      const dispatches = own.filter(({ type }) => type === "CommandDispatched").length
      return [`commands ${actuator} ${JSON.stringify(args)} ${callId}: ${dispatches} dispatches, ${ends.join(", ")}`]
    })
    .sort()
}

const ENDS = new Set(["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"])

const sumsOf = ({ outcome, steps, acting, scores }: TaskAudit.TaskAudit) => {
  const { byComponent, ...counted } = acting
  const each = Object.entries(byComponent).map(([name, { latencyMs: _, ...counts }]) => [name, counts])
  return { outcome, steps, counted, each, nets: scores.map(({ label, net }) => [label, net]) }
}

/**
 * Forks a task at each of its events, and holds each fork to its parent: the shared past is the same, the agent did the
 * same in all, each command was counted, dispatched and ended as often as there. Answers the types of the events at which
 * the task could be forked, and of those at which it could not.
 */
export const forkedEverywhere = (taskId: string, agent: () => Agent.Agent, options: Partial<ForkOptions> = {}) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const parent = yield* eventsOn(taskId, MAIN)
    const closed = parent.findIndex(({ type }) => type === "TaskClosed")
    const original = yield* kernel.audit(taskId)
    const [forked, refused]: readonly [Array<string>, Array<string>] = [[], []]
    for (const [index, { position, type }] of parent.slice(0, closed).entries()) {
      const where = `${type} @${position}`
      const result = yield* Effect.either(kernel.fork(agent(), { at: position, task: taskId, ...options }))
      if (result._tag === "Left") {
        expect({ where, tag: result.left._tag, message: result.left.message }).toMatchObject({ tag: "NotForkable" })
        refused.push(type)
        continue
      }
      const { timeline, audit, parted } = result.right
      const events = yield* eventsOn(taskId, timeline)
      expect(events.slice(0, index + 1), where).toEqual(parent.slice(0, index + 1))
      expect({ where, story: storyOf(events) }).toEqual({ where, story: storyOf(parent) })
      expect({ where, ...sumsOf(audit) }).toEqual({ where, ...sumsOf(original) })
      expect({ where, parted }).toEqual({ where, parted: null })
      forked.push(type)
    }
    expect((yield* eventsOn(taskId, MAIN)).length).toBe(parent.length)
    expect((yield* (yield* EventLog).verify)._tag).toBe("Intact")
    return { forked, refused }
  })
