import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import fc from "fast-check"
import { describe, expect } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as RuleCritic from "../../src/kernel/critics/rules/RuleCritic.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import * as Rule from "../../src/kernel/rules/Rule.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Events as a log would hold them: positions from 1, ten milliseconds apart. */
const given = (...events: ReadonlyArray<CoreNewEvent>): ReadonlyArray<Event> =>
  events.map((event, index) => ({
    position: index + 1,
    id: `00000000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`,
    timeline: "main",
    stream: "task/t1",
    version: index + 1,
    type: event.type,
    schemaVersion: 1,
    taskId: "t1",
    causationId: null,
    actor: "kernel",
    occurredAt: index * 10,
    recordedAt: index * 10,
    payload: event.payload,
    hash: "",
  }))

const opened: CoreNewEvent = { type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } }
const closed: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }
const lamp = (reading: boolean): CoreNewEvent => ({
  type: "SensorRead",
  payload: { sensor: "room/lamp", reading, priority: 0, latencyMs: 1 },
})

const command = (commandId: string): CoreNewEvent => ({
  type: "ActuatorCommanded",
  payload: { commandId, actuator: "room/push", args: {}, argsDigest: "d", priority: 0 },
})

const rubric = (
  ...rewards: ReadonlyArray<Omit<NonNullable<Rubric.Rubric["measures"][number]["rewards"]>[number], "when">>
) =>
  ({
    name: "test",
    measures: [{ name: "m", description: "d", rewards: rewards.map((reward) => ({ ...reward, when: "w" })) }],
  }) satisfies Rubric.Rubric

const judge = (rewards: Rubric.Rubric, ...events: ReadonlyArray<CoreNewEvent>) =>
  RuleCritic.judge(rewards, "t1", given(...events))

describe("the rule critic", () => {
  it("gives a reward once, at the first event where its rule holds", () => {
    const lit = rubric({ name: "lit", weight: 0.5, rule: 'state.readings["room/lamp"] == true' })
    expect(judge(lit, opened, lamp(false), lamp(true), lamp(true), closed)).toEqual([
      { measure: "m", name: "lit", kind: "reward", weight: 0.5, amount: 0.5, because: [3] },
    ])
  })

  it("counts each time a state turns true, and each event where a rule about the event holds", () => {
    const often = rubric(
      { name: "turned on", weight: 0.1, per: "occurrence", rule: 'state.readings["room/lamp"] == true' },
      { name: "seen lit", weight: 0.1, per: "occurrence", rule: 'event.type == "SensorRead" && event.payload.reading' },
    )
    expect(judge(often, opened, lamp(true), lamp(true), lamp(false), lamp(true), closed)).toMatchObject([
      { name: "turned on", because: [2, 5], amount: 0.2 },
      { name: "seen lit", because: [2, 3, 5], amount: 0.3 },
    ])
  })

  it("does not decide a rule that reads a path which existed at no moment of the task, and names the nearest", () => {
    const command = { commandId: "c", actuator: "room/go", args: { to: "hall" }, priority: 0, risk: "none" as const }
    const commanded: CoreNewEvent = { type: "ActuatorCommanded", payload: { ...command, argsDigest: "0".repeat(64) } }
    const verdicts = (rule: string) =>
      judge(rubric({ name: "r", weight: 1, rule }), opened, lamp(false), commanded, closed).map((verdict) =>
        verdict.kind === "unscored" ? verdict.reason : verdict.because,
      )
    const nearest = (path: string, found: string) => [
      `the path ${path} existed at no moment of the task; nearest: ${found}`,
    ]
    const closes = 'event.type == "TaskClosed"'
    const cases: ReadonlyArray<readonly [rule: string, verdicts: ReadonlyArray<unknown>]> = [
      [`${closes} && state.redings["room/lamp"] == false`, nearest('state.redings["room/lamp"]', "state.readings")],
      [
        `${closes} && state.readings["room/lamb"] == false`,
        nearest('state.readings["room/lamb"]', 'state.readings["room/lamp"]'),
      ],
      [`${closes} && task.outcom == "achieved"`, nearest("task.outcom", "task.outcome")],
      [`${closes} && event.payload.outcom == "achieved"`, nearest("event.payload.outcom", "event.payload.outcome")],
      ['command.actuatr == "room/go"', nearest("command.actuatr", "command, which has actuator, args")],
      [
        `${closes} && commands.exists(c, c.actuatr == "room/go")`,
        nearest("c.actuatr", "commands[*], which has id, actuator, args, digest, position, outcome"),
      ],
      // What is there later, or was there before, is false until then.
      ['event.type == "TaskOpened" && state.readings["room/lamp"] == false', []],
      ['state.readings["room/lamp"] == true', []],
      ['state.readings["room/lamp"] == true && state.readings["room/door"] == true', []],
      [
        'state.readings["room/lamp"] == false && state.readings["room/door"] == true',
        nearest('state.readings["room/door"]', "state.readings, which has room/lamp"),
      ],
      // An alternative that holds decides.
      ['state.readings["room/lamp"] == false || state.readings["room/door"] == true', [[2]]],
      // Another event or command may have what these do not.
      [`${closes} && event.payload.reason == "tired"`, []],
      ['event.type == "ActuatorCommanded" && event.payload.args.door == "north"', []],
      ['event.type == "ActuatorCommanded" && command.args.door == "north"', []],
      [`${closes} && commands.exists(c, c.args.door == "north")`, []],
      // To test for absence is legitimate.
      [`${closes} && !("room/door" in state.readings)`, [[4]]],
      [`${closes} && !has(state.readings.door)`, [[4]]],
      [`${closes} && has(state.nosuch.door)`, []],
    ]
    for (const [rule, expected] of cases) expect([rule, verdicts(rule)]).toEqual([rule, expected])
  })

  it("counts by step as a share of the agent's commands, which a longer task does not change", () => {
    const share = rubric({ name: "failed", weight: 0.5, per: "step", rule: 'event.type == "CommandFailed"' })
    const half = (index: number): ReadonlyArray<CoreNewEvent> => [
      command(`a${index}`),
      { type: "CommandFailed", payload: { commandId: `a${index}`, error: { code: "e", message: "m" }, latencyMs: 1 } },
      command(`b${index}`),
      { type: "CommandSucceeded", payload: { commandId: `b${index}`, result: null, latencyMs: 1 } },
    ]
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (times) => {
        const events = Array.from({ length: times }, (_, index) => half(index)).flat()
        const [verdict] = judge(share, opened, ...events, closed)
        expect(verdict).toMatchObject({ name: "failed", weight: 0.5, amount: 0.25 })
        expect(verdict?.kind === "reward" && verdict.because).toHaveLength(times)
      }),
    )
  })

  it("does not score by step what happened in a task without a command", () => {
    const share = rubric({ name: "read", weight: 0.5, per: "step", rule: 'event.type == "SensorRead"' })
    expect(judge(share, opened, lamp(true), closed)).toEqual([
      { measure: "m", name: "read", kind: "unscored", reason: "it counts by step, and the task has no command" },
    ])
    expect(judge(share, opened, closed)).toEqual([])
  })

  it("sums decimals exactly", () => {
    const thrice = rubric({ name: "r", weight: 0.1, per: "occurrence", rule: 'event.type == "SensorRead"' })
    expect(judge(thrice, opened, lamp(true), lamp(true), lamp(true))).toMatchObject([{ amount: 0.3 }])
  })

  it("knows the task, the time since it was opened, and how many events there were", () => {
    const all = rubric(
      { name: "task", weight: 1, rule: 'task.id == "t1" && task.goal == "g" && task.outcome == "achieved"' },
      { name: "elapsed", weight: 1, rule: "elapsed >= 20" },
      { name: "count", weight: 1, rule: 'count("SensorRead") == 2' },
    )
    expect(judge(all, opened, lamp(true), lamp(true), closed)).toMatchObject([
      { name: "task", because: [4] },
      { name: "elapsed", because: [3] },
      { name: "count", because: [3] },
    ])
  })

  it("is silent about what did not happen", () => {
    expect(judge(rubric({ name: "r", weight: 1, rule: 'event.type == "CommandDenied"' }), opened, closed)).toEqual([])
  })

  it("scores nothing that it cannot decide, and says why", () => {
    const undecidable = rubric(
      { name: "no rule", weight: 1 },
      { name: "typo", weight: 1, rule: 'state.reading["room/lamp"] == true' },
      { name: "not boolean", weight: 1, rule: 'state.readings["room/lamp"]' },
    )
    const lampColour: CoreNewEvent = {
      type: "SensorRead",
      payload: { sensor: "room/lamp", reading: "red", priority: 0, latencyMs: 1 },
    }
    expect(judge(undecidable, opened, lampColour, closed)).toEqual([
      { measure: "m", name: "no rule", kind: "unscored", reason: "it has no rule, and no other critic was asked" },
      {
        measure: "m",
        name: "typo",
        kind: "unscored",
        reason:
          'the path state.reading["room/lamp"] existed at no moment of the task; nearest: state.readings["room/lamp"]',
      },
      {
        measure: "m",
        name: "not boolean",
        kind: "unscored",
        reason: "its rule broke at @2: expected true or false, found red",
      },
    ])
  })

  it("does not see earlier scores of the same task", () => {
    const spying = rubric({ name: "r", weight: 1, rule: 'count("RewardGiven") > 0 || event.type == "RewardGiven"' })
    const reward: CoreNewEvent = {
      type: "RewardGiven",
      payload: { scoreSetId: "s", measure: "m", name: "r", weight: 1, amount: 1, because: [1] },
    }
    expect(judge(spying, opened, closed, reward)).toEqual([])
  })
})

describe("what comes after a task was closed", () => {
  const late: ReadonlyArray<CoreNewEvent> = [
    lamp(true),
    { type: "CommandOutcomeUnknown", payload: { commandId: "c1" } },
    { type: "TaskClosed", payload: { outcome: "failed" } },
  ]
  const all = rubric(
    { name: "lit", weight: 1, per: "occurrence", rule: 'event.type == "SensorRead" && event.payload.reading' },
    { name: "lost", weight: 1, rule: 'count("CommandOutcomeUnknown") > 0' },
    { name: "failed", weight: 1, rule: 'task.outcome == "failed"' },
  )

  it("is not scored: a later scoring sees what the first one saw", () => {
    const story = [opened, lamp(true), closed]
    const first = judge(all, ...story)
    expect(first).toMatchObject([{ name: "lit", because: [2] }])
    expect(judge(all, ...story, ...late)).toEqual(first)
  })
})

describe("a rule", () => {
  const problem = (source: string) => {
    const compiled = Rule.compile(source)
    return Either.isLeft(compiled) ? compiled.left : undefined
  }

  it("a rule that does not compile is refused with its column", () => {
    expect(problem("1 +")).toMatchObject({ line: 1, column: 4 })
    expect(problem('event.type == "A" &&\n  evnt.x')).toMatchObject({
      line: 2,
      column: 3,
      reason: "Unknown variable: evnt",
    })
    expect(problem("count(3) > 1")?.reason).toContain("count(int)")
    expect(problem("elapsed")?.message).toContain("it gives a value of type double")
    expect(problem("elapsed > 1.0")).toBeUndefined()
  })
})

describe("a rubric", () => {
  it("a rubric with a weight of 7, an unknown field and a broken rule says all of it", () => {
    const measure = { name: "m", description: "d", rewards: [{ name: "r", when: "w", weight: 7 }] }
    const wrong = Rubric.decode("mine.yaml", { name: "n", colour: 1, measures: [measure] })
    const message = Either.isLeft(wrong) ? wrong.left.message : ""
    expect(message).toContain("Rubric mine.yaml is invalid")
    expect(message).toContain("measures[0].rewards[0].weight: expected a number from 0 to 1, found 7.")
    expect(message).toContain("colour: expected one of the fields name, measures, found an unknown field.")
    const broken = Rubric.decode("mine.yaml", {
      name: "n",
      measures: [
        { name: "m", description: "d", rewards: [{ name: "r", when: "w", weight: 1, rule: "evnt.x" }] },
        { name: "empty", description: "d" },
      ],
    })
    const rules = Either.isLeft(broken) ? broken.left.message : ""
    expect(rules).toContain('m, "r": Rule `evnt.x`, line 1, column 1: Unknown variable: evnt')
    expect(rules).toContain("empty: expected at least one reward or punishment, found none")
  })

  it("a rubric in which a name is there twice says where: what it gives would be counted twice", () => {
    const reward = { name: "r", when: "w", weight: 0.5 }
    const measure = { name: "m", description: "d", rewards: [reward] }
    const issuesOf = (...measures: ReadonlyArray<object>) =>
      Either.match(Rubric.decode("mine.yaml", { name: "n", measures }), {
        onLeft: ({ issues }) => issues,
        onRight: () => [],
      })
    expect(issuesOf(measure, { ...measure, plugin: "p" }, { ...measure, punishments: [reward] })).toEqual([
      "measures[2]: expected a unique name for each measure, found m, which measures[0] already has",
    ])
    expect(issuesOf({ ...measure, punishments: [reward] }, { ...measure, plugin: "p" })).toEqual([])
    expect(issuesOf({ ...measure, rewards: [reward, { ...reward, name: "s" }, reward] })).toEqual([
      'measures[0].rewards[2]: expected each of a measure\'s rewards to have a unique name, found "r", which rewards[0] already has',
    ])
    expect(issuesOf({ ...measure, punishments: [reward, reward] })[0]).toContain("measures[0].punishments[1]")
  })

  it.scopedLive("is read from YAML; a file that is not there or is not YAML says so", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "rubric.yaml")
      fs.writeFileSync(
        file,
        "name: n\nmeasures:\n  - {name: m, description: d, rewards: [{name: r, when: w, weight: 1}]}\n",
      )
      expect((yield* Rubric.load(file)).measures[0]?.rewards?.[0]?.weight).toBe(1)
      fs.writeFileSync(file, "name: [n")
      expect((yield* Effect.flip(Rubric.load(file))).message).toContain("expected YAML or JSON")
      expect((yield* Effect.flip(Rubric.load(`${file}.none`))).message).toContain("found none")
    }),
  )

  it("has the same digest whatever the order of its keys", () => {
    const measure = { name: "m", description: "d", rewards: [{ name: "r", when: "w", weight: 1 }] }
    const turned = { rewards: [{ weight: 1, when: "w", name: "r" }], description: "d", name: "m" }
    expect(Rubric.digestOf({ name: "n", measures: [measure] })).toBe(Rubric.digestOf({ measures: [turned], name: "n" }))
  })
})

describe("a rule that is meant to do harm", () => {
  const numbers = `[${Array.from({ length: 200 }, (_, n) => n).join(", ")}]`
  const loops = ["a", "b", "c", "d"].reduce((inner, name) => `${numbers}.exists(${name}, ${inner})`, "elapsed < 0.0")

  it("by a regular expression that backtracks elsewhere is judged in linear time", () => {
    const rule = `"${"a".repeat(60)}!".matches("^(a+)+$")`
    const harmless = rubric(
      { name: "harm", weight: 0.5, rule },
      { name: "closed", weight: 0.5, rule: "event.type == 'TaskClosed'" },
    )
    expect(judge(harmless, opened, closed)).toMatchObject([{ name: "closed", amount: 0.5 }])
  })

  it.each([["by loops in loops", loops]])("%s is stopped, and the others are judged", (_, rule) => {
    const harmful = rubric(
      { name: "harm", weight: 0.5, rule },
      { name: "closed", weight: 0.5, rule: "event.type == 'TaskClosed'" },
    )
    const judged = judge(harmful, opened, ...Array.from({ length: 100 }, () => lamp(true)), closed)
    expect(judged).toMatchObject([
      // By the time on a busy machine, which comes first there.
      { name: "harm", reason: expect.stringMatching(/takes more than 5,000,000 steps|took more than 250 ms/) },
      { name: "closed", amount: 0.5 },
    ])
  })

  it("a rule that takes a little less than is stopped, again and again, is given up", () => {
    const short = `${numbers.slice(0, numbers.indexOf(", 60"))}]`
    const rule = `${short}.exists(a, ${short}.exists(b, ${short}.exists(c, double(a + b + c) + elapsed < -1.0)))`
    const judged = judge(rubric({ name: "harm", weight: 0.5, rule }), opened, ...Array(500).fill(lamp(true)), closed)
    expect(judged).toMatchObject([{ name: "harm", reason: expect.stringMatching(/took/) }])
  })
})
