import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type * as Answer from "../../../src/cli/mcp/server/Answer.ts"
import * as LongValue from "../../../src/cli/mcp/server/LongValue.ts"
import type { Json } from "../../../src/values/Json.ts"

const call = (path: string, offset: number): Answer.Call => ({ tool: "show", args: { field: path, offset } })

const answer = (value: Json, offset = 0) => LongValue.answer(value, { path: "", offset, call, head: [] })

describe("a value that is too long for an answer", () => {
  it("is read whole by the calls that its parts propose, without half characters", () => {
    const text = fc.array(fc.constantFrom("a", "😀", "é", "\n"), { minLength: 100, maxLength: 200 })
    fc.assert(
      fc.property(text, fc.integer({ min: 50, max: 120 }), (letters, times) => {
        const value = letters.join("").repeat(times)
        let [read, offset] = ["", 0 as number | undefined]
        while (offset !== undefined) {
          const part: Answer.Answer = answer(value, offset)
          for (const line of part.lines) expect(line.isWellFormed()).toBe(true)
          read += part.lines.join("\n")
          const [next] = part.next?.[0] ?? []
          offset = next === undefined ? undefined : Number(next.args.offset)
        }
        expect(read).toBe(value)
      }),
      { numRuns: 5 },
    )
  })

  it("has no half character where a text in it is cut, and the call continues there", () => {
    const value = { text: `${"a".repeat(399)}${"😀".repeat(3_000)}` }
    const { value: short, next } = LongValue.shortened(value, call)
    expect(JSON.stringify(short)).not.toMatch(/\\ud/i)
    expect(next[0]?.[0]).toEqual({ tool: "show", args: { field: "/text", offset: 399 } })
  })

  it("says how to continue where its JSON is cut", () => {
    const rows = Array.from({ length: 24 }, () =>
      Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`k${index}`, "v".repeat(60)])),
    )
    expect(answer(rows).foot).toEqual([expect.stringMatching(/^\d+ lines more: ask for one part/)])
    expect(answer([1, 2]).foot).toBeUndefined()
  })
})
