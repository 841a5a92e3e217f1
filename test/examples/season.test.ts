import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { built } from "../built.ts"
import { inRepository } from "../repository.ts"

const textsIn = (directory: string, isMeant: (name: string) => boolean): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter(isMeant)
    .map((name) => fs.readFileSync(path.join(directory, name), "utf8"))

describe("the season, an example", () => {
  it("imports the public names of Hindcast, and nothing else of it", () => {
    const imported = textsIn(inRepository("examples", "season"), (name) => name.endsWith(".ts")).flatMap((text) =>
      [...text.matchAll(/from "([^".][^"]*)"/g)].map(([, name]) => name),
    )
    expect([...new Set(imported)].sort()).toEqual([
      ...["effect", "effect/Utils", "hindcast"],
      ...["node:child_process", "node:fs", "node:path", "node:url"],
    ])
    const above = textsIn(inRepository("examples", "season"), (name) => name.endsWith(".ts")).filter((text) =>
      /from "(\.\.\/\.\.|.*\/src\/)/.test(text),
    )
    expect(above).toEqual([])
  })

  it("is in the command line with the log that the command line has, and not with another copy of it", () => {
    const chunks = textsIn(built("cli"), (name) => /^pack-.*\.cjs$/.test(name))
    const count = (text: string) => chunks.join("\n").split(text).length - 1
    expect(count("a season needs a new log, and this path exists already")).toBe(1)
    expect(count("CREATE TABLE events (")).toBe(1)
  })
})
