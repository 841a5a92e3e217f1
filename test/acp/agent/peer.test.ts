import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Peer from "../../../src/acp/agent/Peer.ts"
import * as PromptGate from "../../../src/acp/agent/PromptGate.ts"
import type { AdvancingAgent, AgentTask } from "../../../src/kernel/agents/Agent.ts"
import { lines } from "./editor.ts"

/** A peer whose requests never end. */
const served = Effect.gen(function* () {
  const editor = lines()
  const made = yield* Deferred.make<Peer.Peer>()
  yield* Effect.forkScoped(
    Peer.serve(editor.streams, (peer) => {
      Deferred.unsafeDone(made, Exit.succeed(peer))
      return {
        request: (method) => Effect.succeed(method === "break" ? Effect.dieMessage("it broke") : Effect.never),
        notification: () => Effect.void,
      }
    }),
  )
  return { ...editor, peer: yield* made }
})

describe("the agent's side of a connection", () => {
  it.scopedLive("refuses more requests than it can have in progress", () =>
    Effect.gen(function* () {
      const { say, ask, heard } = yield* served
      for (let id = 0; id < 256; id++) say({ id, method: "wait" })
      expect((yield* ask("wait")).error).toMatchObject({
        code: -32_600,
        message: expect.stringContaining("at most 256"),
      })
      expect(heard).toHaveLength(1)
    }),
  )

  it.scopedLive("answers a request that breaks", () =>
    Effect.gen(function* () {
      const { ask } = yield* served
      expect((yield* ask("break")).error).toEqual({ code: -32_603, message: "it broke" })
    }),
  )

  it.scopedLive("asks, gets answers and errors, and withdraws a question that is interrupted", () =>
    Effect.gen(function* () {
      const { peer, say, seen } = yield* served
      const answered = yield* Effect.fork(peer.request("ask/one", { a: 1 }))
      const one = yield* seen(({ method }) => method === "ask/one")
      expect(one).toEqual({ jsonrpc: "2.0", id: 0, method: "ask/one", params: { a: 1 } })
      say({ id: 99, result: "of nobody" })
      say({ id: one.id, result: "yes" })
      expect(yield* Fiber.join(answered)).toBe("yes")

      const refused = yield* Effect.fork(peer.request("ask/two", {}))
      const two = yield* seen(({ method }) => method === "ask/two")
      say({ id: two.id, error: { code: 1, message: "no" } })
      expect((yield* Effect.flip(Fiber.join(refused))).reason).toBe("no")

      const left = yield* Effect.fork(peer.request("ask/three", {}))
      const three = yield* seen(({ method }) => method === "ask/three")
      yield* Fiber.interrupt(left)
      expect(yield* seen(({ method }) => method === "$/cancel_request")).toMatchObject({
        params: { requestId: three.id },
      })
    }),
  )
})

describe("a gate between prompts", () => {
  it.scopedLive("holds words that were taken when it closed, and adds those that came meanwhile", () =>
    Effect.gen(function* () {
      const gate = yield* PromptGate.make
      const inputs = [["stop"], ["go on"]]
      // The gate closes while the agent takes its words.
      const task = {
        inputs: () => Effect.as(inputs.length === 2 ? gate.close : Effect.void, inputs.shift() ?? []),
      } as unknown as AgentTask
      const taken = yield* Deferred.make<unknown>()
      const agent = {
        advance: (own: AgentTask) => Effect.flatMap(own.inputs({}), (all) => Deferred.succeed(taken, all)),
      } as unknown as AdvancingAgent
      yield* Effect.fork(gate.behind(agent).advance(task) as Effect.Effect<unknown>)
      yield* gate.holds
      expect(yield* Deferred.isDone(taken)).toBe(false)
      yield* gate.open
      expect(yield* Deferred.await(taken)).toEqual(["stop", "go on"])
    }),
  )

  it.scopedLive("lets a step end that takes no words", () =>
    Effect.gen(function* () {
      const gate = yield* PromptGate.make
      const task = { inputs: () => Effect.as(gate.close, []) } as unknown as AgentTask
      const agent = { advance: (own: AgentTask) => own.inputs({}) } as unknown as AdvancingAgent
      expect(yield* gate.behind(agent).advance(task) as Effect.Effect<unknown>).toEqual([])
    }),
  )

  it.scopedLive("holds an agent before its next step, and gives it the same task each time", () =>
    Effect.gen(function* () {
      const gate = yield* PromptGate.make
      const task = { inputs: () => Effect.succeed([]) } as unknown as AgentTask
      const steps: Array<AgentTask> = []
      const agent = {
        advance: (own: AgentTask) => Effect.sync(() => void steps.push(own)),
      } as unknown as AdvancingAgent
      const behind = gate.behind(agent)
      const step = Effect.suspend(() => behind.advance(task) as Effect.Effect<unknown>)
      yield* step
      yield* gate.close
      const held = yield* Effect.fork(step)
      yield* gate.holds
      expect(steps).toHaveLength(1)
      yield* gate.open
      yield* Fiber.join(held)
      expect(steps).toHaveLength(2)
      expect(steps[0]).toBe(steps[1])
    }),
  )
})
