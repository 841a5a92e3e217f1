import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import type { AnswerPart } from "../../../src/agents/models/Message.ts"
import * as PassageLines from "../../../src/cli/pages/explanation/PassageLines.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { firstEvent } from "../../../src/events/log/AppendRequest.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Passage from "../../../src/projections/explanation/Passage.ts"
import { TimeTravel } from "../../../src/projections/timetravel/TimeTravel.ts"
import { digest } from "../../../src/values/Digest.ts"
import { call, counter, eventsOf, failed, model, text } from "../../agents/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"

const reasoning = (words: string): AnswerPart => ({ type: "reasoning", text: words })

const HOSTILE = "I \u202eadd\nagain\u0000"

/** A task of a model that reasons, is busy once, and adds twice. */
const counted = Effect.gen(function* () {
  const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
  const { model: thinking } = model([
    [reasoning("They want a count."), text("I add one."), call("a", "counter__add", { by: 1 })],
    failed("overloaded", "busy"),
    [reasoning(HOSTILE), call("b", "counter__add", { by: 2 }), call("c", "counter__add", { by: 3 })],
    [reasoning("x".repeat(9_000)), text("It is 6.")],
  ])
  const audit = yield* run(
    Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: thinking }), { goal: "Count to 6" })),
  )
  const events = yield* run(eventsOf(audit.taskId))
  const of = (type: string) => events.filter((event) => event.type === type)
  const passageOf = (id: string) =>
    run(
      Effect.gen(function* () {
        const chain = yield* (yield* TimeTravel).why(id)
        return yield* Passage.of(yield* EventLog, chain)
      }),
    )
  return { run, taskId: audit.taskId, of, passageOf }
})

describe("a decision of a model", () => {
  it.scopedLive("has its words and its reasoning, where the provider shows it", () =>
    Effect.gen(function* () {
      const { of, run, taskId } = yield* counted
      const decisions = of("DecisionMade").map(({ payload }) => payload)
      expect(decisions[0]).toMatchObject({ rationale: "I add one.", reasoning: "They want a count." })
      expect(decisions[1]).not.toHaveProperty("rationale")
      // An answer without calls is what it says; the reasoning is cut, and whole in the answer.
      expect(decisions[2]).not.toHaveProperty("rationale")
      expect(String(decisions[2]?.reasoning)).toHaveLength(4_000)
      // The words beside calls are cut in the decision's reason, which is there for people.
      const long = model([[text("y".repeat(9_000)), call("a", "counter__add", { by: 1 })], [text("Done.")]])
      yield* run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: long.model }), { goal: "g", id: "l" })),
      )
      const [wordy] = (yield* run(eventsOf("l"))).filter(({ type }) => type === "DecisionMade")
      expect(String(wordy?.payload.rationale)).toHaveLength(4_000)
      expect(wordy?.payload.choice).toMatchObject({ say: "y".repeat(9_000) })
      const silent = fromModel({ model: model([]).model })
      expect(yield* run(Effect.flatMap(Kernel, ({ replay }) => replay(taskId, silent)))).toMatchObject({
        verdict: "identical",
        complete: true,
      })
    }),
  )
})

describe("the passage behind a command", () => {
  it.scopedLive("is the answer that requested it, with what the model had read, reasoned and said", () =>
    Effect.gen(function* () {
      const { of, passageOf } = yield* counted
      const [first, second, third] = of("ActuatorCommanded")
      const answers = of("ModelResponded").map(({ position }) => position)
      expect(yield* passageOf(first?.id ?? "")).toEqual({
        of: first?.position,
        answer: answers[0],
        model: "test/one",
        told: { role: "user", text: "Count to 6" },
        reasoning: "They want a count.",
        said: "I add one.",
      })
      // The retry recorded no messages, and both calls of the answer follow from the same one.
      const again = yield* passageOf(second?.id ?? "")
      expect(again).toMatchObject({ answer: answers[1], told: { role: "tool" }, said: null })
      expect(again?.told?.text).toContain("counter__add")
      expect(yield* passageOf(third?.id ?? "")).toMatchObject({ answer: answers[1], of: third?.position })
      // An outcome's chain leads to the command, and a message's to the decision.
      const succeeded = of("CommandSucceeded")[0]
      expect(yield* passageOf(succeeded?.id ?? "")).toMatchObject({ of: first?.position, answer: answers[0] })
      const said = yield* passageOf(of("MessageSent").at(-1)?.id ?? "")
      expect(said).toMatchObject({ answer: answers[2], said: "It is 6." })
      expect(said?.reasoning).toHaveLength(Passage.LONGEST)
      const lines = PassageLines.lines(plain, again).join("\n")
      expect(lines).toContain(`follows from the answer @${answers[1]} of test/one`)
      for (const hidden of ["\u202e", "\u0000"]) expect(lines).not.toContain(hidden)
      expect(Math.max(...PassageLines.lines(plain, said).map(({ length }) => length))).toBeLessThan(400)
    }),
  )

  it.scopedLive("is the same in a fork, and missing where no model decided", () =>
    Effect.gen(function* () {
      const { run, taskId, of, passageOf } = yield* counted
      expect(yield* passageOf(of("TaskOpened")[0]?.id ?? "")).toBeUndefined()
      const asked = of("ModelCalled")[2]
      const other = model([[reasoning("Differently."), call("z", "counter__add", { by: 9 })], [text("Done.")]])
      yield* run(
        Effect.flatMap(Kernel, ({ fork }) =>
          fork(fromModel({ model: other.model }), {
            task: taskId,
            at: (asked?.position ?? 0) - 1,
            acceptUnrewound: true,
          }),
        ),
      )
      const forked = yield* run(
        Effect.flatMap(EventLog, (log) => log.readPage({ timeline: "fork-1", types: ["ActuatorCommanded"] }, 9)),
      )
      expect(yield* passageOf(forked.at(-1)?.id ?? "")).toMatchObject({ reasoning: "Differently." })
      // An agent that decides by itself has no conversation.
      const plainAgent = {
        name: "plain",
        version: "1",
        decide: ({ step }: { readonly step: number }) =>
          step === 0 ? { act: "counter/add", args: { by: 1 } } : { done: "achieved" as const },
      }
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(plainAgent, { goal: "g", id: "plain" })))
      const command = (yield* run(eventsOf("plain"))).find(({ type }) => type === "ActuatorCommanded")
      expect(yield* passageOf(command?.id ?? "")).toBeUndefined()
    }),
  )

  it.scopedLive("has the words of the agent that decided, and no summary", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const log = yield* run(EventLog)
      const append = (type: string, payload: object, causationId?: string) =>
        Effect.flatMap(
          log.append({
            timeline: "main",
            stream: "task/several",
            taskId: "several",
            actor: "agent:test",
            events: [{ type, payload, ...(causationId === undefined ? {} : { causationId }) } as never],
          }),
          firstEvent,
        )
      const turn = (agentId: string, request: object, words: string, ...calls: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const called = yield* append("ModelCalled", {
            provider: "test",
            model: agentId,
            requestDigest: digest(words),
            request,
            agentId,
          })
          const parts = [text(words), ...calls.map((id) => call(id, "counter__add"))]
          const usage = { inputTokens: 1, outputTokens: 1 }
          return yield* append("ModelResponded", { response: { parts }, usage }, called.id)
        })
      const told = (words: string) => ({ messages: [{ role: "user", content: [text(words)] }] })
      const decided = (agentId: string, calls: ReadonlyArray<string> = []) =>
        append("DecisionMade", {
          agent: `${agentId}@1`,
          choice: { calls: calls.map((callId) => ({ callId, tool: "counter__add", args: {} })) },
          agentId,
        })
      const own = yield* turn("ada", told("You are Ada"), "I wait.")
      yield* turn("ada", { summarize: 2 }, "Ada waits.")
      yield* turn("bob", told("You are Bob"), "I go.")
      const passage = yield* Passage.of(log, [yield* decided("ada")])
      expect(passage).toMatchObject({
        answer: own.position,
        model: "test/ada",
        told: { text: "You are Ada" },
        said: "I wait.",
      })
      // Several models may use one id for their calls.
      const again = yield* turn("ada", { messages: [] }, "I add.", "call-1")
      yield* turn("bob", { messages: [] }, "I add, too.", "call-1")
      const adding = yield* Passage.of(log, [yield* decided("ada", ["call-1"])])
      expect(adding).toMatchObject({ answer: again.position, told: { text: "You are Ada" }, said: "I add." })
    }),
  )
})
