import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { encoder, type Step } from "../../../src/events/steps/StepColumns.ts"
import * as StepPosition from "../../../src/events/steps/StepPosition.ts"
import * as RuleCritic from "../../../src/kernel/critics/rules/RuleCritic.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { temporaryLog } from "../../temporary.ts"

/** Steps with two refusals, rewards of both signs, and a document whose parts change now and then. */
const STEPS = Array.from({ length: 40 }, (_, index): Step => {
  const reward = (index % 5) - 1
  const readings = { observation: index, action_mask: [index % 2] }
  const patch = index % 3 === 0 ? [{ op: "replace" as const, path: "/x", value: index }] : []
  return index % 17 === 3
    ? { action: index, result: {}, error: { code: "No", message: "not now" }, patch: [], readings }
    : { action: index, result: { reward, rewards: { reward }, info: { at: index % 7 } }, patch, readings }
})

const appended = Effect.gen(function* () {
  const log = yield* EventLog
  const append = (type: string, payload: JsonObject) =>
    log.append({ stream: "task/t", actor: "kernel", taskId: "t", events: [{ type, payload } as never] })
  yield* append("TaskOpened", { goal: "g", agent: "a@1", measures: [], plugins: ["w"], seed: 1 })
  for (const first of [0, 25]) {
    const steps = STEPS.slice(first, first === 0 ? 25 : 40)
    const encoded = encoder().encode(steps)
    if (encoded === undefined) throw new Error("expected columns that fit")
    yield* append("StepsRecorded", {
      ...{ plugin: "w", first, steps: steps.length, rule: "r", latencyMs: 1, priorities: {} },
      ...(first === 0 ? { begin: { seed: 1, options: {}, state: { x: 0 }, readings: { observation: -1 } } } : {}),
      ...encoded,
    })
  }
  yield* append("TaskClosed", { outcome: "achieved", reason: "done" })
  return log
})

const RULES: ReadonlyArray<readonly [rule: string, stepTypes: ReadonlyArray<string> | undefined]> = [
  ['event.type == "CommandSucceeded" && event.payload.result.reward > 0.5', ["CommandSucceeded"]],
  ['event.type == "CommandFailed" && event.payload.error.code == "No"', ["CommandFailed"]],
  ['event.type == "CommandSucceeded" && event.payload.result.nothing == 1', ["CommandSucceeded"]],
  ['event.type == "CommandSucceeded" && event.payload.unheard == 1', ["CommandSucceeded"]],
  [
    'event.type == "SensorRead" && event.payload.sensor == "w/observation" && event.payload.reading > 30',
    ["SensorRead"],
  ],
  ['event.type in ["RewardGiven", "CommandSucceeded"]', ["CommandSucceeded", "RewardGiven"]],
  ['event.type == "CommandSucceeded" && command.args.action == 7', ["ActuatorCommanded", "CommandSucceeded"]],
  ['state.environment["w"].x > 20', ["EnvironmentChanged", "EnvironmentReset"]],
  ['event.type == "CommandSucceeded" && state.readings["w/observation"] == 11', ["CommandSucceeded", "SensorRead"]],
  [
    'event.type == "CommandSucceeded" && commands.size() > 20',
    ["ActuatorCommanded", "CommandFailed", "CommandSucceeded"],
  ],
  ["count('CommandAllowed') > 10", undefined],
  ["event.payload.reading == 5", undefined],
  ['task.outcome == "achieved"', undefined],
]

describe("the events of steps of some types", () => {
  it.scopedLive("are those of all events, at the same positions and with the same ids", () =>
    Effect.gen(function* () {
      const log = yield* appended
      const all = yield* log.readPage({}, 10_000)
      for (const types of [["CommandSucceeded"], ["SensorRead", "RewardGiven"], ["EnvironmentReset"], []]) {
        const some = yield* log.readPage({ stepTypes: types }, 10_000)
        expect(some).toEqual(all.filter(({ id, type }) => !id.includes("#") || types.includes(type)))
        // Pages that end within an event.
        const first = yield* log.readPage({ stepTypes: types }, 5)
        const after = first.at(-1)?.position ?? 0
        expect([...first, ...(yield* log.readPage({ stepTypes: types, after }, 10_000))]).toEqual(some)
      }
    }).pipe(Effect.provide(temporaryLog())),
  )

  for (const per of ["occurrence", "task", "step"] as const) {
    it.scopedLive(`are all that rules per ${per} need`, () =>
      Effect.gen(function* () {
        const log = yield* appended
        const all = yield* log.readPage({}, 10_000)
        let held = 0
        for (const [rule, stepTypes] of RULES) {
          const rewards = [{ name: "it", when: "it holds", weight: 1, per, rule }]
          const rubric = { name: "r", measures: [{ name: "m", description: "d", rewards }] }
          const critic = RuleCritic.of(rubric)
          const needed = stepTypes && per === "step" ? [...new Set([...stepTypes, "ActuatorCommanded"])] : stepTypes
          expect([rule, critic.stepTypes && [...critic.stepTypes].sort()]).toEqual([rule, needed && [...needed].sort()])
          // Once as far as a fork from a step in mid-event shares the history.
          for (const until of [StepPosition.after(3, 33), all.at(-1)?.position ?? 0]) {
            const judging = critic.start({ taskId: "t", read: () => Effect.succeed([]) })
            const query = { until, ...(critic.stepTypes === undefined ? {} : { stepTypes: critic.stepTypes }) }
            for (const event of yield* log.readPage(query, 10_000)) judging.observe(event)
            const verdicts = yield* judging.decide
            const shared = all.filter(({ position }) => position <= until)
            expect([rule, verdicts]).toEqual([rule, RuleCritic.judge(rubric, "t", shared)])
            if (verdicts[0]?.kind === "reward" && shared.length === all.length) held += 1
          }
        }
        expect(held).toBeGreaterThan(8)
      }).pipe(Effect.provide(temporaryLog())),
    )
  }
})
