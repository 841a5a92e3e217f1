import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { NO_GRANTS } from "../../../src/plugins/manifest/Grants.ts"
import { layer, PluginHost } from "../../../src/plugins/process/PluginHost.ts"
import { fetchedModules } from "../../fetched.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { textOf, writtenPlugin } from "./given.ts"

/** A reference server as a started plugin. */
const referenceServer = (
  name: "everything" | "filesystem" | "memory",
  args: ReadonlyArray<string>,
  directory: string,
) =>
  Effect.gen(function* () {
    const program = path.join(
      fetchedModules("test/mcp/reference"),
      "@modelcontextprotocol",
      `server-${name}`,
      "dist",
      "index.js",
    )
    const server = { command: process.execPath, args: [program, ...args] }
    const { loaded, files } = yield* writtenPlugin(directory, server)
    const { start } = yield* PluginHost
    const process_ = yield* start({
      manifest: loaded.manifest,
      directory: loaded.directory,
      grants: { ...NO_GRANTS, run: [process.execPath] },
      workspace: directory,
      seed: 1,
      instance: "kernel",
      denoDir: path.join(directory, "deno"),
      metadata: { plugin: {}, components: {} },
      record: () => Effect.void,
      ask: () =>
        Effect.succeed({
          approved: true,
          confirmationId: "c1",
          causationId: "e1",
          reason: '{"name": "Ada", "check": true}',
        }),
    })
    return { process: process_, manifest: loaded.manifest, leftOut: files.leftOut }
  })

describe("the reference servers as plugins", () => {
  it.scopedLive("everything: tools with schemas, progress, resources, elicitation", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { process, manifest, leftOut } = yield* referenceServer("everything", ["stdio"], directory)
      const names = (manifest.peas.actuators ?? []).map(({ name }) => name)
      expect(leftOut.filter((line) => line.startsWith("tool"))).toEqual([])
      expect(names).toContain("echo")
      expect(textOf((yield* process.act("echo", { message: "hello" })).result)).toBe("Echo: hello")
      expect(textOf((yield* process.act("get-sum", { a: 2, b: 3 })).result)).toContain("5")
      const invalid = yield* Effect.flip(process.act("get-sum", { a: "2" }))
      expect(invalid).toMatchObject({ error: { code: "ArgumentsInvalid" } })
      const structured = yield* process.act("get-structured-content", { location: "Chicago" })
      expect(structured.result).toMatchObject({ structuredContent: { temperature: expect.any(Number) } })
      const elicited = yield* process.act("trigger-elicitation-request", {})
      expect(textOf(elicited.result)).toContain("Ada")
      const [sensor] = manifest.peas.sensors ?? []
      expect(yield* process.read(String(sensor?.name))).toMatchObject({ contents: [{ uri: expect.any(String) }] })
    }).pipe(Effect.provide(layer)),
  )

  it.scopedLive("filesystem: writes and reads in its directory, and fails outside", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const allowed = path.join(directory, "allowed")
      fs.mkdirSync(allowed)
      const { process } = yield* referenceServer("filesystem", [allowed], directory)
      const file = path.join(allowed, "note.txt")
      yield* process.act("write_file", { path: file, content: "tea" })
      expect(fs.readFileSync(file, "utf8")).toBe("tea")
      expect(textOf((yield* process.act("read_text_file", { path: file })).result)).toContain("tea")
      const refused = yield* Effect.flip(process.act("read_text_file", { path: "/etc/hostname" }))
      expect(refused).toMatchObject({
        error: { code: "ToolFailed", message: expect.stringContaining("Access denied") },
      })
    }).pipe(Effect.provide(layer)),
  )

  it.scopedLive("memory: finds what it was told, and its destructive tools have a higher risk", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { process, manifest } = yield* referenceServer("memory", [], directory)
      const name = `Ada ${directory}`
      yield* process.act("create_entities", { entities: [{ name, entityType: "person", observations: ["likes tea"] }] })
      expect(textOf((yield* process.act("search_nodes", { query: name })).result)).toContain("likes tea")
      yield* process.act("delete_entities", { entityNames: [name] })
      const risks = Object.fromEntries((manifest.peas.actuators ?? []).map(({ name, risk }) => [name, risk]))
      expect(risks).toMatchObject({ delete_entities: "high", create_entities: undefined })
    }).pipe(Effect.provide(layer)),
  )
})
