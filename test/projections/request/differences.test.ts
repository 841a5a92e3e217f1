import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RequestDifference from "../../../src/projections/request/RequestDifference.ts"
import * as RequestSizes from "../../../src/projections/request/RequestSizes.ts"
import type { WholeRequest } from "../../../src/projections/request/WholeRequest.ts"
import * as WordDifference from "../../../src/projections/request/WordDifference.ts"
import type { Json } from "../../../src/values/Json.ts"

const message = (role: string, content: Json, at = 4) => ({ role, content, at, sources: [] })
const said = (role: string, text: string) => message(role, [{ type: "text", text }])

const request = (more: Partial<WholeRequest>): WholeRequest => ({
  ...{ position: 4, id: "id-4", provider: "p", model: "m", agentId: null, recordedBy: "agent", asksFor: "turn" },
  system: { value: "You count to five.", at: 2 },
  tools: { value: [{ name: "add", description: "Adds", schema: {} }], at: 4 },
  settings: { value: { temperature: 1 }, at: 2 },
  messages: [said("user", "Hi")],
  ...{
    earlier: null,
    memory: null,
    isContinuation: false,
    http: null,
    notes: [],
    digest: "",
    previous: null,
    answer: null,
    usage: {},
  },
  ...more,
})

const lines = (changes: ReadonlyArray<RequestDifference.PartChange>) =>
  changes.map(({ part, name, change }) => [part, name, change].filter((word) => word !== "").join(" "))

describe("the difference between two requests", () => {
  it("has added, removed, changed and unchanged parts", () => {
    const after = request({
      system: { value: "You count to six.", at: 9 },
      tools: { value: [{ name: "take", description: "Takes", schema: {} }], at: 9 },
      settings: { value: { temperature: 1, seed: 3 }, at: 9 },
      messages: [said("user", "Hi"), said("assistant", "Hello"), said("user", "Go")],
    })
    expect(lines(RequestDifference.compare(request({}), after))).toEqual([
      "system changed",
      "tool add removed",
      "tool take added",
      "setting temperature unchanged",
      "setting seed added",
      "message user unchanged",
      "message assistant added",
      "message user added",
    ])
    expect(RequestDifference.countsOf(RequestDifference.compare(after, after))).toMatchObject({
      unchanged: 7,
      changed: 0,
    })
  })

  it("pairs messages of one role between equal ones, and ignores ids of calls", () => {
    const call = (callId: string) => message("assistant", [{ type: "call", callId, tool: "add", args: {} }])
    const before = request({ messages: [said("user", "Count to 5"), call("a"), said("user", "b")] })
    const after = request({ messages: [said("user", "Count to 6"), call("x"), said("user", "b")] })
    expect(lines(RequestDifference.compare(before, after)).slice(-3)).toEqual([
      "message user changed",
      "message assistant unchanged",
      "message user unchanged",
    ])
  })

  it("does not know of what the log does not have", () => {
    const before = request({ system: { notRecorded: "no" }, tools: { notRecorded: "no" } })
    const after = request({ tools: { notRecorded: "no" } })
    expect(lines(RequestDifference.compare(before, after)).slice(0, 2)).toEqual([
      "system unknown",
      "setting temperature unchanged",
    ])
  })
})

describe("the difference of two texts in words", () => {
  it("shows the words that changed", () => {
    expect(WordDifference.words("You count to five.", "You count slowly to six.")).toEqual([
      { kind: "same", text: "You count " },
      { kind: "added", text: "slowly " },
      { kind: "same", text: "to " },
      { kind: "removed", text: "five" },
      { kind: "added", text: "six" },
      { kind: "same", text: "." },
    ])
  })

  it("contains both texts whole", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", ".", "é", "😀", "\ud800") })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const stretches = WordDifference.words(before, after)
        const joined = (kind: string) =>
          stretches.flatMap((one) => (one.kind === "same" || one.kind === kind ? [one.text] : [])).join("")
        expect([joined("removed"), joined("added")]).toEqual([before, after])
      }),
    )
  })

  it("compares long texts by lines", () => {
    const many = (word: string) => `${`${word} `.repeat(30_000)}\nlast`
    expect(WordDifference.words(many("a"), many("b")).map(({ kind }) => kind)).toEqual(["removed", "added", "same"])
  })
})

describe("the sizes of a request", () => {
  it("are estimates by part, without files", () => {
    const file = { type: "file", mediaType: "image/png", data: "A".repeat(1_000) }
    const sizes = RequestSizes.sizesOf(
      request({ messages: [message("user", [{ type: "text", text: "12345678" }, file]), said("user", "1234")] }),
    )
    expect(sizes).toEqual([
      { part: "system", count: 1, characters: 18, estimatedTokens: 5, files: 0 },
      { part: "tools", count: 1, characters: 9, estimatedTokens: 3, files: 0 },
      { part: "user", count: 2, characters: 12, estimatedTokens: 3, files: 1 },
    ])
    expect(RequestSizes.estimateOf(sizes)).toBe(11)
  })
})
