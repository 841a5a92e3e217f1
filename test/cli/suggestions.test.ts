import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { writePlugin } from "../kernel/given.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
afterAll(place.remove)

/** A log and tasks whose names a shell would split. */
const log = path.join(place.directory, "Tom's runs", "log 1.db")
const PREFIX = `Tom's "task`
beforeAll(async () => {
  fs.mkdirSync(path.dirname(log))
  await writeHistory(log, 6, PREFIX)
})

/** A plugin that is installed only with a permission. */
const needy = writePlugin(path.join(place.directory, "Tom's plugin"), {
  name: "weather",
  sensors: [{ name: "sky" }],
  permissions: { env: ["SKY"] },
  entry: "export default { sensors: { sky: () => ({}) } }",
})

const missing = path.join(place.directory, "no log.db")

/** Command lines that suggest others, in answers and in errors. */
const ASKED: ReadonlyArray<ReadonlyArray<string>> = [
  ["task", "show", `${PREFIX}-2`],
  ["task", "show", `${PREFIX}-open`],
  ["task", "show", "nobody"],
  ["task", "ls"],
  ["audit"],
  ["audit", "--scores", "nothing"],
  ["audit", `${PREFIX}-2`],
  ["audit", "nobody"],
  ["why", `${PREFIX}-2`],
  ["why", "@99999"],
  ["state", "--at", "2001-01-01"],
  ["state", "--ta", "@1"],
  ["log", "info"],
  ["log", "show", "00000000-0000-4000-8000-000000000000"],
  ["log", "ls", "--type", "Nothing"],
  ["log", "verify"],
  ["log", "gone"],
  ["log", "reprice"],
  ["log", "doctor"],
  ["log", "snapshot"],
  ["log", "archive", "--until", "2001-01-01"],
  ["log", "archive", "--until", "@99999"],
  ["log", "backup", path.join(place.directory, "Tom's copy.db")],
  ["log", "backup", path.join(place.directory, "Tom's copy.db")],
  ["log", "restore", path.join(place.directory, "Tom's copy.db")],
  ["log", "shred", "nobody", "--reason", "x", "--yes"],
  ["task", "ls", "--outcome", "gone"],
  ["task", "cancel", `${PREFIX}-2`],
  ["effects", "@3"],
  ["saw", "@3"],
  ["history", "/nowhere"],
  ["watch", "--when", "state.nowhere == 1"],
  ["plugin", "add", needy],
  ["log", "info", "--log", missing],
  ["score", "ls"],
  ["score", "show", "nothing"],
  ["compare", "live", "nothing"],
  ["compare", "live", "stricter", "--cluster", "gaol"],
  ["confirm", "ls"],
  ["confirm", "show", "nothing"],
  ["confirm", "approve", "q1", "--yes"],
  ["plugin", "list"],
  ["plugin", "show", "nothing"],
  ["plugin", "grant", "nothing"],
  ["timeline", "ls"],
  ["rescore", "--resume", "nothing"],
  ["bisect", "--when", "state.nowhere == 1"],
]

/** The commands of the program that a text suggests, between backquotes or at the end of a line. */
const suggestionsIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line) => [
      ...line.matchAll(/`((?:node|hindcast|npx hindcast) [^`]+)`/g),
      ...line.matchAll(/(?:^ {2,}|: )((?:node|hindcast|npx hindcast) [^`]+)$/g),
    ])
    .map(([, command = ""]) => command)

/** The words of a command, as a shell passes them. */
const wordsOf = (command: string): ReadonlyArray<string> =>
  execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n")

/** A word that a person replaces. */
const isPlaceholder = (word: string) => /^[A-Z]{3,}$/.test(word)

it("every command that is suggested can be pasted: it names its log, quotes its words, and has its options", async () => {
  const suggested = new Map<string, string>()
  for (const args of ASKED) {
    const { stdout, stderr } = await hindcast(args.includes("--log") ? args : [...args, "--log", log])
    for (const command of suggestionsIn(`${stdout}\n${stderr}`)) suggested.set(command, args.join(" "))
  }
  expect(suggested.size).toBeGreaterThan(12)
  const wrong: Array<string> = []
  for (const [command, by] of suggested) {
    const words = wordsOf(command)
    const [program, , ...args] = words
    const says = (what: string) => wrong.push(`${by}: \`${command}\` ${what}`)
    if (program !== "node") says("is not how the program is called here")
    else if (!args.includes("--help") && ![log, missing].includes(args[args.indexOf("--log") + 1] ?? ""))
      says("does not name the log")
    else if (args.includes(missing) && !words.some(isPlaceholder)) says("leaves out what it needs")
    else if (!words.some(isPlaceholder)) {
      // What brings a backup back is for whoever has lost the log.
      const isRestoring = args[1] === "restore" && !args.includes("--replace")
      const lost = path.join(place.directory, "lost.db")
      const { code, stderr } = await hindcast(isRestoring ? args.map((word) => (word === log ? lost : word)) : args)
      // The debugger of the terminal starts nowhere else.
      const needsTerminal = args[0] === "step" && stderr.includes("expected a terminal")
      if (code !== 0 && !needsTerminal) says(`ends with ${code}: ${stderr}`)
    }
  }
  expect(wrong).toEqual([])
})

/** Overwrites the page that a text is on. */
const overwritePageOf = (text: string) => (file: string) => {
  const bytes = fs.readFileSync(file)
  const page = bytes.indexOf(text) - (bytes.indexOf(text) % bytes.readUInt16BE(16))
  fs.writeFileSync(file, bytes.fill(0xff, page, page + bytes.readUInt16BE(16)))
}

const changeSchema = (sql: string) => (file: string) => {
  const database = new Database(file)
  database.exec(sql)
  database.close()
}

it.each([
  ["with a damaged page", overwritePageOf(`"live-30"`), false],
  ["without one of its indexes", changeSchema("DROP INDEX events_by_task"), true],
  ["with another program's trigger", changeSchema("CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT 1; END"), true],
])("what the doctor says about a log %s can be pasted, and makes it a sound one", async (_name, damage, whole) => {
  const cwd = fs.mkdtempSync(path.join(place.directory, "damaged "))
  const damaged = path.join(cwd, "Tom's log.db")
  await writeHistory(damaged, 60)
  damage(damaged)
  const named = ["--log", damaged]
  const before = await hindcast(["log", "verify", ...named], { cwd })
  expect(before.code).toBe(2)
  const said = (await hindcast(["log", "doctor", ...named], { cwd })).stdout
  const commands = suggestionsIn(said).map((command) => wordsOf(command).slice(2))
  const [exported = [], imported = [], restored = []] = commands.slice(
    commands.findLastIndex(([first]) => first === "export"),
  )
  expect([exported.includes("--until"), imported[1], restored.slice(0, 2)]).toEqual([
    !whole,
    "import",
    ["log", "restore"],
  ])
  for (const args of [exported, imported, restored, ["log", "verify", ...named]]) {
    expect(await hindcast(args, { cwd })).toMatchObject({ code: 0 })
  }
})
