import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("program.db")
const agent = place.file("asker.mjs")
const at = { cwd: place.directory }

const ENTRY = `export default {
  name: "asker", version: "1",
  decide: ({ step }) => (step === 0 ? { act: "program/say" } : { done: "achieved" }),
}
`

/** A log with the tools of a program, which the command line does not declare. */
beforeAll(async () => {
  fs.writeFileSync(agent, ENTRY)
  const say = Tool.make({ description: "Says a word", risk: "none", run: () => "word" })
  const layer = Hindcast.layer({ log, workspace: place.directory, tools: { say } })
  const asker = (await import(agent)).default
  const ran = Effect.flatMap(Kernel, ({ tasks }) => tasks.run(asker, { goal: "ask", id: "asked" }))
  await Effect.runPromise(Effect.provide(ran, layer))
})

describe("a log with tools of a program, on the command line", () => {
  it("lists and shows them, with what confines them: nothing", async () => {
    const ls = await hindcast(["plugin", "ls", "--log", log], at)
    expect(ls.stdout).toMatch(/program\/say +actuator +yes +0 +none/)
    const show = await hindcast(["plugin", "show", "program", "--log", log], at)
    expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining("no sandbox confines it") })
  })

  it("refuses to grant or revoke, and deactivates and activates as ever", async () => {
    const granted = await hindcast(["plugin", "grant", "program", "--grant-run", "git", "--log", log], at)
    expect(granted).toMatchObject({ code: 1, stderr: expect.stringContaining("which no grant confines") })
    const revoked = await hindcast(["plugin", "revoke", "program", "--grant-run", "git", "--log", log], at)
    expect(revoked.code).not.toBe(0)
    expect(revoked.stderr).toContain("was not granted")
    for (const word of ["deactivate", "activate"]) {
      expect(await hindcast(["plugin", word, "program", "--log", log], at)).toMatchObject({ code: 0 })
    }
  })

  it("runs and replays: a command fails and says whose tool it is", async () => {
    const naming = ["--log", log, "--agent", agent]
    const audit = await document(["run", ...naming, "--goal", "ask"], at)
    expect(audit).toMatchObject({ outcome: "achieved", acting: { failed: 1 } })
    const { events } = await document(["log", "ls", "--type", "CommandFailed", "--log", log], at)
    expect(JSON.stringify(events)).toContain("which this program does not declare")
    const replayed = await document(["replay", "asked", ...naming], at)
    expect(replayed).toMatchObject({ verdict: "identical" })
  })
})
