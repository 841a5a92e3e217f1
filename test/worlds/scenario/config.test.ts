import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"
import { text } from "../../agents/given.ts"
import { agentOf, answering } from "../../kernel/resume/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { decoded, theLostKey } from "./given.ts"

describe("an agent with a model in a scenario", () => {
  it.scopedLive("is told the scenario's guide after its own, and remembers its goals and settings", () =>
    Effect.gen(function* () {
      const { run } = yield* Effect.flatMap(
        testKernel({ plugins: [inRepository("plugins", "text-room")] }),
        ({ start }) => start,
      )
      const config = `
    initial_agent_config:
      guide: { systemPrompt: "You are curious.", temperature: 0.5, memoryPolicy: sliding-window }
      goals: ["find the document"]
      self_model: { mood: curious }`
      const scenario = theLostKey.replace('    start_room: "study"', `    start_room: "study"${config}`)
      const { model, requests } = answering([[text("I give up.")]])
      const audit = yield* run(Scenario.run(agentOf(model), yield* decoded(scenario)))
      expect(audit.outcome).toBe("achieved")
      const [asked] = requests
      expect(asked?.temperature).toBe(0.5)
      expect(asked?.system).toMatch(/^Publish\.\n\nYou are curious\./)
      expect(asked?.system).toContain('- goals: ["find the document"]\n- self_model: {"mood":"curious"}')
    }),
  )
})
