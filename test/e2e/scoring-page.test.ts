import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { copyOfDemoLog, saidOfDemoLog } from "../demoLog.ts"
import { fetchedModules } from "../fetched.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { blocksOf, followed } from "./page.ts"

const PAGE = inRepository("docs", "scoring.md")

const place = workplace()
afterAll(place.remove)

let said: string
beforeAll(async () => {
  await copyOfDemoLog(60, 7, place.directory)
  said = await saidOfDemoLog(60, 7)
  // What the page says to install besides.
  fs.mkdirSync(place.file("node_modules"), { recursive: true })
  fs.symlinkSync(path.join(fetchedModules(), "@duckdb"), place.file("node_modules/@duckdb"))
  fs.symlinkSync(inRepository("node_modules", "@mcap"), place.file("node_modules/@mcap"))
}, 120_000)

describe("docs/scoring.md, followed word by word", () => {
  followed(PAGE, place.directory, {
    before: (command) => (command.startsWith("hindcast demo ") ? said : undefined),
    writes: /^(hindcast (rescore|score promote|log import)|node)\b/,
  })

  it("shows the rubric of the examples as it is", () => {
    const shown = blocksOf(fs.readFileSync(PAGE, "utf8")).find(({ note }) => note === "plain.yaml")
    expect(`${shown?.lines.join("\n")}\n`).toBe(
      fs.readFileSync(inRepository("examples", "rubrics", "plain.yaml"), "utf8"),
    )
  })

  it("shows the measure of text-room as it is", () => {
    const shown = blocksOf(fs.readFileSync(PAGE, "utf8")).find(({ language }) => language === "json")
    const manifest = fs.readFileSync(inRepository("plugins", "text-room", "looper-plugin.json"), "utf8")
    const { performance } = JSON.parse(manifest).peas
    expect(performance).toContainEqual(JSON.parse(shown?.lines.join("\n") ?? "null"))
  })
})
