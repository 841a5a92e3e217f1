import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { blocksOf, followed } from "./page.ts"

const PAGE = inRepository("docs", "worlds.md")

/** A clone of the repository, as far as the page needs it. */
const place = workplace()
afterAll(place.remove)
for (const name of ["packages", "plugins", "examples"]) fs.symlinkSync(inRepository(name), place.file(name))
fs.mkdirSync(place.file("walk"))

describe("docs/worlds.md, followed word by word", () => {
  followed(PAGE, place.directory, { writes: /^(hindcast (run|fork|rescore|plugin add|plugin check)|node)\b/ })

  it("shows the agent of the examples as it is", () => {
    const shown = blocksOf(fs.readFileSync(PAGE, "utf8")).find(({ language }) => language === "js")
    const agent = fs.readFileSync(inRepository("examples", "agents", "balances.mjs"), "utf8")
    expect(agent.slice(agent.indexOf("export default"))).toBe(`${shown?.lines.join("\n")}\n`)
  })
})
