/** How the agents of a task behave together, by promises and by effects. */
import * as path from "node:path"
import { Effect } from "effect"
import { CollectiveAudit, Hindcast } from "hindcast"
import { agentGroup } from "hindcast/promise"
import { describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { directory, opened, rejection } from "./opened.ts"

const player = (name: string, action: (step: number) => number) => ({
  name,
  version: "1",
  decide: ({ step }: { readonly step: number }) =>
    step === 0 && name === "ann"
      ? { say: "Let us work together", to: ["ben"] }
      : { act: "prisoners-dilemma/step", args: { action: action(step) } },
})

describe("the behaviour of several agents", () => {
  it("is the same by promises and by effects, on the task's own log", async () => {
    const at = directory()
    const hindcast = await opened({ at, plugins: [inRepository("packages", "worlds", "prisoners-dilemma")] })
    const agents = { ann: player("ann", () => 0), ben: player("ben", (step) => (step < 3 ? 1 : 0)) }
    const group = agentGroup({ name: "pair", version: "1", world: "prisoners-dilemma", maxRounds: 8, agents })
    const { taskId } = await hindcast.tasks.run(group, { goal: "Play", seed: 1 })
    const cooperative = ["prisoners-dilemma/step 0"]
    const found = await hindcast.auditCollective(taskId, { cooperative })
    expect(found.speech).toEqual([{ speaker: "ann", hearer: "ben", times: 1 }])
    const sum = (of: (period: (typeof found.periods)[number]) => number | null) =>
      found.periods.reduce((all, period) => all + (of(period) ?? 0), 0)
    const taken = sum(({ commands }) => commands)
    expect(taken).toBeGreaterThan(8)
    // All commands of both, but ben's first three.
    expect(sum(({ cooperative }) => cooperative)).toBe(taken - 3)
    expect(sum(({ actions }) => actions["prisoners-dilemma/step 1"] ?? 0)).toBe(3)
    expect((await hindcast.auditCollective(taskId)).periods.map(({ cooperative }) => cooperative)).toEqual(
      found.periods.map(() => null),
    )
    expect(await rejection(hindcast.auditCollective("nowhere"))).toMatchObject({ _tag: "TaskNotFound" })
    const unknown = await rejection(hindcast.auditCollective(taskId, { cooperative: ["prisoners-dilemma/step 2"] }))
    expect(unknown).toMatchObject({ _tag: "NoSuchAction", action: "prisoners-dilemma/step 2" })
    expect(String(unknown)).toContain(
      "expected an action of the task (prisoners-dilemma/step 0, prisoners-dilemma/step 1)",
    )
    expect(await rejection(hindcast.auditCollective(taskId, { cooperative: [1] } as never))).toMatchObject({
      _tag: "InvalidOptions",
    })
    const alone = await hindcast.tasks.run(
      { name: "one", version: "1", decide: () => ({ done: "achieved" as const, reason: "r" }) },
      { goal: "Do nothing" },
    )
    expect(await rejection(hindcast.auditCollective(alone.taskId))).toMatchObject({ _tag: "OfOneAgent", agents: 0 })
    await hindcast.close()
    const log = Hindcast.layerLog({ log: path.join(at, "log.db") })
    const load = CollectiveAudit.load(taskId, { cooperative })
    expect(await Effect.runPromise(Effect.provide(load, log))).toEqual(found)
  })
})
