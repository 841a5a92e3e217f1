import { execFileSync } from "node:child_process"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { sha256 } from "../../src/values/Digest.ts"
import { SESSION, session } from "./claudeSession.ts"
import * as Codex from "./codexRollout.ts"
import * as Formats from "./formats.ts"
import { events, importing, lines, payloads, withFiles, write } from "./given.ts"

const FILE = `${SESSION}.jsonl`
const TEXT = lines(session())

const utf16 = (text: string, mark: string, isBig = false): Buffer => {
  const bytes = Buffer.from(mark + text, "utf16le")
  return isBig ? bytes.swap16() : bytes
}

/** The ids of all events of runs. */
const ids = Effect.map(events, (all) => all.filter(({ type }) => type !== "FileImported").map(({ id }) => id))

/** Frames of Zstandard without compression: a block each. */
const zstd = (...parts: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(
    parts.map((part) => {
      const header = Buffer.alloc(12)
      header.writeUInt32LE(0xfd2fb528, 0)
      // One segment whose size is in four bytes.
      header.writeUInt8(0b1010_0000, 4)
      header.writeUInt32LE(part.length, 5)
      header.writeUIntLE((part.length << 3) | 1, 9, 3)
      return Buffer.concat([header, part])
    }),
  )

describe("a file whose text is packed or encoded otherwise", () => {
  const kinds: ReadonlyArray<readonly [name: string, file: string, content: Buffer, packing: string]> = [
    ["UTF-16 of a small end", FILE, utf16(TEXT, "\uFEFF"), "UTF-16"],
    ["UTF-16 of a big end", FILE, utf16(TEXT, "\uFEFF", true), "UTF-16"],
    ["UTF-16 of a small end, without a mark", FILE, utf16(TEXT, ""), "UTF-16"],
    ["UTF-16 of a big end, without a mark", FILE, utf16(TEXT, "", true), "UTF-16"],
    ["gzip", `${FILE}.gz`, zlib.gzipSync(TEXT), "gzip"],
    [
      "gzip in two members",
      FILE,
      Buffer.concat([zlib.gzipSync(TEXT.slice(0, 99)), zlib.gzipSync(TEXT.slice(99))]),
      "gzip",
    ],
    ["Zstandard", `${FILE}.zst`, zstd(Buffer.from(TEXT.slice(0, 99)), Buffer.from(TEXT.slice(99))), "Zstandard"],
  ]
  for (const [name, file, content, packing] of kinds)
    it.effect(`(${name}) is what it is as it is, and its digest is that of its text`, () =>
      Effect.gen(function* () {
        const plain = yield* withFiles({ [FILE]: TEXT }, (directory) => Effect.zipRight(importing(directory), ids))
        yield* withFiles({ [file]: content }, (directory) =>
          Effect.gen(function* () {
            const { files } = yield* importing(directory)
            expect(files.map(({ digest }) => digest)).toEqual([sha256(TEXT)])
            expect(files[0]?.remarks).toMatchObject({
              [`a file in ${packing}: its digest and its size are those of its text, in UTF-8`]: 1,
            })
            expect(yield* ids).toEqual(plain)
            write(directory, { [FILE]: TEXT })
            expect((yield* importing(path.join(directory, FILE))).files[0]?.known).toBe(true)
          }),
        )
      }),
    )

  it.effect("may begin with the mark of UTF-8, and be a document", () =>
    withFiles(
      {
        [FILE]: `\uFEFF${TEXT}`,
        "t.json": utf16(JSON.stringify(Formats.trajectory(), null, 2), "\uFEFF"),
        "u.json.gz": zlib.gzipSync(JSON.stringify(Formats.trajectory(), null, 2).replaceAll("Step", "Other")),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files, unknown, refused } = yield* importing(directory)
          expect([unknown, refused]).toEqual([[], []])
          expect(files.map(({ source }) => source).sort()).toEqual(["atif", "atif", "claude-code"])
        }),
    ),
  )

  it.effect("is refused where it is cut off or damaged, and nothing of it is imported", () =>
    withFiles(
      {
        "a.jsonl.gz": zlib.gzipSync(TEXT).subarray(0, -20),
        "b.jsonl.zst": zstd(Buffer.from(TEXT)).subarray(0, -20),
        "c.jsonl.gz": Buffer.concat([zlib.gzipSync(TEXT).subarray(0, 200), Buffer.alloc(200, 7)]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files, refused } = yield* importing(directory)
          expect(files).toEqual([])
          expect(refused.map(({ reason }) => reason)).toEqual([
            expect.stringContaining("a file packed with gzip that is cut off or damaged"),
            expect.stringContaining("a file packed with Zstandard that is cut off or damaged"),
            expect.stringContaining("a file packed with gzip that is cut off or damaged"),
          ])
          expect(yield* events).toEqual([])
        }),
    ),
  )

  it.effect("keeps text that is no UTF-8, its bytes replaced, and says so", () => {
    const latin = Buffer.from(lines(Codex.rollout()).replace("Write a note", "Write a n\u00f6te"), "latin1")
    return withFiles({ [Codex.FILE]: latin }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(Object.keys(files[0]?.remarks ?? {})).toContain(
          "text with bytes that are no UTF-8: each of them is replaced by \uFFFD",
        )
        expect(payloads(yield* events, "TaskOpened")[0]).toMatchObject({ goal: "Write a n\uFFFDte" })
      }),
    )
  })
})

describe("a file of no format", () => {
  it.effect("is named for what it is, with what to do", () =>
    withFiles(
      {
        "a.jsonl": "",
        "b.jsonl": " \n\n",
        "e.jsonl": Buffer.alloc(5_000),
        "f.json": Buffer.from("SQLite format 3\0 and so on"),
        "g.jsonl": Buffer.from("fd377a585a0000", "hex"),
        "h.jsonl": execFileSync("tar", ["-c", "-C", import.meta.dirname, "order.test.ts"]),
        "i.jsonl": '{"a":1}\n',
      },
      (directory) =>
        Effect.gen(function* () {
          const { unknown, unknownBecause } = yield* importing(directory)
          expect(unknown.map((file) => [path.basename(file), unknownBecause[file]])).toEqual([
            ["a.jsonl", "an empty file; import it once it has content"],
            ["b.jsonl", "an empty file: it holds only white space"],
            ["e.jsonl", "only zero bytes, as left by a machine that stopped while writing"],
            ["f.json", "an SQLite database; export its rows as JSON Lines"],
            ["g.jsonl", expect.stringMatching(/^a file packed with xz; `xz -dk ".*g\.jsonl"` unpacks it/)],
            ["h.jsonl", "a tar archive; unpack it"],
            ["i.jsonl", 'a file that begins with "{\\"a\\":1}\\n"'],
          ])
          for (const file of unknown)
            expect((yield* Effect.flip(importing(file))).message).toContain(`found ${unknownBecause[file]}`)
        }),
    ),
  )
})
