import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { blocksOf, followed } from "./page.ts"

/** Pages whose commands are carried out, each in what is like a clone of the repository as far as it needs one. */
const PAGES = [
  "tutorials/first-world.md",
  "guides/write-a-world.md",
  "guides/check-a-world.md",
  "guides/play-a-world.md",
  "guides/several-agents.md",
  "guides/write-a-scenario.md",
  "guides/train-by-a-curriculum.md",
  "guides/learn-from-a-log.md",
  "guides/use-other-frameworks.md",
  "guides/draw-a-world.md",
]

describe.each(PAGES)("docs/%s, followed word by word", (page) => {
  const place = workplace()
  afterAll(place.remove)
  for (const name of ["packages", "plugins", "examples"]) fs.symlinkSync(inRepository(name), place.file(name))
  fs.mkdirSync(place.file("walk"))

  followed(inRepository("docs", page), place.directory, {
    writes: /^(hindcast (run|curriculum run|fork|rescore|plugin add|plugin check)|node)\b/,
  })
})

it("the tutorial shows the agent of the examples as it is", () => {
  const page = fs.readFileSync(inRepository("docs", "tutorials", "first-world.md"), "utf8")
  const shown = blocksOf(page).find(({ language, note }) => language === "js" && note === "")
  const agent = fs.readFileSync(inRepository("examples", "agents", "balances.mjs"), "utf8")
  expect(agent.slice(agent.indexOf("export default"))).toBe(`${shown?.lines.join("\n")}\n`)
})
