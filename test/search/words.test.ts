import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import * as EventText from "../../src/search/words/EventText.ts"
import { excerpt, match } from "../../src/search/words/Matching.ts"
import { parse } from "../../src/search/words/WordQuery.ts"
import { MAX_WORD, wordsOf, wordText } from "../../src/search/words/Words.ts"

const words = (text: string) => wordsOf(text).map(({ word }) => word)

const finds = (query: string, text: string): boolean => {
  const parsed = parse(query)
  return parsed !== undefined && match(parsed, text) !== undefined
}

const marked = (query: string, text: string): ReadonlyArray<string> => {
  const parsed = parse(query)
  const found = parsed === undefined ? undefined : match(parsed, text)
  return found === undefined ? [] : excerpt(text, found).flatMap((piece) => (piece.marked ? [piece.text] : []))
}

describe("words", () => {
  it.each([
    ["case", "ERROR", "an error"],
    ["accents", "uber cafe", "Über das Café"],
    ["accents that follow their letter", "cafe", "cafe\u0301"],
    ["ß as ss", "STRASSE", "Straße 5"],
    ["a final sigma", "ΟΔΟΣ", "οδος"],
    ["dotted and dotless i", "istanbul", "İstanbul ıstanbul"],
    ["full width", "ABC", "ＡＢＣ"],
    ["ligatures", "file", "ﬁle"],
    ["invisible characters", "password", "pass\u200bword and pass\u00adword"],
    ["parts of identifiers", "limit", "rate_limit"],
    ["identifiers as phrases", "rate_limit", "the rate limit"],
    ["Han within a sentence", "東京", "私は東京に住んでいます"],
    ["one character of it", "京", "私は東京に住んでいます"],
    ["Hangul before a particle", "서울", "서울에서 왔다"],
    ["Thai within a sentence", "กรุงเทพ", "ฉันอยู่กรุงเทพมหานคร"],
    ["Cyrillic", "ёлка", "Елка"],
  ])("are compared without %s", (_, query, text) => {
    expect(finds(query, text)).toBe(true)
  })

  it.each([
    ["another order of characters", "京東", "私は東京に住んでいます"],
    ["a part of a word", "oiler", "the boiler"],
    ["a beginning without a star", "boil", "the boiler"],
    ["a phrase in another order", '"boiler no"', "no boiler"],
    ["marks that distinguish words of their script", "कि", "की"],
  ])("do not match %s", (_, query, text) => {
    expect(finds(query, text)).toBe(false)
  })

  it("match by beginnings with a star, and as phrases in quotes", () => {
    expect(finds("boil*", "the boiler")).toBe(true)
    expect(finds('"no boiler"', "there is no boiler")).toBe(true)
    expect(finds('"no boil" any', "there is no boil any")).toBe(true)
    expect(marked("boil* no", "there is no Boiler any more")).toEqual(["no", "Boiler"])
  })

  it("are the same for the index as for a text, whatever the text", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string())
    fc.assert(
      fc.property(text, (any) => {
        expect(wordText(any)).toBe(words(any).join(" "))
      }),
    )
    const long = "a".repeat(200)
    expect(wordText(`${long} b`)).toBe(`${"a".repeat(MAX_WORD)} b`)
    expect(words(`${long} b`).join(" ")).toBe(wordText(`${long} b`))
    expect(finds(long, long)).toBe(true)
  })

  it("have no quotes, spaces or operators, whatever the query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (any) => {
        for (const term of parse(any)?.terms ?? [])
          for (const word of term.words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
      }),
    )
    for (const none of ["", "  ", '"', '""', "*", "***", "()", "-", "\u0000", "\u202e"])
      expect(parse(none)).toBe(undefined)
    expect(parse('NEAR(a OR b) "c')?.terms.map(({ words: found }) => found.join(" "))).toEqual([
      "near a",
      "or",
      "b",
      "c",
    ])
  })
})

describe("an excerpt", () => {
  it("shows the part with most of the words, and marks them", () => {
    const text = `one boiler. ${"filler ".repeat(100)}the boiler broke, no heat. ${"filler ".repeat(100)}`
    const found = match(parse("boiler heat") ?? { terms: [{ words: ["x"], isPrefix: false }] }, text)
    if (found === undefined) throw new Error("no match")
    const pieces = excerpt(text, found)
    expect(pieces.filter((piece) => piece.marked).map((piece) => piece.text)).toEqual(["boiler", "heat"])
    const whole = pieces.map((piece) => piece.text).join("")
    expect(whole.startsWith("…")).toBe(true)
    expect(whole.length).toBeLessThan(220)
  })

  it("is a part of its text with the marks on words, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 600 }), (any) => {
        const [word] = words(any)
        const parsed = parse(word ?? "")
        const found = parsed === undefined ? undefined : match(parsed, any)
        if (found === undefined) return
        const pieces = excerpt(any, found)
        expect(pieces.some((piece) => piece.marked)).toBe(true)
        const whole = pieces.map((piece) => piece.text).join("")
        expect(any.toWellFormed()).toContain(whole.replace(/^…/, "").replace(/…$/, "").toWellFormed())
      }),
    )
  })
})

describe("the text of an event", () => {
  it("has its strings and whole numbers without references and digests", () => {
    const args = { path: "src/a.ts", line: 12, ratio: 0.5, deep: [{ note: "here" }] }
    const payload = { commandId: "c-1", actuator: "files/write", args, argsDigest: "0".repeat(64), priority: 0 }
    expect(EventText.of("ActuatorCommanded", payload)).toEqual({
      kind: "argument",
      text: "files/write\nsrc/a.ts\n12\nhere",
    })
    expect(EventText.of("CommandDispatched", { commandId: "c-1" })).toBe(undefined)
  })

  it("has only the new messages of a request to a model", () => {
    const messages = [
      { role: "user", content: "old question" },
      { role: "assistant", content: "old answer" },
      { role: "user", content: "new question" },
    ]
    const of = (request: object) =>
      EventText.of("ModelCalled", { provider: "p", model: "m", request: { ...request } })?.text
    expect(of({ messages, tools: [{ name: "tool" }] })).toBe("p\nm\nuser\nnew question")
    expect(of({ messages: messages.slice(0, 1), system: "be kind" })).toBe("p\nm\nuser\nold question\nbe kind")
    expect(of(JSON.parse('{"__proto__":{"messages":[]},"messages":7}'))).toBe("p\nm\n7")
  })

  it("cuts data and endless texts", () => {
    const image = "A".repeat(100_000)
    expect(EventText.of("MessageSent", { content: image, format: "text" })?.text.length).toBeLessThan(300)
    const endless = "word ".repeat(1_000_000)
    expect(EventText.of("MessageSent", { content: endless, format: "text" })?.text.length).toBeLessThanOrEqual(
      EventText.MAX_TEXT + 10,
    )
    expect(EventText.of("MessageSent", { content: "東".repeat(3_000), format: "text" })?.text.length).toBeGreaterThan(
      3_000,
    )
  })

  it.each([
    ["achieved", "result"],
    ["failed", "error"],
  ])("of a task that ended as %s is %s", (outcome, kind) => {
    expect(EventText.of("TaskClosed", { outcome, reason: "so it is" })?.kind).toBe(kind)
  })
})
