import { afterAll, describe, expect, it } from "vitest"
import { writePlugin } from "../kernel/given.ts"
import { WITHOUT_PROGRAMS } from "../kernel/onDenoAlone.ts"
import { SERVER } from "../plugins/mcp/given.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed } from "./hindcast.ts"
import { inTerminal } from "./terminal.ts"

const place = workplace()
afterAll(place.remove)

/** A machine on which nothing but Deno's permissions confines a plugin. */
const alone = { cwd: place.directory, env: { PATH: WITHOUT_PROGRAMS } }

const agent = place.file(
  "done.mjs",
  'export default { name: "done", version: "1", decide: () => ({ done: "achieved" }) }',
)

const foreign = (name: string) =>
  writePlugin(place.file(name), {
    name,
    sensors: [{ name: "look" }],
    entry: "export default { sensors: { look: () => 1 } }",
  })

const run = (log: string, ...more: ReadonlyArray<string>) => [
  "run",
  "--agent",
  agent,
  "--goal",
  "g",
  "--log",
  log,
  ...more,
]

/** What was said, and which plugins were started, in order. */
const told = async (log: string) => {
  const types = ["SandboxConsentGiven", "PluginStarted", "TaskOpened"].flatMap((type) => ["--type", type])
  const events = await listed([...types, "--log", log], alone)
  return (events as unknown as ReadonlyArray<{ type: string; payload: { how?: string } }>).map(({ type, payload }) =>
    payload.how === undefined ? type : `${type} by ${payload.how}`,
  )
}

describe("hindcast run, where nothing but Deno's permissions confines a plugin", () => {
  it("does not begin with a plugin that did not come with Hindcast, and says what to do", async () => {
    const { code, stderr } = await hindcast(run("refused.db", "--plugin", foreign("one")), alone)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: Plugin one 1\.0\.0 is not started: only Deno's permissions would confine it/m)
    expect(stderr).toContain("pass `--sandbox flags` once to `")
    expect(await told("refused.db")).toEqual([])
  })

  it("begins with an MCP server, whose command has a grant of its own", async () => {
    const added = await hindcast(
      ["plugin", "add", "--log", "mcp.db", "--mcp", "notes", "--", process.execPath, SERVER],
      alone,
    )
    expect([added.code, added.stderr]).toEqual([0, ""])
    const { code, stderr } = await hindcast(run("mcp.db"), alone)
    expect([code, stderr]).toEqual([0, ""])
    expect(await told("mcp.db")).toEqual(["TaskOpened", "PluginStarted"])
  })

  it("begins without a question with one that came with Hindcast", async () => {
    const { code } = await hindcast(run("shipped.db", "--plugin", inRepository("plugins", "text-room")), alone)
    expect(code).toBe(0)
    expect(await told("shipped.db")).toEqual(["TaskOpened", "PluginStarted"])
  })

  it("begins after `plugin add --sandbox flags`, which is said once", async () => {
    const added = await document(["plugin", "add", foreign("two"), "--sandbox", "flags", "--log", "added.db"], alone)
    expect(added.consentMissing).toBe(false)
    expect((await hindcast(run("added.db"), alone)).code).toBe(0)
    expect((await hindcast(run("added.db"), alone)).code).toBe(0)
    expect(await told("added.db")).toEqual([
      "SandboxConsentGiven by option",
      ...["TaskOpened", "PluginStarted", "TaskOpened", "PluginStarted"],
    ])
  })

  it("is told of by `plugin add`, which imports it all the same", async () => {
    const args = ["plugin", "add", foreign("three"), "--log", "told.db"]
    const { code, stderr } = await hindcast(args, alone)
    expect(code).toBe(0)
    expect(stderr).toContain("warning: Plugin three 1.0.0 is not started: only Deno's permissions")
    expect((await document(args, alone)).consentMissing).toBe(true)
  })

  it("refuses a word that is none", async () => {
    const { code, stderr } = await hindcast(["plugin", "add", foreign("two"), "--sandbox", "namespaces"], alone)
    expect(code).toBe(1)
    expect(stderr).toContain('--sandbox: expected one of auto, flags, found "namespaces"')
  })
})

describe("a person at a terminal", () => {
  it("is asked, and no is what counts where nothing is answered", async () => {
    const log = place.file("asked.db")
    const starting = { cwd: place.directory, env: alone.env }
    const refusing = inTerminal(run(log, "--plugin", foreign("four")), starting)
    await refusing.shows(/Run this version here anyway\? \[y\/N\]/)
    refusing.type("\r")
    expect(await refusing.ended).toBe(1)
    expect(await told(log)).toEqual([])
    const agreeing = inTerminal(run(log, "--plugin", foreign("four")), starting)
    await agreeing.shows("four 1.0.0 does not come with Hindcast")
    await agreeing.shows(/\[y\/N\]/)
    agreeing.type("y\r")
    expect(await agreeing.ended).toBe(0)
    expect(await told(log)).toEqual(["SandboxConsentGiven by prompt", "TaskOpened", "PluginStarted"])
  })
})
