import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Secrets from "../../../src/agents/models/secrets/Secrets.ts"

const KEY = 'sk-"12345678'

/** Texts of keys, beginnings of keys, and other characters. */
const text = fc
  .array(fc.constantFrom(KEY, 'sk-\\"12345678', "sk-%2212345678", "sk-", 'sk-"1234567', "s", "k", "-", '"', "1", " "))
  .map((words) => words.join(""))

const cutIn = (text: string, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...cuts].map((cut, index) => text.slice(cut, cuts[index]))
}

const told = (secrets: Secrets.Secrets, pieces: ReadonlyArray<string>): ReadonlyArray<string> => {
  const streamed = secrets.streamed()
  return [...pieces.map(streamed.take), streamed.end()]
}

describe("a text that is redacted while it comes", () => {
  it("is told as it is redacted when it is whole, wherever it is cut", () => {
    const secrets = Secrets.of([KEY])
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
        expect(told(secrets, cutIn(text, places)).join("")).toBe(secrets.redact(text))
      }),
    )
  })

  it("holds back no more than may be the beginning of a key", () => {
    expect(told(Secrets.of([KEY]), ["The key:", " sk", '-"12', " or sk", "y"])).toEqual([
      ...["The key:", " ", "", 'sk-"12 or ', "sky"],
      "",
    ])
  })

  it("tells no part of a key that ends as another begins", () => {
    expect(told(Secrets.of(["abcdefgh", "ghijklmn"]), ["abcdef", "gh", " ghijklm", "n"])).toEqual([
      ...["", "[redacted]", " ", "[redacted]"],
      "",
    ])
  })

  it("waits for the longer of two keys that begin alike", () => {
    const secrets = Secrets.of(["abcdefgh", "abcdefghij"])
    expect(told(secrets, ["abcdefgh", "ij"])).toEqual(["", "[redacted]", ""])
    expect(told(secrets, ["abcdefgh", "ik"])).toEqual(["", "[redacted]ik", ""])
    expect(told(secrets, ["abcdefgh"])).toEqual(["", "[redacted]"])
  })
})

describe("a key in JSON", () => {
  const BASE64 = "Ab+c/dEf&gh=="

  it.each([
    ["as JavaScript writes it", '{"k":"Ab+c/dEf&gh=="}'],
    ["as PHP writes it", '{"k":"Ab+c\\/dEf&gh=="}'],
    ["as .NET writes it", '{"k":"Ab\\u002Bc/dEf\\u0026gh=="}'],
    ["in a text in JSON", '{"k":"Ab\\\\u002Bc\\\\/dEf&gh=="}'],
    ["as Go writes it", '{"k":"Ab+c/dEf\\u0026gh=="}'],
    ["in a text in a text in JSON", '{"k":"Ab\\\\\\\\u002Bc\\\\\\/dEf&gh=="}'],
    [
      "spelled by numbers",
      `{"k":"${[...BASE64].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"}`,
    ],
    ["with all escaped that is no letter", '{"k":"Ab\\u002bc\\u002fdEf\\u0026gh\\u003d\\u003D"}'],
  ])("is found %s", (_, json) => {
    const secrets = Secrets.of([BASE64, "12345678-plain"])
    expect(secrets.isIn(json)).toBe(true)
    expect(secrets.redact(json)).toBe('{"k":"[redacted]"}')
  })

  it("is found wherever it stands beside other escapes, and no more than it is taken out", () => {
    const written = fc.constantFrom("\\n", "\\\\", "\\u0041", '\\"', "é", "x", "\\\\u002B", "\\/")
    const around = fc.array(written, { maxLength: 12 }).map((parts) => parts.join(""))
    const secrets = Secrets.of(["12345678-plain", BASE64])
    fc.assert(
      fc.property(around, around, (before, after) => {
        // A backslash at the end of what is before would be one of the key's.
        fc.pre(!before.endsWith("\\"))
        expect(secrets.redact(`${before}12345678\\u002dplain${after}`)).toBe(`${before}[redacted]${after}`)
        expect(secrets.redact(`${before}Ab\\u002bc\\/dEf&gh==${after}`)).toBe(`${before}[redacted]${after}`)
        expect(secrets.redact(before + after)).toBe(before + after)
      }),
    )
  })

  it("is found that is not ASCII, as Python writes it", () => {
    expect(Secrets.of(["schlüssel-1"]).redact('"schl\\u00fcssel-1"')).toBe('"[redacted]"')
  })

  it("is not found in what only resembles it, and a key of any size and any characters is no pattern of its own", () => {
    expect(Secrets.of([BASE64]).isIn('{"k":"Ab\\u002Cc/dEf&gh=="}')).toBe(false)
    const hostile = [
      "(a+)+$.*[x]",
      "\\u0041\\u0041",
      "/".repeat(100_000),
      ...Array.from({ length: 500 }, (_, n) => `+/${n}${"=".repeat(400)}`),
    ]
    const secrets = Secrets.of(hostile)
    expect(secrets.redact("a \\ (a+)+$.*[x] \\u0041\\u0041 b")).toBe("a \\ [redacted] [redacted] b")
  })
})

describe("a command line", () => {
  it.each([
    ["node agent.js --api-key=sk-1 --token sk-2 -k 3", "node agent.js --api-key=[redacted] --token [redacted] -k 3"],
    [
      "node agent.js --password --dry-run --key-file=a=b c",
      "node agent.js --password --dry-run --key-file=[redacted] c",
    ],
    ["node agent.js --model gpt-5 what is a token", "node agent.js --model gpt-5 what is a token"],
  ])("%s is told without its keys", (typed, told) => {
    expect(Secrets.withoutKeys(typed.split(" ")).join(" ")).toBe(told)
  })
})
