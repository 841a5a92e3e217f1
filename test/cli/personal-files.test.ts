import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PATHS } from "../../src/cli/catalogue/Catalogue.ts"
import * as Audits from "../../src/cli/export/Audits.ts"
import * as Dataset from "../../src/cli/export/dataset/DatasetCommand.ts"
import * as Events from "../../src/cli/export/Events.ts"
import * as Transitions from "../../src/cli/export/Transitions.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { appendWords, SUBJECT, TASK, WORDS, wordsIn } from "../personalWords.ts"
import { inRepository } from "../repository.ts"
import { unpacked } from "../unpacked.ts"
import { workplace } from "../workplace.ts"
import { start } from "./hindcast.ts"
import { runInProcess } from "./inProcess.ts"

const place = workplace()
const log = place.file("log.db")
const ENDINGS: Readonly<Record<string, string>> = { markdown: "md", inspect: "jsonl", otlp: "jsonl", piaavt: "jsonl" }

beforeAll(async () => {
  await Effect.runPromise(Effect.provide(appendWords, SqliteEventLog.layer({ filename: log })))
  // The states that are folded hold the words.
  expect((await hindcast("log", "snapshot")).code).toBe(0)
  // A data set has the tasks that people starred.
  expect((await hindcast("star", TASK)).code).toBe(0)
})
afterAll(() => place.remove())

const hindcast = (...words: ReadonlyArray<string>) => runInProcess([...words, "--log", log])

/** A command that writes a file, without the file. */
interface Writing {
  readonly words: ReadonlyArray<string>
  readonly option: string
  readonly end: string
}

/** Every export, and the formats among which `--format` chooses; one without that option. A test below misses what is not here. */
const EXPORTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  events: Events.FORMATS,
  audits: Audits.FORMATS,
  transitions: Transitions.FORMATS,
  dataset: Dataset.FORMATS,
  html: ["html"],
  studio: ["html"],
  otlp: ["otlp"],
  mcap: ["mcap"],
  piaavt: ["piaavt"],
}

/** Every export in every format, of all tasks and of one where both can be had, and the pages that other commands write. */
const WRITINGS: ReadonlyArray<Writing> = [
  ...Object.entries(EXPORTS).flatMap(([name, formats]) => {
    const words = ["export", name, ...(name === "studio" ? [TASK] : [])]
    return formats.flatMap((format) => {
      const writing = {
        words: [...words, ...(formats.length > 1 ? ["--format", format] : [])],
        option: "--output",
        end: ENDINGS[format] ?? format,
      }
      return name === "html" ? [writing, { ...writing, words: [...words, "--task", TASK] }] : [writing]
    })
  }),
  { words: ["compare", "s-1", "s-1", "--cluster", "goal"], option: "--html", end: "html" },
]

/** Commands that write a file, and have no option to decrypt: what they write is as it is stored, or holds no events. */
const AS_STORED: ReadonlyArray<Writing> = [{ words: ["task", "bundle", TASK], option: "--out", end: "db" }]

let files = 0

/** What a command writes and says, with all that is packed in it. */
const written = async ({ words, option, end }: Writing, ...more: ReadonlyArray<string>) => {
  const file = place.file(`out-${files++}.${end}`)
  const { code, both } = await hindcast(...words, ...more, option, file)
  expect([words.join(" "), code, code === 0 ? "" : both]).toEqual([words.join(" "), 0, ""])
  return `${unpacked(fs.readFileSync(file))}\n${both}`
}

describe("what a file for others holds of a subject", () => {
  it.each(WRITINGS.map((writing) => [writing.words.join(" "), writing] as const))(
    "is nothing without --decrypt: %s",
    async (name, writing) => {
      expect(wordsIn(await written(writing))).toEqual([])
      const decrypted = wordsIn(await written(writing, "--decrypt"))
      // A comparison names no goal and no text of a task at all.
      if (name.startsWith("compare")) expect(decrypted).toEqual([])
      else expect(decrypted).not.toEqual([])
      if (name.startsWith("export events")) expect(decrypted).toEqual(WORDS)
    },
  )

  it.each(AS_STORED.map((writing) => [writing.words.join(" "), writing] as const))(
    "is nothing in what is copied as it is stored: %s",
    async (_, writing) => {
      expect(wordsIn(await written(writing))).toEqual([])
    },
  )

  it("is asked of every command that writes one", async () => {
    const asked = new Set([...WRITINGS, ...AS_STORED].map(({ words }) => words.slice(0, 2).join(" ")))
    for (const words of PATHS) {
      const { both } = await runInProcess([...words, "--help"])
      if (!/--(output|html|out)\b/.test(both)) continue
      const name = words.join(" ")
      // It signs the head of a log; and it writes numbers of lines, paths, models and ids, none of which is personal.
      if (name === "log anchor" || name === "export agent-trace") continue
      // A part of a verification has hashes and positions.
      if (name === "log verify") continue
      // It opens the log without the keys. Trajectories are of episodes, which have a test of their own.
      if (name === "export harbor" || name === "export trajectories") continue
      // Verdicts name positions and rules. A dataset has a test of its own.
      if (name === "rescore" || name === "export partitioned") continue
      expect([name, [...asked].some((known) => known === name || known.startsWith(`${name} `))]).toEqual([name, true])
    }
  })

  it("is nothing in a partitioned dataset, and all of it with --decrypt", async () => {
    const wordsOf = async (...more: ReadonlyArray<string>) => {
      const directory = place.file(`lake-${files++}`)
      const { code, both } = await hindcast("export", "partitioned", "--directory", directory, ...more)
      expect([code, code === 0 ? "" : both]).toEqual([0, ""])
      const names = fs
        .readdirSync(directory, { recursive: true, encoding: "utf8" })
        .filter((name) => name.includes("."))
      return wordsIn(names.map((name) => unpacked(fs.readFileSync(`${directory}/${name}`))).join("\n"))
    }
    expect(await wordsOf()).toEqual([])
    expect(await wordsOf("--decrypt")).toEqual(WORDS)
  })

  it("is no episode of a subject: trajectories leave it out, and have it with --decrypt", async () => {
    const [episode, agent] = [place.file("episode.db"), place.file("agent.mjs")]
    const decide = `({ lastOutcome }) => lastOutcome === null ? { act: "frozen-lake/step", args: { action: 1 } } : { done: "achieved" }`
    fs.writeFileSync(agent, `export default { name: "skater", version: "1", decide: ${decide} }`)
    const plugin = inRepository("packages", "worlds", "frozen-lake")
    const words = ["--plugin", plugin, "--agent", agent, "--goal", "Skate", "--gate", "allow", "--subject", SUBJECT]
    expect(await start(["run", "--log", episode, ...words]).ended).toMatchObject({ code: 0 })
    const exported = (...more: ReadonlyArray<string>) =>
      runInProcess(["export", "trajectories", "--log", episode, "--output", "-", ...more])
    const sealed = (await exported()).both
    expect(sealed).toContain("Exported 0 episodes with 0 steps")
    expect(sealed).toMatch(/Left out 1 \(/)
    expect(sealed).not.toContain("Skate")
    const opened = (await exported("--decrypt")).both
    expect(opened).toContain("Exported 1 episode with 1 step")
    expect(opened).toContain('"goal":"Skate"')
  })

  it("is nothing in the files of the log itself", () => {
    const texts = fs.readdirSync(path.dirname(log)).filter((file) => file.startsWith("log.db"))
    for (const file of texts) {
      const full = path.join(path.dirname(log), file)
      if (fs.statSync(full).isFile()) expect([file, wordsIn(unpacked(fs.readFileSync(full)))]).toEqual([file, []])
    }
  })
})

describe("after the subject was shredded", () => {
  it("no command writes its words any more, with --decrypt either, and the log verifies", async () => {
    expect((await hindcast("log", "shred", SUBJECT, "--reason", "asked for it", "--yes")).code).toBe(0)
    for (const writing of WRITINGS) expect(wordsIn(await written(writing, "--decrypt"))).toEqual([])
    for (const words of [
      ["state"],
      ["task", "ls"],
      ["audit", TASK, "--json"],
      ["log", "ls", "--all"],
      ["log", "show", "@1"],
    ])
      expect(wordsIn((await hindcast(...words)).both)).toEqual([])
    expect((await hindcast("log", "verify")).code).toBe(0)
  })
})
