import * as fs from "node:fs"
import * as path from "node:path"
import { Readable } from "node:stream"
import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { describe, expect } from "vitest"
import * as MergedParts from "../../../src/cli/parts/MergedParts.ts"
import * as PartLines from "../../../src/cli/parts/PartLines.ts"
import * as PartProcesses from "../../../src/cli/parts/PartProcesses.ts"
import { temporaryDirectory } from "../../temporary.ts"

const WORK = { kind: "verdicts", about: "0".repeat(64) } as const

/** The lines of a part whose items have the keys and texts. */
const linesOf = (
  part: PartLines.PartOf["part"],
  items: ReadonlyArray<readonly [number, string]>,
  about = WORK.about,
) => {
  const writer = new PartLines.PartWriter()
  const begin = writer.begin({ ...WORK, about, part })
  return [begin, ...items.map(([key, text]) => writer.item([0, key], text)), writer.end()].join("")
}

const HOSTILE = 'a\u2028b\u2029c\r\n\u0000\u202E{"end":1}\u0085'

/**
 * Starts processes that print the file of their part. One with a file `dies` prints so many bytes, is killed, and leaves
 * the file with one death less.
 */
const PROGRAM = `
const fs = require("node:fs")
const [directory, ...words] = process.argv.slice(1)
const part = words[words.indexOf("--part") + 1].split("/")[0]
const text = fs.readFileSync(directory + "/" + part)
const fatal = directory + "/" + part + ".dies"
const [deaths, bytes] = fs.existsSync(fatal) ? fs.readFileSync(fatal, "utf8").split(" ").map(Number) : [0, 0]
fs.appendFileSync(directory + "/begun", part)
if (fs.existsSync(directory + "/" + part + ".fails")) {
  process.stderr.write(JSON.stringify({ error: { tag: "LogBusy", message: "the log is busy." } }))
  process.exitCode = 1
} else if (deaths > 0) {
  fs.writeFileSync(fatal, (deaths - 1) + " " + bytes)
  fs.writeSync(1, text.subarray(0, bytes))
  process.kill(process.pid, "SIGKILL")
} else fs.writeSync(1, text)
`

const run = (directory: string, count: number, { log = "log.db", cores = count } = {}) =>
  Stream.runCollect(
    PartProcesses.run({
      work: WORK,
      count,
      cores,
      command: ["work"],
      log,
      program: [process.execPath, "-e", PROGRAM, directory],
    }),
  ).pipe(Effect.map((items) => [...items].map(({ key, value }) => [key[1], value])))

const put = (directory: string, files: Readonly<Record<string, string>>) =>
  Effect.sync(() => {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text)
  })

describe("parts in processes", () => {
  it.scopedLive("come merged in order; a part whose process is killed is done again, and each item comes once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const first = linesOf({ index: 0, of: 3 }, [
        [0, HOSTILE],
        [3, "d"],
        [4, "e"],
      ])
      const second = linesOf({ index: 1, of: 3 }, [
        [1, "b"],
        [2, "c"],
        [5, "f"],
      ])
      yield* put(directory, {
        "1": first,
        "2": second,
        "3": linesOf({ index: 2, of: 3 }, []),
        // After two items; in the middle of the first line; before anything.
        "1.dies": `2 ${Buffer.byteLength(first) - 110}`,
        "2.dies": "3 20",
        "3.dies": "1 0",
      })
      const expected = [
        [0, HOSTILE],
        [1, "b"],
        [2, "c"],
        [3, "d"],
        [4, "e"],
        [5, "f"],
      ]
      expect(yield* run(directory, 3)).toEqual(expected)
      const begun = fs.readFileSync(path.join(directory, "begun"), "utf8")
      expect([...begun].sort().join("")).toBe("111222233")
    }),
  )

  it.scopedLive("are no more than the machine's cores on a file, and as many as wished on a server", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const keys = Array.from({ length: 3000 }, (_, index) => [index, `item ${index}`] as const)
      const written = (of: number) =>
        put(
          directory,
          Object.fromEntries(
            Array.from({ length: of }, (_, index) => [
              String(index + 1),
              linesOf(
                { index, of },
                keys.filter(([key]) => key % of === index),
              ),
            ]),
          ),
        )
      const begun = () => {
        const text = fs.readFileSync(path.join(directory, "begun"), "utf8")
        fs.rmSync(path.join(directory, "begun"))
        return [...text].sort().join("")
      }
      yield* written(2)
      expect(yield* run(directory, 8, { cores: 2 })).toEqual(keys)
      expect(begun()).toBe("12")
      yield* written(4)
      expect(yield* run(directory, 4, { cores: 2, log: "postgres://me@db.example/agents" })).toEqual(keys)
      expect(begun()).toBe("1234")
    }),
  )

  it.scopedLive("fail as a whole if one keeps dying, says why it cannot, or reads another log", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const files = { "1": linesOf({ index: 0, of: 2 }, [[0, "a"]]), "2": linesOf({ index: 1, of: 2 }, [[1, "b"]]) }
      yield* put(directory, { ...files, "2.dies": "99 250" })
      expect((yield* Effect.flip(run(directory, 2))).message).toContain("Part 2/2 cannot be used: it broke off")
      yield* put(directory, { "2.dies": "0 0", "1.fails": "" })
      expect((yield* Effect.flip(run(directory, 2))).message).toContain("Part 1/2 cannot be used: the log is busy.")
      fs.rmSync(path.join(directory, "1.fails"))
      yield* put(directory, { "1": linesOf({ index: 0, of: 2 }, [[0, "a"]], "1".repeat(64)) })
      expect((yield* Effect.flip(run(directory, 2))).message).toContain("its process found another log")
    }),
  )
})

describe("files of parts", () => {
  it.scopedLive("are refused unless they are all parts of one work, each once and whole", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const part = (index: number, of: number, keys: ReadonlyArray<number>, about?: string) =>
        linesOf(
          { index, of },
          keys.map((key) => [key, `item ${key}`] as const),
          about,
        )
      const [one, two, three] = [part(0, 3, [0, 4]), part(1, 3, [1, 2]), part(2, 3, [3])]
      const audits = new PartLines.PartWriter()
      yield* put(directory, {
        one,
        two,
        three,
        "of four": part(2, 4, [3]),
        other: part(2, 3, [3], "1".repeat(64)),
        audits: audits.begin({ kind: "audits", about: WORK.about, part: { index: 2, of: 3 } }) + audits.end(),
        cut: three.slice(0, three.lastIndexOf("{")),
        changed: three.replace("item 3", "item 4"),
        more: `${three}{}\n`,
        unordered: part(2, 3, [3, 3]),
        binary: "\u0000\u0001PNG\n",
        empty: "",
      })
      const merged = (...names: ReadonlyArray<string>) =>
        Stream.runCollect(
          MergedParts.ofFiles(
            WORK,
            names.map((name) => path.join(directory, name)),
          ),
        ).pipe(Effect.map((items) => [...items].map(({ key }) => key[1])))
      expect(yield* merged("three", "one", "two")).toEqual([0, 1, 2, 3, 4])
      const refused = [
        [["one", "two"], "Part 3/3 cannot be used: it is missing among the 2"],
        [["one", "two", "two"], "it is the part 2/3, as "],
        [["one", "two", "of four"], "expected one of 3 parts, found the part 3/4"],
        [["one", "two", "other"], "it is of other work"],
        [["one", "two", "audits"], "expected a part of verdicts, found one of audits"],
        [["one", "two", "cut"], "it broke off after 1 items"],
        [["one", "two", "changed"], "it was changed after it was written"],
        [["one", "two", "more"], "it goes on after its end"],
        [["one", "two", "unordered"], "its items are not in order"],
        [["one", "two", "binary"], "expected a file that --part wrote"],
        [["one", "two", "empty"], "found no whole line"],
        [["one", "two", "gone"], "no such file"],
      ] as const
      for (const [names, reason] of refused) {
        const error = yield* Effect.flip(merged(...names))
        expect(error).toMatchObject({ _tag: "PartUnusable" })
        expect(error.message).toContain(reason)
      }
      const endless = Readable.from(["x".repeat(100)])
      expect(yield* Effect.promise(() => PartLines.read("endless", endless).catch(({ _tag }) => _tag))).toBe(
        "PartUnusable",
      )
    }),
  )
})
