import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Delta } from "../../../src/agents/models/Model.ts"
import { asking, mockServer, modelAt, names } from "./servers.ts"

/** The pieces of each part, joined; without reasoning, of which some providers have a part that is encrypted. */
const joined = (deltas: ReadonlyArray<Delta>) => {
  const parts = new Map<number, string>()
  for (const { index, kind, text } of deltas) parts.set(index, `${parts.get(index) ?? `${kind}: `}${text}`)
  return [...parts.values()]
}

/** What each provider calls the tokens. */
const usage = {
  prompt_tokens: 70,
  completion_tokens: 9,
  total_tokens: 79,
  input_tokens: 70,
  output_tokens: 9,
  promptTokenCount: 70,
  candidatesTokenCount: 9,
  totalTokenCount: 79,
}

describe.each(names)("a model of %s", (name) => {
  it.scopedLive("streams text", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning, said the model.", usage })
      const model = yield* modelAt(mock.url, name)
      const deltas: Array<Delta> = []
      const turn = yield* model.turn(asking("hello"), (delta) => deltas.push(delta))
      expect(turn.finish).toBe("stop")
      expect(turn.parts.filter(({ type }) => type !== "reasoning")).toMatchObject([
        { type: "text", text: "Good morning, said the model." },
      ])
      expect(deltas.length).toBeGreaterThan(1)
      expect(joined(deltas)).toEqual(["text: Good morning, said the model."])
      // The fake of Ollama knows no usage.
      expect(turn.usage).toMatchObject(
        name === "ollama" ? { inputTokens: 0, outputTokens: 0 } : { inputTokens: 70, outputTokens: 9 },
      )
    }),
  )

  it.scopedLive("calls several tools in one answer, a tool that nobody has among them", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("prices", {
        // Gemini ends an answer with calls by STOP, which the fake does only when it is told.
        ...(name === "google" ? { finishReason: "stop" } : {}),
        toolCalls: [
          { name: "price", arguments: `{"thing":"tea"}` },
          { name: "price", arguments: `{"thing":"salt"}` },
          { name: "levitate", arguments: `{"height":3}` },
        ],
      })
      const model = yield* modelAt(mock.url, name)
      const deltas: Array<Delta> = []
      const turn = yield* model.turn(asking("prices"), (delta) => deltas.push(delta))
      const calls = turn.parts.flatMap((part) => (part.type === "call" ? [part] : []))
      expect(turn.finish).toBe("calls")
      expect(calls.map(({ tool, args, invalid }) => ({ tool, args, invalid }))).toEqual([
        { tool: "price", args: { thing: "tea" }, invalid: undefined },
        { tool: "price", args: { thing: "salt" }, invalid: undefined },
        { tool: "levitate", args: { height: 3 }, invalid: undefined },
      ])
      expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3)
      expect(joined(deltas)).toEqual([`call: {"thing":"tea"}`, `call: {"thing":"salt"}`, `call: {"height":3}`])
    }),
  )
})
