import { Effect, Stream } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { importEvents } from "../../src/events/index.ts"
import * as Chain from "../../src/events/integrity/Chain.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

/** A log of one event with a hash that holds, which imports a plugin with this manifest. */
const importing = (log: string, plugin: string, manifest: unknown) => {
  const link: Chain.Link = {
    position: 1,
    version: 1,
    timeline: "main",
    stream: `plugin/${plugin}`,
    taskId: null,
    schemaVersion: 1,
    type: "PluginImported",
    actor: "human:ada",
    causationId: null,
    occurredAt: 0,
    recordedAt: 0,
    id: "01890a5d-ac96-774b-bcce-b302099a8050",
  }
  const given = { version: "1.0.0", digest: "d".repeat(64), source: ".", grants: {} }
  const stored = JSON.stringify({ plugin, manifest, ...given })
  const hash = Chain.link(Chain.GENESIS, link, stored)
  return Effect.runPromise(
    importEvents({ filename: log, events: Stream.make([{ link, stored, blob: null, keyId: null, hash }]) }),
  )
}

const sensor = { name: "s", description: "d" }

/** All that a manifest has, but its name. */
const manifest = (name: string) => ({
  name,
  version: "1.0.0",
  runtime: "deno",
  entrypoint: "main.ts",
  description: "d",
  peas: { performance: [], environment: {}, actuators: [], sensors: [sensor] },
})

describe("a log with an import of a manifest that is none", () => {
  it.each([
    ["another document", "p", { peas: {} }],
    ["a name that no plugin has", "__proto__", manifest("__proto__")],
    ["a name that a terminal obeys", "t\u001b]0;x\u0007\u202e", manifest("t\u001b]0;x\u0007\u202e")],
  ])("(%s) is reported with the event that says it", async (what, plugin, manifest) => {
    const log = place.file(`${what}.db`)
    await importing(log, plugin, manifest)
    for (const command of [
      ["plugin", "ls"],
      ["plugin", "show", plugin],
    ]) {
      const { code, stderr } = await hindcast([...command, "--log", log])
      expect({ command, code, stderr }).toEqual({
        command,
        code: 2,
        stderr: expect.stringMatching(/^error: @1 imports a plugin whose manifest cannot be read: [ -~\n]*$/),
      })
    }
  })
})
