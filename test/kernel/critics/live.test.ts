import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { CONSENT } from "../given.ts"
import { rubric, writeJudge } from "./given.ts"

const mixed = rubric([
  { name: "ruled", weight: 0.3, rule: "task.outcome == 'achieved'" },
  { name: "lit", weight: 0.5 },
])

/** A function that finds the end of every task, and says which version of it did. */
const version = (name: string) => `
  for await (const { type, position } of task.events) {
    if (type === "TaskClosed") return [{ name: "lit", because: [position], rationale: "${name}" }]
  }
  return []`

describe("a task that is closed", () => {
  it.scopedLive("is scored by its plugins' functions too, in the versions that it was opened with", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const source = (light: string) => writeJudge(path.join(base, "source"), { light, rubric: mixed })
      const options = {
        log: path.join(base, "log.db"),
        workspace: base,
        plugins: [source(version("first"))],
        host: CONSENT,
      } as const
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "Light it" })
        yield* kernel.plugins.import(source(version("second")))
        yield* task.close("achieved")
        const { scores } = yield* kernel.audit(task.id)
        expect(scores).toMatchObject([
          { label: "live", critic: "rule@4+plugin:judge@1.0.0", earned: 0.8, unscored: [], finished: true },
        ])
        const [closed, given] = yield* (yield* EventLog)
          .readPage({ types: ["TaskClosed", "RewardGiven"] }, 10)
          .pipe(Effect.map((events) => [events[0], events.find(({ payload }) => payload.name === "lit")]))
        expect(given?.payload).toMatchObject({ because: [closed?.position], rationale: "first" })
      }).pipe(Effect.provide(Hindcast.layer(options)))
    }),
  )
})
