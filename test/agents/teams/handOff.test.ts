import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Agent from "../../../src/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { stoppingAt } from "../../kernel/stopping.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, eventsOf, model, text, typesOf } from "../given.ts"
import { answering } from "./given.ts"

const agent = (name: string, given: Agent.ModelAgentOptions["model"], options: Partial<Agent.ModelAgentOptions> = {}) =>
  Agent.fromModel({ model: given, name, version: "1", guide: { systemPrompt: `You are ${name}.` }, ...options })

const lookUp = Tool.make({ description: "Looks it up", risk: "none", idempotent: true, run: () => "found" })

const started = Effect.flatMap(testKernel({ tools: { look: lookUp } }), ({ start }) => start)

/** Two agents, each of which may hand its task over to the other. */
const pair = (first: Agent.ModelAgentOptions["model"], second: Agent.ModelAgentOptions["model"]) => {
  const agents: { ann?: Agent.AdvancingAgent; ben?: Agent.AdvancingAgent } = {}
  const toBen = () => [agents.ben].filter((one) => one !== undefined)
  const toAnn = () => [agents.ann].filter((one) => one !== undefined)
  agents.ann = agent("ann", first, { handoffs: toBen, tools: [] })
  agents.ben = agent("ben", second, { handoffs: toAnn, tools: ["program/look"], description: "looks things up" })
  return { ann: agents.ann, ben: agents.ben }
}

describe("a hand-off", () => {
  it.scopedLive("lets another agent continue the conversation, with its own guide, model and tools", () =>
    Effect.gen(function* () {
      const first = model(
        [[text("A case for Ben."), call("h", "hand_off", { to: "ben", reason: "he looks" })]],
        "first",
      )
      const second = model([[call("l", "program__look")], [text("Found.")]], "second")
      const { ann } = pair(first.model, second.model)
      const { run } = yield* started
      const kernel = yield* run(Kernel)
      expect(yield* kernel.tasks.run(ann, { id: "t", goal: "Find it" })).toMatchObject({ outcome: "achieved" })
      expect(first.requests[0]?.tools).toMatchObject([
        { name: "hand_off", description: expect.stringContaining("ben (looks things up)") },
      ])
      const [request] = second.requests
      expect(request?.system).toContain("You are ben.")
      expect(request?.tools.map(({ name }) => name)).toEqual(["program__look", "hand_off"])
      expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
      expect(request?.messages.at(-1)).toMatchObject({
        content: [{ content: { handedOverTo: "ben" }, isError: false }],
      })
      const events = yield* run(eventsOf("t"))
      expect(events.filter(({ type }) => type === "TaskHandedOff")).toMatchObject([
        { actor: "agent:ann@1", payload: { from: "ann@1", to: "ben@1", reason: "he looks" } },
      ])
      expect(events.filter(({ type }) => type === "DecisionMade").map(({ payload }) => payload.agent)).toEqual([
        "ann@1",
        "ben@1",
        "ben@1",
      ])
      expect(yield* kernel.replay("t", ann)).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("in a circle is refused, and the agent reads why; after a command it is none", () =>
    Effect.gen(function* () {
      const first = model([
        [call("a", "hand_off", { to: "ben" })],
        // Ben has worked in between.
        [text("Thank you, Ben.")],
      ])
      const second = model(
        [[call("b", "hand_off", { to: "ann" })], [call("l", "program__look")], [call("c", "hand_off", { to: "ann" })]],
        "second",
      )
      const { ann } = pair(first.model, second.model)
      const { run } = yield* started
      const { tasks } = yield* run(Kernel)
      expect(yield* tasks.run(ann, { id: "t", goal: "Go" })).toMatchObject({ outcome: "achieved" })
      expect(second.requests[1]?.messages.at(-1)).toMatchObject({
        content: [
          {
            isError: true,
            content:
              "a hand-off in a circle: ann handed the task over itself, and nothing was done since. Continue yourself",
          },
        ],
      })
      const events = yield* run(eventsOf("t"))
      expect(events.filter(({ type }) => type === "TaskHandedOff").map(({ payload }) => payload.to)).toEqual([
        "ben@1",
        "ann@1",
      ])
    }),
  )

  it.scopedLive("is refused with other calls beside it, to nobody that is known, and without a name", () =>
    Effect.gen(function* () {
      const first = model([
        [call("a", "hand_off", { to: "ben" }), call("b", "hand_off", { to: "ben" })],
        [call("c", "hand_off", { to: "eve" })],
        [call("d", "hand_off", { who: "ben" })],
        [text("Then I do it.")],
      ])
      const { ann } = pair(first.model, model([]).model)
      const { run } = yield* started
      const { tasks } = yield* run(Kernel)
      yield* tasks.run(ann, { id: "t", goal: "Go" })
      const told = first.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)))
      expect(told[0]).toContain("expected a hand-off alone")
      expect(told[1]).toContain("there is no agent eve; the agents are: ben")
      expect(told[2]).toContain("is missing")
      expect(typesOf(yield* run(eventsOf("t")))).not.toContain("TaskHandedOff")
    }),
  )

  it("goes only to agents from models, each under a name of its own", () => {
    const one = model([]).model
    const plain = { name: "plain", version: "1", decide: () => ({ done: "achieved" as const }) }
    expect(() => agent("a", one, { handoffs: [plain] })).toThrow(
      /handoffs.0: expected an agent that thinks with a model \(`fromModel`\), found plain, which is none/,
    )
    expect(() => agent("a", one, { handoffs: [agent("b", one), agent("b", one)] })).toThrow(
      /handoffs.1: expected agents with different names, found another b/,
    )
  })

  it.scopedLive("fails the task of an agent that names a tool that the task does not have", () =>
    Effect.gen(function* () {
      const { run } = yield* started
      const { tasks } = yield* run(Kernel)
      const failed = yield* Effect.flip(
        tasks.run(agent("a", model([]).model, { tools: ["program/lok"] }), { id: "t", goal: "Go" }),
      )
      expect(failed.message).toMatch(
        /tools.0: expected an active actuator of the task .*program\/look.*Did you mean program\/look/s,
      )
    }),
  )

  it.scopedLive(
    "is resumed wherever its kernel stopped: it is recorded once, and the right agent continues",
    () =>
      Effect.gen(function* () {
        const turns = () =>
          pair(
            answering([[call("h", "hand_off", { to: "ben" })]], "first").model,
            answering([[], [call("l", "program__look")], [text("Found.")]], "second").model,
          )
        let stops = 0
        for (let count = 3; ; count += 2) {
          const tools = { look: lookUp }
          const first = yield* stoppingAt((_, appends) => appends === count, { tools })
          const living = yield* Effect.fork(
            Effect.exit(
              Effect.scoped(
                Effect.flatMap(first.start, ({ run }) =>
                  run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(turns().ann, { id: "t", goal: "Go" }))),
                ),
              ),
            ),
          )
          const at = yield* Effect.raceFirst(first.stopped, Effect.as(Fiber.join(living), undefined))
          if (at === undefined) break
          stops += 1
          const where = `before append ${count}, ${at.events.map(({ type }) => type).join("+")}`
          loseLease(first.log)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const second = yield* (yield* testKernel({ directory: first.directory, tools, onOpenTasks: "resume" }))
                .start
              const kernel = yield* second.run(Kernel)
              if ((yield* kernel.tasks.unfinished).length === 0) return
              expect(yield* kernel.tasks.resume("t", turns().ann), where).toMatchObject({ outcome: "achieved" })
              const events = yield* second.run(eventsOf("t"))
              expect(
                typesOf(events).filter((type) => type === "TaskHandedOff"),
                where,
              ).toHaveLength(1)
              const agents = events.filter(({ type }) => type === "DecisionMade").map(({ payload }) => payload.agent)
              expect(agents, where).toEqual(["ann@1", "ben@1", "ben@1"])
              expect(yield* kernel.replay("t", turns().ann), where).toMatchObject({ verdict: "identical" })
            }),
          ).pipe(Effect.ensuring(first.goOn))
        }
        expect(stops).toBeGreaterThan(5)
      }),
    { timeout: 120_000 },
  )
})
