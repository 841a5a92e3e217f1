import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SESSION, session } from "../importing/claudeSession.ts"
import { lines } from "../importing/given.ts"
import { header, sample, zip } from "../importing/inspectLog.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import * as Likeness from "./likeness.ts"
import { blocksOf, followed } from "./page.ts"

/** The pages about imports, one after the other in one directory. */
const place = workplace()
const likeness = Likeness.make()
const writes = /^hindcast (import|rescore)\b/
const page = (name: string) => inRepository("docs", "guides", `${name}.md`)

beforeAll(() => {
  for (const name of ["sessions", "logs"]) fs.mkdirSync(place.file(name))
  place.file(`sessions/${SESSION}.jsonl`, lines(session()))
  const samples = ["1", "2"].map((id) => ({ name: `samples/${id}_epoch_1.json`, json: sample(id, 1) }))
  fs.writeFileSync(place.file("logs/log.eval"), zip([...samples, { name: "header.json", json: header() }]))
  const coding = fs.readFileSync(inRepository("examples", "rubrics", "coding.yaml"), "utf8")
  place.file("coding.yaml", coding)
  place.file("mine.yaml", coding.replace("name: coding", "name: mine").replaceAll("weight: 1\n", "weight: 0.75\n"))
  for (const name of ["mapping.yaml", "runs.jsonl"])
    fs.copyFileSync(inRepository("examples", "import", name), place.file(name))
})
afterAll(place.remove)

describe.each(["import-sessions", "score-coding-sessions", "import-your-own-format"])(
  "docs/guides/%s.md, followed word by word",
  (name) => followed(page(name), place.directory, { writes, likeness }),
)

describe("docs/guides/import-your-own-format.md", () => {
  it("shows lines of the examples' mapping, in their order", () => {
    const shown = blocksOf(fs.readFileSync(page("import-your-own-format"), "utf8")).find(
      ({ language }) => language === "yaml",
    )
    const example = fs.readFileSync(inRepository("examples", "import", "mapping.yaml"), "utf8").split("\n")
    expect(shown?.lines.length).toBeGreaterThan(9)
    let at = 0
    const found = shown?.lines.filter((line) => {
      const place = example.indexOf(line, at)
      if (place >= 0) at = place + 1
      return place >= 0
    })
    expect(found).toEqual(shown?.lines)
  })
})
