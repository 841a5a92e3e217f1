import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
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

/** The commands of the program that a text suggests, between backquotes or on a line of their own. */
const suggestionsIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line) => [
      ...line.matchAll(/`((?:node|hindcast|npx hindcast) [^`]+)`/g),
      ...line.matchAll(/^ {2,}(node .+)$/g),
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
    const { stdout, stderr } = await hindcast([...args, "--log", log])
    for (const command of suggestionsIn(`${stdout}\n${stderr}`)) suggested.set(command, args.join(" "))
  }
  expect(suggested.size).toBeGreaterThan(12)
  const wrong: Array<string> = []
  for (const [command, by] of suggested) {
    const words = wordsOf(command)
    const [program, , ...args] = words
    const says = (what: string) => wrong.push(`${by}: \`${command}\` ${what}`)
    if (program !== "node") says("is not how the program is called here")
    else if (!args.includes("--help") && args[args.indexOf("--log") + 1] !== log) says("does not name the log")
    else if (!words.some(isPlaceholder)) {
      const { code, stderr } = await hindcast(args)
      if (code !== 0) says(`ends with ${code}: ${stderr}`)
    }
  }
  expect(wrong).toEqual([])
})
