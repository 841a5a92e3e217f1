import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { PACKAGE } from "../built.ts"
import { runInProcess } from "../cli/inProcess.ts"
import { inTerminal, KEYS } from "../cli/terminal.ts"
import { inRepository } from "../repository.ts"
import * as Likeness from "./likeness.ts"
import { plainCommand, plainSettings } from "./shellWords.ts"

/*
 * A page of documentation that a test follows, command by command:
 *
 *     const place = workplace()
 *     afterAll(place.remove)
 *     beforeAll(() => copyOfDemoLog(23, 7, place.directory))
 *     describe("docs/guides/fork-a-task.md, followed word by word", () => {
 *       followed(inRepository("docs", "guides", "fork-a-task.md"), place.directory)
 *     })
 *
 * What it looks for in the page:
 *
 *     ```console              Commands after `$ `, each with what it writes below it, both channels; a command that ends in `\`
 *     $ hindcast task ls      goes on in the next line. `console exits 2`: how the last of them ends, where that is not 0.
 *     …                       `…` stands for any text; a line of it alone, for any lines.
 *     ```
 *     ```js agent.mjs         A file. `ts story.mjs`: it is type-checked as well, and is to be JavaScript as it stands.
 *     ```
 *     ```text typed n | w     The screen of the `hindcast step …` in the block before, in a terminal of 80 × 24, after these keys:
 *     ```                     signs, whole texts, or names of `KEYS` in terminal.ts.
 *
 * Ids, times, durations, hashes and the like differ from run to run: where the page has one, any other of its kind is the
 * same, and a command of the page that names an id or a time is given the one that stood in its place. See `likeness.ts`.
 * Environment: `$ export NAME=value` holds for the commands after it.
 *
 * `UPDATE_PAGES=1` writes what commands write into the page where it says something else (also into a block left empty), and
 * leaves the rest of it alone.
 */

/** A fenced block of a page: its language, what else stands on its first line, its lines, and the line it begins in. */
export interface Block {
  readonly language: string
  readonly note: string
  readonly lines: ReadonlyArray<string>
  readonly at: number
}

/** The fenced blocks of a text, in their order. */
export const blocksOf = (text: string): ReadonlyArray<Block> =>
  [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", note = "", body = ""], index, all) => ({
      language,
      note,
      lines: body.split("\n").slice(0, -1),
      at: text.slice(0, all[index]?.index).split("\n").length,
    }),
  )

/** What a page says that is written. */
interface Shown {
  /** The command that is called. */
  readonly text: string
  readonly lines: ReadonlyArray<string>
  /** The lines of the page, counted from 0, that it stands in: from the first up to but without the last. */
  readonly place: readonly [from: number, to: number]
}

type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "setting"; readonly text: string }
  | ({ readonly kind: "command"; readonly code: number } & Shown)
  | ({ readonly kind: "screen"; readonly typed: string } & Shown)

export interface Following {
  /** What commands wrote that were carried out before: making the log that the page is about, for one. */
  readonly before?: (command: string) => string | undefined
  /** The commands that change the log: those before them are done then, and those after them wait for them. */
  readonly writes?: RegExp
  /** What is known of ids and times, where a page goes on from another one in the same directory. */
  readonly likeness?: Likeness.Likeness
}

const WRITES = /^hindcast (demo|run|fork|rescore|score promote|confirm|plugin|log (archive|shred|upgrade))\b/

const UPDATING = process.env.UPDATE_PAGES === "1"

/** Makes a test of every command of a page, carried out in a directory, and of its programs. */
export const followed = (
  page: string,
  directory: string,
  { before, writes = WRITES, likeness = Likeness.make() }: Following = {},
): void => {
  const text = fs.readFileSync(page, "utf8")
  const blocks = blocksOf(text)
  const steps = stepsOf(blocks)
  const running = new Map<Step, Promise<Outcome>>()

  // Commands that only look are run ahead of their tests, two at a time.
  beforeAll(() => {
    installIn(directory)
    const slot = slots(2)
    let settings = ""
    let written: Promise<unknown> = Promise.resolve()
    for (const step of steps) {
      if (step.kind === "file") fs.writeFileSync(path.join(directory, step.name), step.text)
      else if (step.kind === "setting") settings += `${step.text}\n`
      else {
        const alone = writes.test(step.text) || likeness.names(step.text)
        const ready = alone ? Promise.all([written, ...running.values()]) : written
        const carryOut = carryingOut(step, { directory, likeness, settings, already: before?.(step.text) })
        const outcome = ready.then(() => slot(carryOut))
        // Its test is told of its failure; others go on.
        const ended = outcome.catch(() => {})
        running.set(step, outcome)
        if (alone) written = ended
      }
    }
  })

  const rewritten: Array<readonly [place: Shown["place"], lines: ReadonlyArray<string>]> = []
  for (const step of steps) {
    if (step.kind === "file" || step.kind === "setting") continue
    it(`$ ${step.text}${step.kind === "screen" ? `, and typed: ${step.typed}` : ""}`, async () => {
      const { code, lines, asFound } = (await running.get(step)) ?? expect.fail("it was not run")
      const said = lines.join("\n")
      const expected = step.kind === "command" ? step.code : 0
      expect(code, `it ended with ${code}, and wrote:\n${said}`).toBe(expected)
      if (UPDATING && said !== asFound.join("\n")) rewritten.push([step.place, lines.map(likeness.inThePage)])
      else expect(said).toBe(asFound.join("\n"))
    })
  }

  const programs = blocks.filter(({ language, note }) => language === "ts" && note !== "")
  if (programs.length > 0) {
    it("has programs in which a strict compiler finds nothing wrong", async () => {
      expect(await compiled(programs, directory)).toEqual([])
    })
  }

  afterAll(() => {
    if (rewritten.length === 0) return
    const lines = text.split("\n")
    for (const [[from, to], found] of rewritten.sort(([[a]], [[b]]) => b - a)) lines.splice(from, to - from, ...found)
    fs.writeFileSync(page, lines.join("\n"))
  })
}

/** What a command wrote, and what the page says it writes, as it was found (see `likeness.ts`). */
interface Outcome {
  readonly code: number
  readonly lines: ReadonlyArray<string>
  readonly asFound: ReadonlyArray<string>
}

interface Circumstances {
  readonly directory: string
  readonly likeness: Likeness.Likeness
  /** Lines for the shell before the command. */
  readonly settings: string
  /** What it wrote, where it was carried out before. */
  readonly already: string | undefined
}

const carryingOut =
  (step: Extract<Step, Shown>, { directory, likeness, settings, already }: Circumstances) =>
  async (): Promise<Outcome> => {
    const asFound = (lines: ReadonlyArray<string>) => likeness.asFound(step.lines, lines)
    if (step.kind === "screen") {
      const log = /HINDCAST_LOG=(\S+)/.exec(settings)?.[1]
      const isThere = (lines: ReadonlyArray<string>) => lines.join("\n") === asFound(lines).join("\n")
      const lines = await screenOf([...step.text.split(" ").slice(1), ...(log === undefined ? [] : ["--log", log])], {
        directory,
        typed: step.typed,
        isThere,
      })
      return { code: 0, lines, asFound: asFound(lines) }
    }
    const { code, lines } =
      already === undefined
        ? await carriedOut(settings, likeness.inThisRun(step.text), directory)
        : { code: 0, lines: linesOf(already) }
    return { code, lines, asFound: asFound(lines) }
  }

/** A call of the program with nothing of a shell in it needs no process of its own; all else is for the shell. */
const carriedOut = async (settings: string, command: string, cwd: string): Promise<Pick<Outcome, "code" | "lines">> => {
  const [words, variables] = [plainCommand(command), plainSettings(settings)]
  // A program after `--` writes to the outputs of the process itself.
  if (words?.[0] !== "hindcast" || words.includes("--") || variables === undefined)
    return execute(`${settings}${command}`, cwd)
  const { code, both } = await runInProcess(words.slice(1), { cwd, env: { ...OUTSIDE, ...variables } })
  return { code: code ?? -1, lines: linesOf(both) }
}

/** What a command is not to know: that tests call it. */
const OUTSIDE = { HINDCAST_LOG: undefined, VITEST: undefined, NODE_OPTIONS: undefined, NODE_TEST_CONTEXT: undefined }

const stepsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Step> =>
  blocks.flatMap(({ language, note, lines, at }, index): ReadonlyArray<Step> => {
    if (FILES.has(language) && note !== "") return [{ kind: "file", name: note, text: `${lines.join("\n")}\n` }]
    if (language === "console" || language === "sh") return commandsOf({ language, note, lines, at })
    if (!note.startsWith("typed ")) return []
    const text = blocks[index - 1]?.lines[0]?.slice(2) ?? ""
    return [{ kind: "screen", text, typed: note.slice(6), lines, place: [at, at + lines.length] }]
  })

const FILES = new Set(["js", "ts", "json", "yaml", "python"])

const commandsOf = ({ note, lines, at }: Block): ReadonlyArray<Step> => {
  const starts = lines.flatMap((line, index) => (line.startsWith("$ ") ? [index] : []))
  return starts.flatMap((start, index): ReadonlyArray<Step> => {
    let first = start
    while (lines[first]?.endsWith("\\")) first += 1
    const end = starts[index + 1] ?? lines.length
    // `npx` finds what is on the path here, and takes half a second for that.
    const text = lines
      .slice(start, first + 1)
      .join("\n")
      .replace(/^\$ (?:npx (?=hindcast ))?/, "")
    if (text.startsWith("export ")) return [{ kind: "setting", text }]
    // It takes a terminal: see the screen after it.
    if (text.startsWith("hindcast step")) return []
    const code = end === lines.length ? Number(/^exits (\d+)$/.exec(note)?.[1] ?? 0) : 0
    return [{ kind: "command", text, code, lines: lines.slice(first + 1, end), place: [at + first + 1, at + end] }]
  })
}

/** A program's screen after some keys, as soon as it is as it is to be; else as it is after a while. */
const screenOf = async (
  args: ReadonlyArray<string>,
  {
    directory,
    typed,
    isThere,
  }: {
    readonly directory: string
    readonly typed: string
    readonly isThere: (lines: ReadonlyArray<string>) => boolean
  },
): Promise<ReadonlyArray<string>> => {
  const terminal = inTerminal(args, { cwd: directory })
  try {
    await terminal.shows("q quit")
    const named = new Map<string, string>(Object.entries(KEYS))
    terminal.type(
      typed
        .split(" | ")
        .map((key) => named.get(key) ?? key)
        .join(""),
    )
    const late = new Promise<ReadonlyArray<string>>((resolve) => {
      setTimeout(() => resolve(terminal.screen()), UPDATING ? 3_000 : 15_000).unref()
    })
    return await Promise.race([terminal.shows(isThere), late])
  } finally {
    terminal.kill("SIGKILL")
  }
}

/** A project that Hindcast is installed in, as `npm install` leaves it. */
const installIn = (directory: string): void => {
  const modules = path.join(directory, "node_modules")
  if (fs.existsSync(path.join(modules, "hindcast"))) return
  fs.mkdirSync(path.join(modules, ".bin"), { recursive: true })
  fs.symlinkSync(PACKAGE, path.join(modules, "hindcast"))
  fs.symlinkSync(inRepository("node_modules", "effect"), path.join(modules, "effect"))
  fs.symlinkSync("../hindcast/dist/cli/main.js", path.join(modules, ".bin", "hindcast"))
  fs.writeFileSync(path.join(directory, "package.json"), '{ "type": "module" }\n')
}

/** Runs commands by a shell, to their end. */
const execute = (script: string, cwd: string): Promise<Pick<Outcome, "code" | "lines">> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      ...OUTSIDE,
      PATH: `${path.join(cwd, "node_modules", ".bin")}${path.delimiter}${process.env.PATH}`,
    }
    execFile("sh", ["-c", `exec 2>&1\n${script}`], { cwd, env, maxBuffer: 1 << 26 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), lines: linesOf(stdout) }),
    )
  })

/** What was written, with the program called as it is where it is installed. */
const linesOf = (written: string): ReadonlyArray<string> =>
  written
    .replaceAll(/node \S*dist\/cli\/main\.js/g, "npx hindcast")
    .replaceAll(/\b\d+ seconds? ago by this machine/g, "0 seconds ago by this machine")
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd())

/** What a strict compiler says about programs. */
export const compiled = (
  programs: ReadonlyArray<Pick<Block, "note" | "lines">>,
  directory: string,
): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    const files = programs.map(({ note, lines }) => {
      const file = path.join(directory, note.replace(/\.\w+$/, ".mts"))
      fs.writeFileSync(file, lines.join("\n"))
      return file
    })
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--erasableSyntaxOnly"]
    const options = ["--ignoreConfig", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"]
    const types = ["--typeRoots", inRepository("node_modules", "@types"), "--types", "node"]
    const compiler = inRepository("node_modules", "typescript-7", "bin", "tsc")
    execFile(process.execPath, [compiler, ...options, ...strict, ...types, ...files], { cwd: directory }, (_, stdout) =>
      resolve(stdout.split("\n").filter((line) => line !== "")),
    )
  })

/** At most so many at once. */
const slots = (free: number) => {
  const waiting: Array<() => void> = []
  return async <A>(work: () => Promise<A>): Promise<A> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
