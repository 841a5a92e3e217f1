import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { drawChain, ofFailure } from "../../src/projections/explanation/drawChain.ts"
import type { WhyFailed } from "../../src/projections/explanation/FailureChain.ts"
import { demoLog } from "../demoLog.ts"
import { appendAs, opening } from "../studio/browser/writing.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

describe("why --svg", () => {
  it("writes what why prints as an image, of a task and of an event, and replaces no file unasked", async () => {
    const log = await demoLog(23, 7)
    const file = place.file("why.svg")
    const printed = (await document(["why", "task-0015", "--log", log])) as unknown as WhyFailed
    const told = await document(["why", "task-0015", "--svg", file, "--log", log])
    expect(told).toMatchObject({ ...printed, svg: { file } })
    expect(fs.readFileSync(file, "utf8")).toBe(drawChain(ofFailure(printed)))
    const again = await hindcast(["why", "task-0015", "--svg", file, "--log", log])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(file) })
    expect(await hindcast(["why", "task-0015", "--svg", file, "--force", "--log", log])).toMatchObject({ code: 0 })
    const ofEvent = await hindcast(["why", `@${printed.moment}`, "--svg", "-", "--log", log])
    expect(ofEvent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^<svg .*<\/svg>\n$/s) })
    expect(ofEvent.stdout).toContain(`@${printed.moment}?`)
  })

  it("refuses names of other formats, and options without an image", async () => {
    const log = await demoLog(23, 7)
    const named = await hindcast(["why", "task-0015", "--svg", place.file("why.png"), "--log", log])
    expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining("a name that ends in .svg") })
    for (const option of ["--force", "--decrypt"]) {
      const alone = await hindcast(["why", "task-0015", option, "--log", log])
      expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining("--svg FILE with it") })
    }
  })

  it("leaves personal data out, unless it is asked for", async () => {
    const log = place.file("personal.db")
    await appendAs(log, "t", { subject: "ada" }, [
      opening("Ask ada"),
      { type: "TaskClosed", payload: { outcome: "failed", reason: "ada lives in Sesame Street" } },
    ])
    const image = async (...args: ReadonlyArray<string>) =>
      (await hindcast(["why", "t", "--svg", "-", ...args, "--log", log])).stdout
    expect(await image()).toMatch(/^<svg /)
    expect(await image()).not.toContain("Sesame")
    expect(await image("--decrypt")).toContain("Sesame")
  })
})
