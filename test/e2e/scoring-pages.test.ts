import * as fs from "node:fs"
import * as path from "node:path"
import { expect, it } from "vitest"
import { fetchedModules } from "../fetched.ts"
import { inRepository } from "../repository.ts"
import { demoPages } from "./demoPages.ts"
import { blocksOf } from "./page.ts"

demoPages(
  [
    "tutorials/first-rescore.md",
    "guides/write-a-rubric.md",
    "guides/judge-with-a-critic.md",
    "guides/compare-scorings.md",
    "guides/rank-tasks.md",
    "guides/follow-a-trend.md",
    "guides/export-a-log.md",
    "guides/share-a-report.md",
    "guides/score-from-a-program.md",
    "reference/rubrics.md",
    "reference/expressions.md",
  ],
  {
    tasks: 60,
    writes: /^(hindcast (rescore|score promote|log import)|node)\b/,
    // What the page about exports says to install besides.
    prepare: (place) => {
      fs.mkdirSync(place.file("node_modules"), { recursive: true })
      fs.symlinkSync(path.join(fetchedModules(), "@duckdb"), place.file("node_modules/@duckdb"))
      fs.symlinkSync(inRepository("node_modules", "@mcap"), place.file("node_modules/@mcap"))
    },
  },
)

const blocks = (page: string) => blocksOf(fs.readFileSync(inRepository("docs", page), "utf8"))

it("the tutorial shows the rubric of the examples as it is", () => {
  const shown = blocks("tutorials/first-rescore.md").find(({ note }) => note === "plain.yaml")
  expect(`${shown?.lines.join("\n")}\n`).toBe(
    fs.readFileSync(inRepository("examples", "rubrics", "plain.yaml"), "utf8"),
  )
})

it("the guide shows the measure of text-room as it is", () => {
  const shown = blocks("guides/write-a-rubric.md").find(({ language }) => language === "json")
  const manifest = fs.readFileSync(inRepository("plugins", "text-room", "looper-plugin.json"), "utf8")
  const { performance } = JSON.parse(manifest).peas
  expect(performance).toContainEqual(JSON.parse(shown?.lines.join("\n") ?? "null"))
})
