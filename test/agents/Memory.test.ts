import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Memory from "../../src/agents/Memory.ts"
import type { AnswerPart, Message } from "../../src/agents/models/Message.ts"
import { call, text } from "./given.ts"

const told = (words: string): Message => ({ role: "user", content: [{ type: "text", text: words }] })

const answered = (...content: ReadonlyArray<AnswerPart>): Message => ({ role: "assistant", content })

const results = (...callIds: ReadonlyArray<string>): Message => ({
  role: "tool",
  content: callIds.map((callId) => ({ callId, tool: "t", isError: false, content: null })),
})

/** One turn: its calls, and what was said to the agent after it. */
interface Turn {
  readonly calls: number
  readonly heard: number
}

const turns = fc.array(
  fc.record<Turn>({ calls: fc.integer({ min: 0, max: 3 }), heard: fc.integer({ min: 0, max: 2 }) }),
  { maxLength: 12 },
)

/** The messages of a turn: the answer, one result for each of its calls, and what was said. */
const messagesOf = ({ calls, heard }: Turn, number: number): ReadonlyArray<Message> => {
  const ids = Array.from({ length: calls }, (_, index) => `${number}-${index}`)
  const heardOf = Array.from({ length: heard }, (_, index) => told(`${number} ${index}`))
  return calls === 0
    ? [answered(text(`${number}`)), ...heardOf]
    : [answered(...ids.map((id) => call(id, "t"))), results(...ids), ...heardOf]
}

const policies = fc.oneof(
  fc.constant<Memory.CompletePolicy>({ name: "full" }),
  fc.record({ name: fc.constant("sliding-window" as const), turns: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    name: fc.constant("summary" as const),
    maxTokens: fc.integer({ min: 1, max: 500 }),
    keepTurns: fc.integer({ min: 1, max: 6 }),
  }),
)

const callsOf = (message: Message | undefined): ReadonlyArray<string> =>
  message?.role === "assistant" ? message.content.flatMap((part) => (part.type === "call" ? [part.callId] : [])) : []

/** What is torn apart in what a model is told: calls without their results behind them, and results without calls. */
const torn = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  messages.filter((message, index) => {
    const next = messages[index + 1]
    const called = callsOf(message)
    if (message.role === "tool") {
      return message.content.map(({ callId }) => callId).join() !== callsOf(messages[index - 1]).join()
    }
    return called.length > 0 && (next?.role !== "tool" || next.content.length !== called.length)
  })

describe("a memory policy", () => {
  it("never tears a call from its result, keeps the goal and what is new, and summarizes once for each turn at most", () => {
    fc.assert(
      fc.property(policies, turns, fc.array(fc.integer({ min: 0, max: 600 })), (policy, all, tokens) => {
        const goal = [told("the goal"), told("and more")]
        let remembered: Memory.Remembered = { messages: goal, summary: null, tokens: 0 }
        for (const [number, turn] of all.entries()) {
          const until = Memory.toSummarize(policy, remembered, number % 3 === 2)
          if (until !== undefined) {
            expect(policy.name).toBe("summary")
            expect(until).toBeGreaterThan(remembered.summary?.messages ?? 0)
            // What is summarized is whole as well: it is what the model is told of it, so far.
            expect(torn(remembered.messages.slice(0, until))).toEqual([])
            remembered = { ...remembered, summary: { messages: until, text: `up to ${until}` }, tokens: 0 }
            expect(Memory.toSummarize(policy, remembered, true)).toBeUndefined()
          }
          const selected = Memory.select(policy, remembered)
          expect(torn(selected)).toEqual([])
          expect(selected.slice(0, 2)).toEqual(goal)
          expect(selected.at(-1)).toBe(remembered.messages.at(-1))
          const messages = [...remembered.messages, ...messagesOf(turn, number)]
          remembered = { ...remembered, messages, tokens: tokens[number] ?? 0 }
        }
      }),
    )
  })

  const messages = [0, 1, 2, 3].flatMap((number) => messagesOf({ calls: number % 2, heard: 0 }, number))
  const goal = told("the goal")

  it("full: tells all of it", () => {
    const all = [goal, ...messages]
    expect(Memory.select(Memory.complete("full"), { messages: all, summary: null, tokens: 1e9 })).toBe(all)
  })

  it("sliding-window: tells the goal and the last turns, each with its results", () => {
    const policy = Memory.complete({ name: "sliding-window", turns: 2 })
    const remembered = { messages: [goal, ...messages], summary: null, tokens: 0 }
    expect(Memory.select(policy, remembered)).toEqual([
      goal,
      answered(text("2")),
      ...messagesOf({ calls: 1, heard: 0 }, 3),
    ])
  })

  it("summary: tells the goal, the summary and the turns after it, from the limit of tokens on", () => {
    const policy = Memory.complete({ name: "summary", maxTokens: 100, keepTurns: 1 })
    const all = [goal, ...messages]
    expect(Memory.toSummarize(policy, { messages: all, summary: null, tokens: 100 })).toBeUndefined()
    expect(Memory.toSummarize(policy, { messages: all, summary: null, tokens: 101 })).toBe(5)
    expect(Memory.toSummarize(policy, { messages: all, summary: null, tokens: 0 }, true)).toBe(5)
    const [opening, summary, ...rest] = Memory.select(policy, {
      messages: all,
      tokens: 0,
      summary: { messages: 5, text: "It went well." },
    })
    expect(opening).toBe(goal)
    expect(summary).toEqual(told("Summary of what happened since:\n\nIt went well."))
    expect(rest).toEqual(messagesOf({ calls: 1, heard: 0 }, 3))
  })
})
