import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import * as Catalogue from "../../src/cli/catalogue/Catalogue.ts"
import * as Declared from "../../src/cli/catalogue/Declared.ts"
import type { Entry } from "../../src/cli/catalogue/Entry.ts"
import * as Argv from "../../src/cli/command/Argv.ts"
import { inRepository } from "../repository.ts"
import { run } from "./fromSource.ts"
import * as Reference from "./reference.ts"

/** Fails if a file says something else; with `UPDATE_PAGES=1`, writes it. */
const expectWritten = (file: string, expected: string) => {
  const name = inRepository(file)
  const found = fs.existsSync(name) ? fs.readFileSync(name, "utf8") : ""
  if (found === expected) return
  if (process.env.UPDATE_PAGES === "1") return fs.writeFileSync(name, expected)
  expect(found, `${file} is stale: UPDATE_PAGES=1 npx vitest run test/cli/commands.test.ts writes it`).toBe(expected)
}

/** Every command with its options, as it declares them. */
const declared: Array<{
  readonly entry: Entry
  readonly words: ReadonlyArray<string>
  readonly options: Declared.Options
}> = []
for (const entry of Catalogue.ENTRIES)
  declared.push({ entry, words: entry.path.split(" "), options: await Declared.ofCommand(entry) })

describe("the pages", () => {
  it("docs/reference/commands.md says what the commands declare", async () => {
    expectWritten("docs/reference/commands.md", await Reference.page())
  })
})

/** Options of other commands that a command's explanation names. */
const EXPLAINED = new Map([["cassette record", ["--cassette"]]])

describe("every command", () => {
  it("is called by what its entry says, and has an example of options that it has", () => {
    for (const { entry, words, options } of declared) {
      for (const [usage] of entry.uses) expect([entry.path, usage.startsWith(entry.path)]).toEqual([entry.path, true])
      const example = entry.example.split(" ")
      expect(example.slice(0, words.length)).toEqual(words)
      const own = example.includes("--") ? example.slice(0, example.indexOf("--")) : example
      const unknown = own.filter((word) => /^--\w/.test(word) && !options.has(word))
      expect([entry.path, unknown]).toEqual([entry.path, []])
    }
  })

  it("is explained by options that it has", () => {
    for (const { entry, options } of declared) {
      const texts = entry.uses.flat().flatMap((text) => text.split(/ -- /)[0] ?? [])
      const named = texts.flatMap((text) => text.match(/(?<![\w-])--?[a-z][\w-]*/g) ?? [])
      const isKnown = (name: string) =>
        options.has(name) || (name.endsWith("-") && [...options.keys()].some((option) => option.startsWith(name)))
      expect([entry.path, named.filter((name) => !isKnown(name))]).toEqual([
        entry.path,
        EXPLAINED.get(entry.path) ?? [],
      ])
    }
  })

  it("is in a group that says what it is about, and is loaded under its own name", async () => {
    // `mcp` is a command, and the group of `mcp gate`; `acp` as well.
    for (const [first = "", second] of declared.map(({ words }) => words))
      if (Catalogue.find([first]) === undefined)
        expect([first, Catalogue.GROUPS.has(first)]).toEqual([first, second !== undefined])
    const [...tree] = await Declared.tree([])
    expect(tree).toHaveLength(Catalogue.wordsAfter([]).length)
  })

  it("takes --log and --json, but for those that need no log, a screen that is typed into, and a protocol on the standard output", () => {
    const without = (name: string) =>
      declared.filter(({ options }) => !options.has(name)).map(({ entry }) => entry.path)
    expect(without("--json")).toEqual(["serve", "acp", "mcp gate", "step"])
    expect(without("--log")).toEqual([
      "init",
      "hooks uninstall",
      "hooks check",
      "hooks status",
      "plugin new",
      "log copy",
      "password",
      "doctor",
      "python",
    ])
  })

  it("spells its options as all others do", () => {
    const names = declared.flatMap(({ options }) => [...options.keys()])
    expect(names.filter((name) => !/^--[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  })
})

/** Options that have a value in some commands and none in others, with why. */
const TWO_KINDS = new Map([
  ["--live", "`demo --live` is an older name of `demo`; `replay --live model|tools` says what is asked anew"],
  [
    "--run",
    "`plugin check --run` is a switch; `files fork --run` as well; `files bisect --run COMMAND` is named as in `git bisect run`",
  ],
])

/** Whether what is mistyped here is another option of the command. */
const isOther = (typed: ReadonlyArray<string>, options: Declared.Options): boolean => {
  const name = typed.findLast((word) => word.startsWith("-")) ?? ""
  return (name.endsWith("x") || name.startsWith("--no-")) && options.has(name)
}

describe("an option", () => {
  it("takes a value in every command that has it, or in none", () => {
    const all = new Map<string, Array<readonly [command: string, takesValue: boolean]>>()
    for (const { entry, options } of declared)
      for (const [name, { takesValue }] of options) all.set(name, [...(all.get(name) ?? []), [entry.path, takesValue]])
    const mixed = [...all].filter(([, uses]) => new Set(uses.map(([, takesValue]) => takesValue)).size > 1)
    expect(mixed.map(([name]) => name)).toEqual([...TWO_KINDS.keys()])
  })

  const wrong = declared.flatMap(({ entry, words, options }) => {
    const some = [...options]
    const valued = some.filter(([, { takesValue }]) => takesValue).map(([name]) => name)
    const switches = some.filter(([, { takesValue }]) => !takesValue).map(([name]) => name)
    const once = some.filter(([, { repeats }]) => !repeats)
    const name = `hindcast ${entry.path}`
    return [
      ...valued.map((option) => [[...words, option], `${option}: expected a value, found none.`] as const),
      ...valued.map((option) => [[...words, option, "--json"], `${option}: expected a value, found none.`] as const),
      ...valued.map(
        (option) => [[...words, `${option}=`], `${option}: expected a value, found an empty one.`] as const,
      ),
      ...valued.map((option) => [[option, "", ...words], `${option}: expected a value, found an empty one.`] as const),
      ...switches.map(
        (option) =>
          [[`${option}=1`, ...words], `${option}: expected no value, or =true or =false, found "1".`] as const,
      ),
      ...once.map(
        ([option, { takesValue }]) =>
          [
            [...words, ...(takesValue ? [option, "a", `${option}=b`] : [option, option])],
            `${option}: expected the option once, found it twice.`,
          ] as const,
      ),
      ...some.map(
        ([option]) => [[...words, `${option}x`], `${name}: expected one of its options, found "${option}x".`] as const,
      ),
      ...switches.map(
        (option) =>
          [
            [...words, `--no-${option.slice(2)}`],
            `${name}: expected one of its options, found "--no-${option.slice(2)}".`,
          ] as const,
      ),
      [[...words, "-x"], `${name}: expected one of its options, found "-x". \`${name} --help\``] as const,
      [[...words, "--completions", "bash"], `${name}: expected one of its options, found "--completions".`] as const,
      [[...words, "--wizard"], `${name}: expected one of its options, found "--wizard".`] as const,
      [[...words, "--log-level", "loud"], "--log-level: expected one of all, trace,"] as const,
    ].filter(([typed]) => !isOther(typed, options))
  })

  it("that is unknown, misspelt, lacks its value, has one too many or is repeated is refused in the same words by every command", async () => {
    expect(wrong.length).toBeGreaterThan(1_000)
    const said = await Promise.all(wrong.map(async ([typed]) => (await Argv.arrange(typed)).problem?.message ?? "none"))
    const other = wrong.filter(([, message], index) => said[index]?.startsWith(message) !== true)
    expect(other.map(([typed, message]) => [typed, message, said[wrong.findIndex(([one]) => one === typed)]])).toEqual(
      [],
    )
  })

  it("that is misspelt is told with the option that is meant", async () => {
    for (const { entry, words, options } of declared) {
      for (const option of options.keys()) {
        const { problem } = await Argv.arrange([...words, `${option}x`])
        if (!options.has(`${option}x`))
          expect([entry.path, problem?.message]).toEqual([
            entry.path,
            expect.stringMatching(`Did you mean .*${option}\\b`),
          ])
      }
    }
  })

  it("is understood wherever it stands, attached or apart", async () => {
    for (const { words, options } of declared) {
      for (const [option, { takesValue }] of options) {
        const args = [...words, ...(takesValue ? [option, "a=b c"] : [option])]
        const ways = takesValue
          ? [
              [...words, option, "a=b c"],
              [...words, `${option}=a=b c`],
              [option, "a=b c", ...words],
              [`${option}=a=b c`, ...words],
            ]
          : [
              [...words, option],
              [option, ...words],
              [...words, `${option}=true`],
            ]
        for (const typed of ways) expect([typed, (await Argv.arrange(typed)).args]).toEqual([typed, args])
        if (!takesValue) expect((await Argv.arrange([...words, `${option}=false`])).args).toEqual(words)
      }
    }
  })
})

describe("completions", () => {
  it("name the commands of the catalogue, and of each the options that it takes and no other", async () => {
    const { stdout } = await run(["--completions", "fish"])
    const lines = stdout.split("\n")
    const offered = [...new Set([...stdout.matchAll(/ -l ([a-z-]+)/g)].map(([, name]) => `--${name}`))].sort()
    const known = new Set(declared.flatMap(({ options }) => [...options.keys()]))
    expect(offered).toEqual([...known, "--help", "--version", "--log-level", "--completions"].sort())
    const commands = lines.flatMap((line) => /use_subcommand" -f -a "([a-z]+)"/.exec(line)?.[1] ?? [])
    expect(commands).toEqual(Catalogue.wordsAfter([]))
    for (const shell of ["bash", "zsh", "fish", "sh"])
      expect((await run(["--completions", shell])).stdout).not.toContain("wizard")
  })

  it("in Bash, offer each command's own options, also those of a command in a group", async () => {
    const { stdout } = await run(["--completions", "bash"])
    const asked = declared.map(({ words }) =>
      [
        `COMP_WORDS=(hindcast ${words.join(" ")} --); COMP_CWORD=${words.length + 1}; COMPREPLY=()`,
        "_hindcast_bash_completions hindcast",
        `echo "\${COMPREPLY[*]}"`,
      ].join("\n"),
    )
    // `complete` asks for what only a newer Bash sorts by; the function is called without it.
    const script = ["complete() { :; }", stdout, ...asked].join("\n")
    const { stdout: said } = spawnSync("bash", ["-s"], { input: script, encoding: "utf8" })
    const builtIn = ["--completions", "--log-level", "--help", "--version"]
    expect(
      said
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ").sort()),
    ).toEqual(declared.map(({ options }) => [...options.keys(), ...builtIn].sort()))
  })
})
