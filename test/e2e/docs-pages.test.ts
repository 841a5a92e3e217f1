import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect, vi } from "vitest"
import { ENTRIES, PATHS } from "../../src/cli/catalogue/Catalogue.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import * as Routes from "../../src/studio/server/Routes.ts"
import { PACKAGE } from "../built.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { compiled } from "./page.ts"

const read = (page: string): string => fs.readFileSync(inRepository(page), "utf8")

const PAGES = [
  "README.md",
  ...fs
    .readdirSync(inRepository("docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll(path.sep, "/")}`)
    .sort(),
]

describe("docs/reference/events.md", () => {
  it("names every type of event, each once in its table, and no other", () => {
    const named = [...read("docs/reference/events.md").matchAll(/^\|[^|]*\| `([A-Z]\w+)`/gm)].map(([, name]) => name)
    expect(named.sort()).toEqual([...Vocabulary.core.types.keys()].sort())
  })

  it("names the personal fields of each type, and the version of its schema", () => {
    for (const { name, version, personal } of Vocabulary.core.types.values()) {
      const [, mark, fields] = new RegExp(`^\\|[^|]*\\| \`${name}\`([^|]*)\\|[^|]*\\|([^|]*)\\|$`, "m").exec(
        read("docs/reference/events.md"),
      ) ?? [undefined, "", ""]
      expect([name, (mark ?? "").trim()]).toEqual([name, version === 1 ? "" : `(v${version})`])
      expect([name, [...(fields ?? "").matchAll(/`(\w+)`/g)].map(([, field]) => field)]).toEqual([
        name,
        Object.keys(personal),
      ])
    }
  })
})

describe("docs/reference/events.md about the types that Hindcast leaves to programs", () => {
  it("names all of them, and none that Hindcast writes", () => {
    const [, said = ""] =
      /Hindcast itself writes no ([^:]+):/.exec(read("docs/reference/events.md").replaceAll("\n", " ")) ?? []
    const sources = fs
      .readdirSync(inRepository("src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.startsWith(path.join("events", "testing")))
      .map((name) => read(path.join("src", name)))
    const isWritten = (type: string) =>
      sources.some((text) => new RegExp(`\\btype(?::| =) [^,\\n]*"${type}"`).test(text))
    expect([...said.matchAll(/`(\w+)`/g)].map(([, type]) => type).sort()).toEqual(
      [...Vocabulary.core.types.keys()].filter((type) => !isWritten(type)).sort(),
    )
  })
})

describe("docs/reference/http.md", () => {
  it("names every path of Studio's API with its method, and no other", () => {
    const rows = read("docs/reference/http.md").matchAll(/^\| `(GET|POST) (.*?)(?<!\\)\|/gm)
    const named = [...rows].flatMap(([, method, cell = ""]) =>
      [...cell.matchAll(/\/api\/[a-z/-]*[a-z]/g)].map(([path]) => `${method} ${path}`),
    )
    expect(named.sort()).toEqual(Routes.known.map(({ method, path }) => `${method} ${path}`).sort())
  })
})

describe("links between pages", () => {
  const others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
  it.each([...PAGES, ...others])("%s leads to files and headings that exist", (page) => {
    const links = [...outsideCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "")
    const missing = links.filter((target) => !/^[a-z]+:/.test(target) && !leads(page, target))
    expect(missing).toEqual([])
  })

  it("are of commands, too: each leads to a heading that exists", () => {
    const missing = ENTRIES.filter(({ page }) => page !== undefined && !leads("README.md", page))
    expect(missing.map(({ path, page }) => `${path}: ${page}`)).toEqual([])
  })

  it("docs/README.md leads to every page", () => {
    const index = read("docs/README.md")
    const pages = PAGES.map((page) => page.replace(/^docs\//, "")).filter((name) => name !== "README.md")
    expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([])
  })
})

describe("commands in pages", () => {
  it.each(PAGES)("%s calls only commands of the command line", (page) => {
    const unknown = commandsIn(read(page)).filter((words) => !PATHS.some((known) => isCalled(known, words)))
    expect(unknown).toEqual([])
  })

  it("are all in the overview of docs/reference/commands.md", () => {
    const spans = [...read("docs/reference/commands.md").matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span.split(" ").map((word) => word.split("\\|"))),
    )
    const isNamed = (path: ReadonlyArray<string>) =>
      spans.some((words) => path.every((word, index) => words[index]?.includes(word)))
    // Another word for `plugin ls`.
    const missing = PATHS.map((path) => path.join(" ")).filter(
      (path) => path !== "plugin list" && !isNamed(path.split(" ")),
    )
    expect(missing).toEqual([])
  })

  it("are found in docs/guides/verify-a-log.md and docs/reference/gate.md, so that the check above is of something", () => {
    const found = ["docs/guides/verify-a-log.md", "docs/reference/gate.md"].map((page) =>
      commandsIn(read(page)).join("\n"),
    )
    expect(found[0]).toContain("log,verify")
    expect(found[1]).toContain("confirm,approve")
  })
})

describe("programs in pages", () => {
  /** The programs of each page, in its order. */
  const named: Readonly<Record<string, ReadonlyArray<string>>> = {
    "explanation/concepts": ["notes.ts", "task.ts"],
    "reference/events": ["orders.ts"],
    "guides/record-your-own-events": ["shelves.ts"],
    "guides/fork-in-a-program": ["forks.ts"],
    "reference/agents": ["agents.ts", "promises.ts"],
    "guides/approve-an-agent": ["live.ts"],
    "guides/give-an-agent-tools": ["cities.ts", "tools.ts", "policies.ts"],
    "guides/listen-for-signals": ["hooks.ts", "queue.ts"],
    "guides/remember-and-recall": ["seats.ts"],
    "guides/talk-to-an-agent": ["talking.ts"],
    "guides/teams-of-agents": ["teams.ts", "desk.ts"],
    "guides/record-in-your-code": ["letters.ts", "desk.ts"],
    "guides/fork-a-recording": ["another.ts"],
    "guides/act-in-studio": ["studio.ts"],
  }
  const programs = Object.keys(named).flatMap((page) =>
    [...read(`docs/${page}.md`).matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", source = ""]) => ({
      page,
      name,
      source,
    })),
  )

  it.each(Object.entries(named))("of docs/%s.md are there", (page, names) => {
    expect(programs.filter((program) => program.page === page).map(({ name }) => name)).toEqual(names)
  })

  it.scopedLive("have nothing in them that a strict compiler finds wrong", () =>
    Effect.gen(function* () {
      const blocks = programs.map(({ name, source }) => ({ note: name, lines: source.split("\n") }))
      const directory = yield* insideTheRepository
      expect(yield* Effect.promise(() => compiled(blocks, directory))).toEqual([])
    }),
  )

  for (const { page, name, source } of programs) {
    it.scopedLive(
      `docs/${page}.md: ${name} prints what the page says`,
      () =>
        Effect.gen(function* () {
          const program = path.join(yield* insideTheRepository, name)
          fs.writeFileSync(program, source)
          const workplace = yield* temporaryDirectory
          fs.mkdirSync(path.join(workplace, "node_modules"))
          fs.symlinkSync(PACKAGE, path.join(workplace, "node_modules", "hindcast"))
          yield* workingIn(workplace)
          const printed = vi.spyOn(console, "log").mockImplementation(() => {})
          yield* Effect.addFinalizer(() => Effect.sync(() => printed.mockRestore()))
          yield* Effect.promise(() => import(/* @vite-ignore */ program))
          const said = printed.mock.calls.map((values) => values.join(" "))
          expect(said.join("\n")).toBe(/^\/\/ prints: (.*)$/m.exec(source)?.[1])
        }),
      120_000,
    )
  }
})

/** Whether a link of a page leads to a file, and to a heading of it if it names one. */
const leads = (page: string, target: string): boolean => {
  const [file = "", heading] = target.split("#")
  const name = file === "" ? page : path.join(path.dirname(page), file)
  if (!fs.existsSync(inRepository(name))) return false
  return heading === undefined || !name.endsWith(".md") || headingsOf(name).has(heading)
}

/** The headings of a page, as links name them. */
const headingsOf = (page: string): ReadonlySet<string> => {
  const text = read(page).replaceAll(/^```[\s\S]*?^```$/gm, "")
  return new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )
}

/** A page without its blocks of code, in which brackets are no links. */
const outsideCode = (page: string): string => page.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "")

/** The words after `hindcast` wherever a page calls it: in code within a line, or at the beginning of a line of a block. */
const commandsIn = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...page.matchAll(/(?:`|^\$ |^)(?:npx )?hindcast ((?:[a-z]+(?:-[a-z]+)* ?)+)/gm)].map(([, words = ""]) =>
    words.trim().split(" "),
  )

/** Whether words call a command, whatever arguments follow; or name a group of commands. */
const isCalled = (known: ReadonlyArray<string>, words: ReadonlyArray<string>): boolean =>
  known.every((word, index) => words[index] === word) || words.every((word, index) => known[index] === word)

/** A directory in which a program finds `hindcast` as tests do. */
const insideTheRepository = Effect.acquireRelease(
  Effect.sync(() => {
    fs.mkdirSync(inRepository(".hindcast"), { recursive: true })
    return fs.mkdtempSync(inRepository(".hindcast", "docs-"))
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
)

const workingIn = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.cwd()
      process.chdir(directory)
      return before
    }),
    (before) => Effect.sync(() => process.chdir(before)),
  )
