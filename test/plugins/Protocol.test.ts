import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { splitFrames, splitLines } from "../../src/plugins/channel/lines.ts"
import * as Protocol from "../../src/plugins/channel/Protocol.ts"

describe("lines", () => {
  const linesOf = (chunks: ReadonlyArray<Buffer>, limit = 1_000_000) => {
    const lines: Array<string> = []
    const splitter = splitLines(limit, {
      onLine: (line) => lines.push(line),
      onOverflow: () => lines.push("(overflow)"),
    })
    for (const chunk of chunks) splitter.push(chunk)
    splitter.end()
    return lines
  }

  it("come out the same however their bytes were cut into chunks", () => {
    const texts = fc.array(
      fc.fullUnicodeString().map((text) => text.replaceAll("\n", " ")),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(texts, fc.array(fc.nat(50)), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""))
        const chunks: Array<Buffer> = []
        let start = 0
        for (const size of [...sizes, bytes.length]) {
          chunks.push(bytes.subarray(start, start + size))
          start += size
        }
        expect(linesOf(chunks)).toEqual(lines)
      }),
    )
  })

  it("longer than the limit are forgotten and told, and the next ones come through", () => {
    const chunks = ["aaaa", "aaaa", "rest\nnext\n"].map((text) => Buffer.from(text))
    expect(linesOf(chunks, 6)).toEqual(["(overflow)", "rest", "next"])
  })

  it("are frames from the nonce on, and printed before it", () => {
    const seen: Array<readonly [string, string]> = []
    const tell = splitFrames("n0nce", {
      onFrame: (text) => seen.push(["frame", text]),
      onPrinted: (line) => seen.push(["printed", line]),
    })
    for (const line of ['n0nce{"a":1}', "hello", 'no end: n0nce{"b":2}']) tell(line, line.length)
    expect(seen).toEqual([
      ["frame", '{"a":1}'],
      ["printed", "hello"],
      ["printed", "no end: "],
      ["frame", '{"b":2}'],
    ])
  })
})

describe("frames", () => {
  it("frames of the right shape are read as they are", () => {
    const frame = { type: "ok", id: 1, value: { a: [null, "x"] }, state: 2 }
    expect(Protocol.decode(JSON.stringify(frame))).toEqual(Either.right(frame))
  })

  it.each([
    ["no JSON", "{"],
    ["an unknown type", '{"type":"boo"}'],
    ["no id", '{"type":"ok","value":1}'],
    ["no value", '{"type":"ok","id":1}'],
    ["a value nested too deep", `{"type":"ok","id":1,"value":${"[".repeat(300)}${"]".repeat(300)}}`],
    ...["type", "id", "value", "state", "error", "exports", "message", "params", "method"].flatMap((field) =>
      ["ok", "error", "host", "ready", "log"].map((type) => [
        `a ${field} of ${type} nested deeper than a stack goes`,
        `{"type":"${type}","id":1,"call":1,"value":1,"level":"info","method":"run","${field}":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      ]),
    ),
    ["a value with a lone surrogate", '{"type":"ok","id":1,"value":"\\ud800"}'],
    ["an error without a code", '{"type":"error","id":1,"error":{"message":"x"}}'],
    ["a request for something else", '{"type":"host","id":1,"call":1,"method":"open","params":{}}'],
  ])("frames with %s are refused with a reason", (_, text) => {
    expect(Either.getLeft(Protocol.decode(text))).toMatchObject({ _tag: "Some", value: expect.stringMatching(/./) })
  })
})
