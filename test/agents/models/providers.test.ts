import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Delta } from "../../../src/agents/models/Model.ts"
import { asking, mockServer, modelAt, names } from "./servers.ts"

/** The pieces of each part, joined. */
const joined = (deltas: ReadonlyArray<Delta>) => {
  const parts: Array<string> = []
  for (const { index, kind, text } of deltas) parts[index] = `${parts[index] ?? `${kind}: `}${text}`
  return parts
}

describe.each(names)("a model of %s", (name) => {
  it.scopedLive("streams text", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning, said the model." })
      const model = yield* modelAt(mock.url, name)
      const deltas: Array<Delta> = []
      const turn = yield* model.turn(asking("hello"), (delta) => deltas.push(delta))
      expect(turn).toMatchObject({
        parts: [{ type: "text", text: "Good morning, said the model." }],
        finish: "stop",
      })
      expect(deltas.length).toBeGreaterThan(1)
      expect(joined(deltas)).toEqual(["text: Good morning, said the model."])
      expect(turn.usage.inputTokens).toBeGreaterThan(0)
      expect(turn.usage.outputTokens).toBeGreaterThan(0)
    }),
  )

  it.scopedLive("calls several tools in one answer, a tool that nobody has among them", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("prices", {
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
