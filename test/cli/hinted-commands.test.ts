/** Commands that the program's own texts suggest: each is one that it has. */
import * as fs from "node:fs"
import * as path from "node:path"
import { expect, it } from "vitest"
import { GROUPS, PATHS } from "../../src/cli/catalogue/Catalogue.ts"
import { inRepository } from "../repository.ts"

const sources = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) return sources(file)
    return /\.tsx?$/.test(entry.name) ? [file] : []
  })

/** The words of commands in backticks, such as `hindcast log show @5`, up to the first that is no plain word. */
const hinted = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`hindcast ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?=[ `\\])/g)].map(([, words = ""]) => words)

/** Commands, and the first words of those that share one: `hindcast confirm …`. */
const commands = new Set([...PATHS.map((words) => words.join(" ")), ...GROUPS.keys()])

const isCommand = (words: string): boolean =>
  words.split(" ").some((_, index, all) => {
    const begun = all.slice(0, index + 1).join(" ")
    return commands.has(begun) && (all.length === index + 1 || !GROUPS.has(begun))
  })

it("are commands of the program", () => {
  const found = sources(inRepository("src")).flatMap((file) =>
    hinted(fs.readFileSync(file, "utf8")).map((words) => ({ file: path.basename(file), words })),
  )
  expect(found.length).toBeGreaterThan(50)
  expect(found.filter(({ words }) => !isCommand(words))).toEqual([])
})

it("are found where they are none", () => {
  expect(hinted('style.dim("`hindcast show @POSITION` shows a command")')).toEqual(["show"])
  expect(isCommand("show")).toBe(false)
})
