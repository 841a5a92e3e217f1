import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ModelAgent from "../../../src/agents/Agent.ts"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"
import { model, text as says } from "../../agents/given.ts"
import { events } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { doing, SOLUTION, theLostKey } from "../scenario/given.ts"
import { NO_FILES, ran, walker, wayOf } from "./given.ts"

const kernelWith = (...plugins: ReadonlyArray<string>) =>
  Effect.flatMap(
    testKernel({ plugins: plugins.map((plugin) => inRepository(...plugin.split("/"))) }),
    ({ start }) => start,
  )

describe("a stage with a scenario", { timeout: 120_000 }, () => {
  it.scopedLive("plays it, is complete when it is won, and keeps it in the log", () =>
    Effect.gen(function* () {
      const { run } = yield* kernelWith("plugins/text-room")
      const text = `
curriculum: Keys
version: "1"
stages:
  - { stage: lost-key, world: text-room, scenario: lost-key.yaml, complete: outcomes.achieved == 1 }
`
      const files = {
        ...NO_FILES,
        scenario: () => Effect.mapError(Scenario.decode(theLostKey, "lost-key.yaml"), String),
      }
      const found = yield* run(ran(text, doing(SOLUTION), { files }))
      expect(wayOf(found)).toEqual(["lost-key 1: PROCEED"])
      const [ended] = yield* run(events("ScenarioEnded"))
      expect(ended?.payload).toMatchObject({ result: "won" })
      const [opened] = yield* run(events("TaskOpened"))
      expect(opened?.payload.goal).toContain("find a lost key")
      const [started] = yield* run(events("CurriculumStarted"))
      expect(started?.payload.scenarios).toMatchObject({ "lost-key.yaml": { scenario_name: "The Lost Key" } })
    }),
  )
})

describe("a tutor with a model", { timeout: 120_000 }, () => {
  it.scopedLive("sees the evidence, gives its answer as a hint, and stops when its tokens are spent", () =>
    Effect.gen(function* () {
      const { run } = yield* kernelWith("packages/worlds/corridor")
      const text = `
curriculum: Corridors
version: "1"
tutors:
  ann: { role: a teacher, model: test/one, budget: { hints: 9, tokens: 200 } }
stages:
  - stage: short
    world: corridor
    options: { length: 3 }
    max_steps: 3
    attempts: 4
    complete: attempt == 4
    rules: [{ when: "true", do: APPLY_HINT, tutor: ann }]
`
      const scripted = model([[says("Try the other way.")], [says("Really.")]])
      const ann = ModelAgent.fromModel({ model: scripted.model })
      const found = yield* run(ran(text, walker, { agents: { ann } }))
      expect(wayOf(found)).toEqual([
        "short 1: APPLY_HINT short",
        "short 2: APPLY_HINT short",
        "short 3: REPEAT_STEP short",
        "short 4: PROCEED",
      ])
      // Each answer takes 110 tokens.
      expect(found.attempts[2]?.decided?.verdicts[1]).toMatchObject({
        result: "used up",
        reason: "ann has spent its tokens or dollars",
      })
      expect(found.attempts.map(({ guidance }) => guidance?.content)).toEqual([
        "Try the other way.",
        "Really.",
        undefined,
        undefined,
      ])
      const asked = JSON.stringify(scripted.requests[0])
      for (const seen of ["You are ann, a teacher.", "one short hint", "outcomes", "achieved"])
        expect(asked).toContain(seen)
    }),
  )
})
