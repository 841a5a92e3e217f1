import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as TaskAudit from "../../../src/projections/audit/TaskAudit.ts"
import * as Transitions from "../../../src/projections/exports/Transitions.ts"
import { event, idOf, inTask, place, sha, type Unplaced } from "../given.ts"

const opened = event("TaskOpened", { goal: "Find it", measures: [], agent: "me@1" })
const closed = (outcome: "achieved" | "failed" | "truncated" | "abandoned") => event("TaskClosed", { outcome })
const read = (reading: number) => event("SensorRead", { sensor: "room/steps", reading, priority: 0, latencyMs: 1 })
const commanded = (commandId: string) =>
  event("ActuatorCommanded", {
    commandId,
    actuator: "room/go",
    args: { to: commandId },
    argsDigest: sha("a"),
    priority: 0,
  })
const succeeded = (commandId: string) => event("CommandSucceeded", { commandId, result: null, latencyMs: 5 })
const failed = (commandId: string) => event("CommandFailed", { commandId, error: { code: "no", message: "no" } })
const reset = event("EnvironmentReset", { plugin: "room", seed: 1, options: {}, state: { at: "hall" } })
const moved = (value: string, cause?: number) =>
  event(
    "EnvironmentChanged",
    { plugin: "room", patch: [{ op: "replace", path: "/at", value }] },
    cause === undefined ? {} : { causationId: idOf(cause) },
  )
const rubric = {
  measures: [
    { name: "tidy", rewards: [{ name: "found", weight: 0.5 }], punishments: [{ name: "noise", weight: 0.1 }] },
  ],
}
const scoring = (given: ReadonlyArray<Unplaced>) => [
  event("ScoringStarted", {
    scoreSetId: "s",
    taskIds: ["t"],
    rubric,
    rubricDigest: sha("r"),
    critic: "rule",
    criticDigest: sha("c"),
    label: "live",
    range: { from: 1, to: 99 },
  }),
  ...given,
  event("ScoringFinished", { scoreSetId: "s", totals: {} }),
]
const reward = (amount: number, because: ReadonlyArray<number>) =>
  event("RewardGiven", { scoreSetId: "s", measure: "tidy", name: "found", weight: 0.5, amount, because })
const punishment = (amount: number, because: ReadonlyArray<number>) =>
  event("PunishmentGiven", { scoreSetId: "s", measure: "tidy", name: "noise", weight: 0.1, amount, because })

const transitionsOf = (events: ReadonlyArray<Unplaced>) => {
  const placed = place(inTask("t", events))
  const audit = Either.getOrThrow(TaskAudit.fold("t", placed))
  const score = audit.scores[0] ?? null
  const draft = Transitions.begin(audit, score)
  for (const each of placed) draft.add(each)
  return { audit, score, steps: [...draft.transitions()] }
}

const rewardsOf = (events: ReadonlyArray<Unplaced>) => transitionsOf(events).steps.map(({ reward }) => reward)

// @1 opened, @2 reset, @3 read, @4 commanded a, @5 succeeded a, @6 moved, @7 read, @8 commanded b, @9 failed b, @10 closed
const twoSteps = [
  opened,
  reset,
  read(0),
  commanded("a"),
  succeeded("a"),
  moved("study", 5),
  read(1),
  commanded("b"),
  failed("b"),
]

describe("transitions", () => {
  it("say why a result is missing, and who said after a crash what became of a command", () => {
    const unrecorded = { reason: "expected JSON, found a cycle" }
    const { steps } = transitionsOf([
      ...[opened, commanded("a"), commanded("b")],
      event("CommandSucceeded", { commandId: "a", result: null, latencyMs: 5, unrecorded }),
      event("CommandFailed", { commandId: "b", error: { code: "no", message: "no" }, settledBy: "bank@1.0.0" }),
      closed("achieved"),
    ])
    expect(steps).toMatchObject([
      { outcome: "succeeded", unrecorded: "expected JSON, found a cycle", settledBy: null },
      { outcome: "failed", unrecorded: null, settledBy: "bank@1.0.0" },
    ])
  })

  it("say for each command what there was before it, what was done, and what there was before the next one", () => {
    const { steps } = transitionsOf([...twoSteps, closed("achieved")])
    const before = { readings: { "room/steps": 0 }, environment: { room: { at: "hall" } } }
    const between = { readings: { "room/steps": 1 }, environment: { room: { at: "study" } } }
    expect(steps).toEqual([
      {
        taskId: "t",
        timeline: "main",
        agent: "me@1",
        goal: "Find it",
        step: 0,
        position: 4,
        at: expect.any(Number),
        state: before,
        action: { actuator: "room/go", args: { to: "a" } },
        outcome: "succeeded",
        nextState: between,
        reward: 0,
        rewards: [],
        done: false,
        truncated: false,
        scoreSetId: null,
        unrecorded: null,
        settledBy: null,
      },
      expect.objectContaining({
        step: 1,
        position: 8,
        state: between,
        outcome: "failed",
        nextState: between,
        done: true,
      }),
    ])
  })

  it("give each share of an amount to the step of the event that it is due to; together they are the net score", () => {
    const { steps, score } = transitionsOf([
      ...twoSteps,
      closed("failed"),
      ...scoring([reward(1, [5, 9]), punishment(0.1, [6])]),
    ])
    expect(steps.map(({ reward }) => reward)).toEqual([0.4, 0.5])
    expect(steps[0]?.rewards).toEqual([
      { measure: "tidy", name: "found", amount: 0.5, position: 5 },
      { measure: "tidy", name: "noise", amount: -0.1, position: 6 },
    ])
    expect(score?.net).toBe(0.9)
  })

  it("give each step what its own event counts, where a world gives a reward of its own for each", () => {
    const given = [reward(0.25, [4]), reward(3, [8]), punishment(0.5, [8])]
    const { steps, score } = transitionsOf([...twoSteps, closed("failed"), ...scoring(given)])
    expect(steps.map(({ reward }) => reward)).toEqual([0.25, 2.5])
    expect(score?.measures[0]?.rewards).toEqual([
      { name: "found", weight: 0.5, times: 2, amount: 3.25, because: [4, 8], amounts: [0.25, 3] },
    ])
    const equal = transitionsOf([...twoSteps, closed("failed"), ...scoring([reward(0.1, [4]), reward(0.1, [8])])])
    expect(equal.score?.measures[0]?.rewards[0]).not.toHaveProperty("amounts")
    expect(equal.steps.map(({ reward }) => reward)).toEqual([0.1, 0.1])
  })

  it("give what comes before the first command to the first step, and what cites the close, or nothing, to the last", () => {
    const story = [...twoSteps, closed("achieved")]
    expect(rewardsOf([...story, ...scoring([reward(0.5, [3])])])).toEqual([0.5, 0])
    expect(rewardsOf([...story, ...scoring([reward(0.5, [10])])])).toEqual([0, 0.5])
    expect(rewardsOf([...story, ...scoring([reward(0.5, [])])])).toEqual([0, 0.5])
  })

  it("give an outcome that comes late, and what it caused, to the command that it is of", () => {
    // @2 commanded a, @3 commanded b, @4 succeeded a, @5 moved because of it, @6 succeeded b
    const story = [
      opened,
      commanded("a"),
      commanded("b"),
      succeeded("a"),
      moved("study", 4),
      succeeded("b"),
      closed("achieved"),
    ]
    expect(rewardsOf([...story, ...scoring([reward(0.5, [4]), punishment(0.1, [5])])])).toEqual([0.4, 0])
    expect(transitionsOf(story).steps.map(({ outcome }) => outcome)).toEqual(["succeeded", "succeeded"])
  })

  it("tell an end from a stop, and neither from a task that is still open", () => {
    const ends = (events: ReadonlyArray<Unplaced>) => {
      const last = transitionsOf(events).steps.at(-1)
      return [last?.done, last?.truncated]
    }
    expect(ends([...twoSteps, closed("failed")])).toEqual([true, false])
    expect(ends([...twoSteps, closed("truncated")])).toEqual([false, true])
    expect(ends([...twoSteps, closed("abandoned")])).toEqual([false, true])
    expect(ends(twoSteps)).toEqual([false, false])
  })

  it("transitions of a task without a command are none", () => {
    expect(transitionsOf([opened, closed("abandoned")]).steps).toEqual([])
  })

  it("say how commands ended that nobody let pass, or whose outcome nobody knows", () => {
    const ask = event("ConfirmationRequested", {
      confirmationId: "q",
      commandId: "a",
      argsDigest: sha("a"),
      shown: {},
      expiresAt: 0,
    })
    const outcomes = (events: ReadonlyArray<Unplaced>) =>
      transitionsOf([opened, ...events]).steps.map(({ outcome }) => outcome)
    const denied = event("CommandDenied", { commandId: "a", rule: "r", reason: "no" })
    expect(outcomes([commanded("a"), denied])).toEqual(["denied"])
    expect(outcomes([commanded("a"), ask, event("ConfirmationExpired", { confirmationId: "q" }), denied])).toEqual([
      "expired",
    ])
    const unknown = event("CommandOutcomeUnknown", { commandId: "a" })
    expect(outcomes([commanded("a"), unknown])).toEqual(["unknown"])
    expect(outcomes([commanded("a"), unknown, succeeded("a")])).toEqual(["succeeded"])
    expect(outcomes([commanded("a")])).toEqual(["open"])
  })
})
