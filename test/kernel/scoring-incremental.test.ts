import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import type { Verdict } from "../../src/kernel/critics/Critic.ts"
import * as RuleCritic from "../../src/kernel/critics/rules/RuleCritic.ts"
import type { Rubric } from "../../src/kernel/rules/Rubric.ts"
import * as Rule from "../../src/kernel/rules/Rule.ts"
import type { RuleContext } from "../../src/kernel/rules/RuleContext.ts"
import * as PathPattern from "../../src/projections/patch/PathPattern.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import type { JsonObject } from "../../src/values/Json.ts"

/** Rules that look in every way at all that there is to look at: guarded and not, present and absent, quick and slow. */
const RULES = [
  "task.outcome == 'achieved'",
  "task.agent.startsWith('a') && state.open",
  "state.environment.room.at == 'hall'",
  "state.environment.room.at == 'hall' || event.type == 'TaskClosed'",
  "has(state.environment.room.lamp) && state.environment.room.lamp",
  "!has(state.environment.room.lamp)",
  "state.environment.room.at != state.environment.room.before",
  "state.environment['room'].doors.size() > 1",
  "state.readings['room/view'] == 'hall'",
  "size(state.readings) == 1",
  "size(state.pending) > 0",
  "state.pending.exists(c, state.pending[c].status == 'dispatched')",
  "has(state.outOfStep)",
  "state == state",
  "state.readings.exists(sensor, sensor == 'room/view')",
  "count('SensorRead') == 2",
  "count('SensorRead') > count('ActuatorCommanded')",
  "count(event.type) == 3",
  "elapsed > 40.0",
  "elapsed > 40.0 && state.environment.room.at == 'hall'",
  "event.type == 'EnvironmentChanged' && event.payload.patch.exists(p, p.path == '/at' && p.value == 'hall')",
  "event.type == 'EnvironmentChanged' && event.payload.patch.exists(p, p.path.matches('^/(at|lamp)$'))",
  "event.payload.patch.all(p, p.op == 'replace')",
  "event.type in ['SensorRead', 'TaskClosed'] && event.payload.reading == 'hall'",
  "(event.type == 'SensorRead' || event.type == 'CommandDenied') && elapsed >= 0.0",
  "event.payload.reading == 'hall' && event.type == 'SensorRead'",
  "'CommandDenied' == event.type",
  "event['type'] == 'CommandDenied' ? elapsed > 20.0 : false",
  "command.actuator == 'room/go' && event.type == 'CommandSucceeded'",
  "command.args.to == state.environment.room.at",
  "has(command.args) && count('CommandSucceeded') > 0",
  "event.payload.nothing == 1",
  "state.environment.room.at",
  "state.environment.room.at > 3",
  "task.goal",
  "1 < 2",
  "[1, 2].exists(event, event == 1)",
  "cel.bind(x, state.environment.room.at, x == 'hall')",
  "state.environment.room.at.matches('ha.+')",
  'event.type == "ActuatorCommanded" && commands.exists(c, c.outcome == "denied" && c.args == event.payload.args)',
  "commands.exists(c, commands.exists(d, d.position > c.position && d.actuator == c.actuator))",
  'text(commands).contains("succeeded")',
] as const

const rubric: Rubric = {
  name: "all",
  measures: [
    {
      name: "m",
      description: "d",
      rewards: RULES.flatMap((rule, index) => [
        { name: `once ${index}`, when: rule, weight: 0.5, rule },
        { name: `often ${index}`, when: rule, weight: 0.5, rule, per: "occurrence" as const },
      ]),
    },
  ],
}

const places = fc.constantFrom("hall", "study")
const commandIds = fc.constantFrom("c1", "c2")

const arbitraryEvent: fc.Arbitrary<CoreNewEvent> = fc.oneof(
  fc.constant<CoreNewEvent>({ type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } }),
  fc.record({
    type: fc.constant("SensorRead" as const),
    payload: fc.record({
      sensor: fc.constantFrom("room/view", "room/else"),
      reading: places,
      priority: fc.constant(0),
      latencyMs: fc.constant(1),
    }),
  }),
  fc.record({
    type: fc.constant("EnvironmentReset" as const),
    payload: fc.record({
      plugin: fc.constant("room"),
      seed: fc.constant(1),
      options: fc.constant({}),
      state: fc.record({ at: places, before: places, doors: fc.constantFrom([], ["a", "b"]) }),
    }),
  }),
  fc.record({
    type: fc.constant("EnvironmentChanged" as const),
    payload: fc.record({
      plugin: fc.constant("room"),
      patch: fc.array(
        fc.oneof(
          fc.record({ op: fc.constant("replace" as const), path: fc.constantFrom("/at", "/nowhere"), value: places }),
          fc.record({ op: fc.constant("add" as const), path: fc.constant("/lamp"), value: fc.boolean() }),
          fc.record({ op: fc.constant("remove" as const), path: fc.constant("/lamp") }),
        ),
        { maxLength: 2 },
      ),
    }),
  }),
  fc.record({
    type: fc.constant("ActuatorCommanded" as const),
    payload: fc.record({
      commandId: commandIds,
      actuator: fc.constantFrom("room/go", "room/stay"),
      args: fc.record({ to: places }),
      argsDigest: fc.constant("0".repeat(64)),
      priority: fc.constant(0),
    }),
  }),
  fc.record({ type: fc.constant("CommandDispatched" as const), payload: fc.record({ commandId: commandIds }) }),
  fc.record({
    type: fc.constant("CommandDenied" as const),
    payload: fc.record({ commandId: commandIds, reason: places, rule: fc.constant("default") }),
  }),
  fc.record({
    type: fc.constant("CommandSucceeded" as const),
    payload: fc.record({
      commandId: commandIds,
      result: fc.constant({}),
      latencyMs: fc.constant(1),
    }),
  }),
  fc.constant<CoreNewEvent>({ type: "TaskClosed", payload: { outcome: "achieved" } }),
)

/** Events as a log would hold them: ten milliseconds apart. */
const placed = (events: ReadonlyArray<CoreNewEvent>): ReadonlyArray<Event> =>
  events.map(({ type, payload }, index) => ({
    position: index + 1,
    id: `id-${index}`,
    timeline: "main",
    stream: "task/t1",
    version: index + 1,
    type,
    schemaVersion: 1,
    taskId: "t1",
    causationId: null,
    actor: "kernel",
    hash: "",
    payload: payload as JsonObject,
    occurredAt: index * 10,
    recordedAt: index * 10,
  }))

const start = RuleCritic.prepare(rubric)

const judge = (taskId: string, events: ReadonlyArray<Event>) => {
  const { observe: see, decide } = start(taskId)
  for (const event of events) see(event)
  return decide()
}

const compiled = new Map(RULES.map((rule) => [rule as string, Either.getOrThrow(Rule.compile(rule))]))

/** The commands before an event, looked up anew. */
const before = (events: ReadonlyArray<Event>, event: Event): RuleContext["commands"] => {
  const earlier = events.slice(0, events.indexOf(event))
  return earlier.flatMap((one, index) => {
    if (!is(one, "ActuatorCommanded")) return []
    const { commandId: id, actuator, args, argsDigest: digest } = one.payload
    const later = earlier.slice(index + 1)
    const again = later.findIndex((next) => is(next, "ActuatorCommanded") && next.payload.commandId === id)
    const own = again < 0 ? later : later.slice(0, again)
    const outcomes = { CommandSucceeded: "succeeded", CommandDenied: "denied" } as const
    const ends = own.flatMap(({ type, payload }) =>
      payload.commandId === id && (type === "CommandSucceeded" || type === "CommandDenied") ? [outcomes[type]] : [],
    )
    return [{ id, actuator, args, digest, position: one.position, outcome: ends.at(-1) ?? "open" }]
  })
}

/** Whether a path is in no state of the task, or in none of its events and in no other that there could be. */
const isNever = (events: ReadonlyArray<Event>, { text, at }: PathPattern.Read): boolean => {
  if (at?.variable === "event") return text === "event.payload.nothing"
  if (at?.variable !== "state") return false
  const end = events.findIndex(({ type }) => type === "TaskClosed")
  const own = end < 0 ? events : events.slice(0, end + 1)
  return !own.some((_, index) => {
    const state = own
      .slice(0, index + 1)
      .reduce(EnvironmentState.projection.evolve, EnvironmentState.projection.initial)
    return PathPattern.exists(EnvironmentState.taskScope(state, "t1"), at.steps)
  })
}

/** Judgements without the path that is nearest to one that never existed: it is looked up in what the rules read. */
const withoutNearest = (judged: ReadonlyArray<Verdict>): ReadonlyArray<Verdict> =>
  judged.map((one) => (one.kind === "unscored" ? { ...one, reason: one.reason.replace(/; nearest: .*$/s, "") } : one))

/** The same judged without any skill: every rule looks at every event, at all of the state. */
const judgePlainly = (events: ReadonlyArray<Event>): ReadonlyArray<Verdict> =>
  (rubric.measures[0]?.rewards ?? []).flatMap(({ name, weight, rule = "", per }): ReadonlyArray<Verdict> => {
    const { evaluate, mentionsEvent } = compiled.get(rule) ?? expect.unreachable(rule)
    const [counts, commands, because] = [new Map<string, number>(), new Map<unknown, JsonObject>(), [] as number[]]
    let [state, evaluated, held] = [EnvironmentState.projection.initial, false, false]
    let task: JsonObject = { id: "t1", goal: "", agent: "", outcome: null }
    let [broken, absent]: ReadonlyArray<string | undefined> = [undefined, undefined]
    const missing: Array<ReadonlyArray<PathPattern.Read>> = []
    for (const event of events) {
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
      state = EnvironmentState.projection.evolve(state, event)
      if (is(event, "TaskOpened")) task = { ...task, goal: event.payload.goal, agent: event.payload.agent }
      if (is(event, "TaskClosed")) task = { ...task, outcome: event.payload.outcome }
      if (is(event, "ActuatorCommanded")) {
        commands.set(event.payload.commandId, { actuator: event.payload.actuator, args: event.payload.args })
      }
      const command = commands.get(event.payload.commandId) ?? {}
      const scope = EnvironmentState.taskScope(state, "t1")
      const elapsed = event.recordedAt - (events[0]?.recordedAt ?? 0)
      const verdict = evaluate({ event, state: scope, task, command, commands: before(events, event), elapsed, counts })
      const holds = verdict.kind === "held" && verdict.value
      if (verdict.kind === "broken") broken = `its rule broke at @${event.position}: ${verdict.reason}`
      if (verdict.kind === "absent") {
        absent = `its rule never found what it looks at: ${verdict.reason}`
        missing.push(verdict.reads)
      }
      if (verdict.kind === "held") evaluated = true
      if (holds && (mentionsEvent || !held)) because.push(event.position)
      held = holds
      if (broken !== undefined || (per === undefined && because.length > 0) || is(event, "TaskClosed")) break
    }
    const [never] = missing.find((reads) => reads.length > 0 && reads.every((read) => isNever(events, read))) ?? []
    const mistake =
      never && because.length === 0 ? `the path ${never.text} existed at no moment of the task` : undefined
    const reason = broken ?? mistake ?? (evaluated ? undefined : absent)
    if (reason !== undefined) return [{ measure: "m", name, kind: "unscored", reason }]
    const amount = weight * because.length
    return because.length === 0 ? [] : [{ measure: "m", name, kind: "reward", weight, amount, because }]
  })

describe("judging by looking only at what has changed", () => {
  it("comes to what looking at everything comes to", () => {
    const decided = { given: 0, unscored: 0 }
    fc.assert(
      fc.property(fc.array(arbitraryEvent, { maxLength: 30 }), (unplaced) => {
        const events = placed(unplaced)
        const judged = judge("t1", events)
        for (const { kind } of judged) decided[kind === "unscored" ? "unscored" : "given"]++
        expect(withoutNearest(judged)).toEqual(judgePlainly(events))
      }),
      { numRuns: 300 },
    )
    expect(decided.given).toBeGreaterThan(1_000)
    expect(decided.unscored).toBeGreaterThan(1_000)
  })

  it("comes to the same for tasks that are judged at the same time, whose slow rules are looked at together", () => {
    fc.assert(
      fc.property(fc.array(fc.array(arbitraryEvent, { maxLength: 12 }), { minLength: 2, maxLength: 4 }), (stories) => {
        const judges = stories.map((_, index) => start(`t${index}`))
        const tasks = stories.map(placed)
        for (let at = 0; at < 12; at++) {
          for (const [index, events] of tasks.entries()) {
            const event = events[at]
            if (event !== undefined) judges[index]?.observe(event)
          }
        }
        const together = judges.map(({ decide }) => decide())
        expect(together).toEqual(tasks.map((events, index) => judge(`t${index}`, events)))
      }),
      { numRuns: 30 },
    )
  })
})
