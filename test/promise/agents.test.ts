import { Effect } from "effect"
import { Agent as EffectAgents } from "hindcast"
import { type AgentTask, agentFromEffect } from "hindcast/promise"
import { describe, expect, it } from "vitest"
import { outside, placesOf } from "../wrongOptions.ts"
import { first, opened, rejection, typesIn } from "./opened.ts"

/** Adds a random number, twice. */
const adder = {
  name: "adder",
  version: "1.0.0",
  advance: async (task: AgentTask) => {
    await task.perceive()
    const by = Math.floor(task.random() * 100)
    const { event } = await task.act("desk/add", { by })
    return task.now() === event.recordedAt && (await typesOf(task)).includes("desk/add") && by % 2 === 1
  },
}

const typesOf = async (task: AgentTask) => (await task.capabilities()).actuators.map(({ name }) => name)

const MODEL = { provider: "house", model: "echo", request: { ask: "what?" } } as const
const ANSWER = { response: { say: "that" }, usage: { inputTokens: 1, outputTokens: 1 } }

/** Says what a model answers. */
const speaker = (answering: () => Promise<typeof ANSWER>) => ({
  name: "speaker",
  version: "1.0.0",
  advance: async (task: AgentTask) => {
    await task.say(JSON.stringify(await task.consult(MODEL, answering)))
    return false
  },
})

class Broken extends Error {}

describe("an agent", () => {
  it("decides by a promise", async () => {
    const hindcast = await opened()
    const audit = await hindcast.tasks.run(
      {
        name: "counter",
        version: "1.0.0",
        decide: async ({ readings, lastOutcome }) =>
          readings["desk/count"] === 1
            ? { done: "achieved", reason: String(lastOutcome?.status) }
            : { act: "desk/add", args: {} },
      },
      { goal: "Count to one" },
    )
    expect(audit).toMatchObject({ agent: "counter@1.0.0", outcome: "achieved", reason: "succeeded", steps: 1 })
  })

  it("advances by promises of its task, and its run is replayed to the same", async () => {
    const hindcast = await opened()
    const { taskId, outcome } = await hindcast.tasks.run(adder, { goal: "Add", seed: 3, maxSteps: 50 })
    expect(outcome).toBe("achieved")
    const before = await hindcast.events.head()
    expect(await hindcast.replay(taskId, adder)).toMatchObject({ verdict: "identical", complete: true })
    expect(await hindcast.events.head()).toEqual(before)
  })

  it("that does otherwise diverges in a replay, though it catches every rejection", async () => {
    const hindcast = await opened()
    const { taskId } = await hindcast.tasks.run(adder, { goal: "Add", seed: 3 })
    const stubborn = {
      ...adder,
      advance: async (task: AgentTask): Promise<boolean> => {
        for (;;) await task.act("desk/break").catch(() => new Promise((resolve) => setImmediate(resolve)))
      },
    }
    expect(await hindcast.replay(taskId, stubborn)).toMatchObject({ verdict: "diverged" })
  })

  it("goes on in a fork after what was recorded", async () => {
    const hindcast = await opened()
    const { taskId } = await hindcast.tasks.run(adder, { goal: "Add", seed: 3 })
    const [acted] = await first(1, hindcast.events.read({ types: ["CommandSucceeded"] }))
    const forked = await hindcast.fork(adder, { at: acted?.position ?? 0, acceptUnrewound: true })
    expect(forked).toMatchObject({ taskId, timeline: "fork-1", audit: { outcome: "achieved" } })
  })

  it("consults a model once: a replay calls none", async () => {
    const hindcast = await opened()
    let calls = 0
    const agent = speaker(async () => {
      calls++
      return ANSWER
    })
    const { taskId } = await hindcast.tasks.run(agent, { goal: "Speak" })
    expect(await hindcast.replay(taskId, agent)).toMatchObject({ verdict: "identical" })
    expect(calls).toBe(1)
    expect(await typesIn(hindcast, "ModelCalled", "ModelResponded", "MessageSent")).toHaveLength(3)
  })

  it("stops asking its model when the call is aborted", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Ask" })
    const stopping = new AbortController()
    const aborted: Array<unknown> = []
    const answering = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => aborted.push(true))
      stopping.abort("enough")
      return new Promise<typeof ANSWER>(() => {})
    }
    expect(await rejection(task.consult(MODEL, answering, { signal: stopping.signal }))).toBe("enough")
    expect(aborted).toEqual([true])
  })

  it("gets what its model was rejected with, as it is", async () => {
    const hindcast = await opened()
    const broken = new Broken("no answer")
    const caught: Array<unknown> = []
    const answering = () => Promise.reject(broken)
    const deciding = {
      name: "asker",
      version: "1",
      decide: async ({ consult }: EffectAgents.DecisionContext): Promise<EffectAgents.Choice> => {
        caught.push(await rejection(consult(MODEL, answering)))
        return { done: "failed" }
      },
    }
    await hindcast.tasks.run(deciding, { goal: "Ask" })
    const error = await rejection(hindcast.tasks.run(speaker(answering), { goal: "Speak" }))
    expect(caught).toEqual([broken])
    expect(caught[0]).toBe(broken)
    expect(error).toBeInstanceOf(EffectAgents.AgentFailed)
    expect(error).toMatchObject({ reason: "no answer" })
  })

  it("of a class keeps its this", async () => {
    const hindcast = await opened()
    class Patient {
      readonly name = "patient"
      readonly version = "1"
      #left = 2
      async advance(): Promise<boolean> {
        return this.#left-- > 0
      }
    }
    expect(await hindcast.tasks.run(new Patient(), { goal: "Wait" })).toMatchObject({ outcome: "achieved" })
  })

  it("that is interrupted leaves no rejection behind, and its calls end with its task", async () => {
    const hindcast = await opened()
    const unhandled: Array<unknown> = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on("unhandledRejection", note)
    const stopping = new AbortController()
    const ended: Array<unknown> = []
    const hanger = {
      name: "hanger",
      version: "1",
      advance: async (task: AgentTask) => {
        ended.push(await rejection(task.act("desk/hang")))
        throw new Broken("after the end")
      },
    }
    const running = rejection(hindcast.tasks.run(hanger, { goal: "Hang", signal: stopping.signal }))
    await first(1, hindcast.events.follow({ types: ["CommandDispatched"] }))
    stopping.abort()
    expect(await running).toMatchObject({ name: "AbortError" })
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off("unhandledRejection", note)
    expect(ended).toMatchObject([{ _tag: "TaskClosed" }])
    expect(unhandled).toEqual([])
  })

  it("that is written with Effect is run as it is", async () => {
    const hindcast = await opened()
    const agent = EffectAgents.fromAdvance({
      name: "effectful",
      version: "1",
      advance: (task) => Effect.as(task.act("desk/add"), false),
    })
    const audit = await hindcast.tasks.run(agentFromEffect(agent), { goal: "Add" })
    expect(audit).toMatchObject({ agent: "effectful@1", outcome: "achieved" })
  })

  it.each([
    null,
    1,
    {},
    { name: "a", version: "1" },
    { name: "a", version: "1", decide: 1 },
    { name: "", version: "1", advance: () => true },
  ])("that is none is refused: %j", async (agent) => {
    const hindcast = await opened()
    expect(placesOf(await rejection(hindcast.tasks.run(outside(agent), { goal: "Count" })))).toEqual(["agent"])
    expect(await typesIn(hindcast, "TaskOpened")).toEqual([])
  })
})
