import * as fs from "node:fs"
import { expect, it } from "vitest"
import { CSS } from "../../../src/html/Stylesheet.ts"
import { inRepository } from "../../repository.ts"

/** Colours of reports, by the colours of Studio's page that mean the same. */
const SAME = {
  page: "page",
  raised: "card",
  ink: "ink",
  dim: "dim",
  line: "line",
  accent: "accent",
  reward: "good",
  punishment: "bad",
  decision: "denied",
  approval: "expired",
}

/** The values of a colour, in light and in dark. */
const values = (css: string, name: string) =>
  [...css.matchAll(new RegExp(`--${name}:\\s*(#[0-9a-f]+)`, "g"))].map(([, value]) => value)

it("reports have the colours of Studio's page, in light and in dark", () => {
  const page = fs.readFileSync(inRepository("src", "studio", "page", "style", "base.css"), "utf8")
  // A report sets the page's colour once more for paper.
  const reports = CSS.slice(0, CSS.indexOf("*{box-sizing"))
  for (const [ours, theirs] of Object.entries(SAME)) {
    const expected = values(page, ours)
    expect(expected).toHaveLength(2)
    expect({ [theirs]: values(reports, theirs) }).toEqual({ [theirs]: expected })
  }
})
