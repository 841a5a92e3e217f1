import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as RuleCritic from "../../../src/kernel/critics/rules/RuleCritic.ts"
import * as Predicate from "../../../src/kernel/rules/Predicate.ts"
import * as Rule from "../../../src/kernel/rules/Rule.ts"
import * as EnvironmentState from "../../../src/projections/state/EnvironmentState.ts"
import * as Expressions from "../../../src/worlds/scenario/Expressions.ts"

const event = {
  position: 1,
  id: "",
  timeline: "main",
  stream: "task/t1",
  version: 1,
  type: "SensorRead",
  schemaVersion: 1,
  taskId: "t1",
  causationId: null,
  actor: "kernel",
  occurredAt: 0,
  recordedAt: 0,
  payload: {},
  hash: "",
}

const held = (source: string) =>
  Either.getOrThrow(Rule.compile(source)).evaluate({
    event,
    task: {},
    command: {},
    commands: [],
    elapsed: 5_000,
    state: { seven: 7, three: 3, half: 0.5, zero: 0, list: [1, 2, 3] },
    counts: new Map([["SensorRead", 3]]),
  })

describe("numbers from the state take part in all arithmetic of CEL:", () => {
  it.each([
    ...["state.seven % 3 == 1", "state.seven % state.three == 1", "10 % state.seven == 3", "-state.seven % 3 == -1"],
    ...["state.seven + 1 == 8", "1 + state.seven == 8", "state.seven - 1 == 6", "8 - state.seven == 1"],
    ...["state.seven * 2 == 14", "2 * state.seven == 14", "state.seven / 2 == 3.5", "14 / state.seven == 2"],
    ...["state.seven + 2u == 9", "2u * state.half == 1", "state.seven % 2u == 1u"],
    ...["elapsed / 1000 == 5", "elapsed % 2 == 0", "elapsed == 5000", "5000 != elapsed + 1"],
    ...['count("SensorRead") * state.half == 1.5', 'count("SensorRead") == state.three', "1 == 1.0"],
    ...["state.list[state.seven - 7] == 1", "state.list.exists(x, x % 2 == 0)", "size(state.list) + state.seven == 10"],
    // Two integers of the expression are integers.
    ...["7 / 2 == 3", "7 % 2 == 1", "state.seven / state.zero > 1e308"],
  ])("%s", (source) => {
    expect(held(source)).toEqual({ kind: "held", value: true })
  })

  it("a text is no number", () => {
    expect(held('"7" + state.seven == "77"')).toMatchObject({ kind: "broken" })
  })

  it("also in predicates of time travel, and in conditions of scenarios", () => {
    const predicate = Either.getOrThrow(Predicate.compile("value % 3 == 1 && position % 2 == 1", { ofPath: true }))
    expect(predicate.holds({ state: EnvironmentState.projection.initial, event: null, position: 5, value: 7 })).toBe(
      true,
    )
    expect(Either.getOrThrow(Expressions.ofAgent("energy % 3 == 1"))({ energy: 7 })).toBe(true)
  })
})

describe("the critic of rules says whether it is exact:", () => {
  const rubric = (rule: string) => ({
    name: "test",
    measures: [{ name: "m", description: "d", rewards: [{ name: "r", when: "w", weight: 1, rule }] }],
  })

  it("the same events have the same verdicts by rules whose time cannot get out of hand", () => {
    expect(RuleCritic.of(rubric("state.seven % 3 == 1"))).toMatchObject({ name: "rule@4", exact: true })
  })

  it.each(['task.goal.matches("(a+)+$")', "state.list.exists(x, state.list.exists(y, x == y))"])(
    "not by one that may be given up, and so has another name and digest: %s",
    (rule) => {
      const critic = RuleCritic.of(rubric(rule))
      expect(critic).toMatchObject({ name: "timed-rule@4", exact: false })
      expect(critic.digest).not.toBe(RuleCritic.of(rubric("elapsed > 1.0")).digest)
    },
  )
})
