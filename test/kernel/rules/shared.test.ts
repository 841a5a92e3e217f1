import { Either } from "effect"
import { expect, it } from "vitest"
import * as Rule from "../../../src/kernel/rules/Rule.ts"

const SOURCE = 'count("SensorRead") >= 2 && state.wet == true'

const contextOf = (taskId: string, readings: number, wet: boolean): Rule.RuleContext => ({
  event: {
    position: readings,
    id: "",
    timeline: "main",
    stream: `task/${taskId}`,
    version: 1,
    type: "SensorRead",
    schemaVersion: 1,
    taskId,
    causationId: null,
    actor: "kernel",
    occurredAt: 0,
    recordedAt: 0,
    payload: {},
    hash: "",
  },
  task: {},
  command: {},
  commands: [],
  elapsed: 0,
  state: { wet },
  counts: new Map([["SensorRead", readings]]),
})

it("tasks that share a compiled rule are judged each by its own events and state", () => {
  const [one, other] = [Rule.compile(SOURCE), Rule.compile(SOURCE)].map(Either.getOrThrow)
  const [seenByOne, seenByOther] = [[], []]
  for (const readings of [1, 2, 3]) {
    expect(one?.evaluate(contextOf("t1", readings, true))).toEqual({ kind: "held", value: readings >= 2 })
    expect(other?.evaluate(contextOf("t2", readings - 1, true))).toEqual({ kind: "held", value: readings >= 3 })
    expect(other?.evaluate(contextOf("t3", readings, false))).toEqual({ kind: "held", value: false })
  }
  // What one task's inputs were is no reason not to look at another's.
  const stateRule = [Rule.compile("state.wet == true"), Rule.compile("state.wet == true")].map(Either.getOrThrow)
  expect(stateRule[0]?.inputsChanged(contextOf("t1", 1, true), seenByOne)).toBe(true)
  expect(stateRule[0]?.inputsChanged(contextOf("t1", 1, true), seenByOne)).toBe(false)
  expect(stateRule[1]?.inputsChanged(contextOf("t2", 1, true), seenByOther)).toBe(true)
})

it("a rule that does not compile is refused each time, and more rules than are kept are all compiled", () => {
  for (const _ of [1, 2]) expect(Either.getLeft(Rule.compile("state.")).pipe((flaw) => flaw._tag)).toBe("Some")
  for (const index of [...Array(600).keys(), 0, 300, 599]) {
    const rule = Either.getOrThrow(Rule.compile(`count("SensorRead") == ${index}`))
    expect(rule.evaluate(contextOf("t1", index, true))).toEqual({ kind: "held", value: true })
  }
})
