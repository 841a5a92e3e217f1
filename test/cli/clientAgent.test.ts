/** An agent whose decisions a client makes, without the client. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Asks from "../../src/cli/serve/Asks.ts"
import * as ClientAgent from "../../src/cli/serve/ClientAgent.ts"
import type { DecisionContext } from "../../src/kernel/agents/Agent.ts"

it("ends a consultation that the client leaves unanswered when its decision ends", async () => {
  const asks = await Effect.runPromise(Asks.make)
  const { agent, deciding } = ClientAgent.make(asks, { name: "forgetful", version: "1.0.0" })
  let consulted: Promise<unknown> = Promise.resolve()
  const context = {
    consult: (_: unknown, answering: () => Promise<unknown>) => {
      consulted = answering()
      return consulted
    },
  } as unknown as DecisionContext
  const decided = Effect.runPromise(agent.decide(context) as Effect.Effect<unknown, unknown>)
  const { ask } = await Effect.runPromise(asks.next)
  const question = { provider: "acme", model: "large", request: {} }
  expect(await Effect.runPromise(deciding()?.consult(question) ?? Effect.succeed("nobody decides"))).toBeUndefined()
  expect(await Effect.runPromise(asks.answer(ask, { result: { done: "achieved" } }))).toBe(true)
  expect(await decided).toEqual({ done: "achieved" })
  await expect(consulted).rejects.toThrow("expected the model's answer before the end of the decision")
})
