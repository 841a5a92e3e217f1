import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { temporaryDirectory } from "../temporary.ts"

const manifest = {
  name: "sample",
  description: "A plugin for a test",
  version: "1.0.0",
  entry: "main.ts",
  permissions: { read: [], run: [] },
  peas: {
    performance: [{ name: "m", description: "d", rewards: [{ name: "r", when: "never", weight: 0.5 }] }],
    sensors: [{ name: "look", description: "Looks" }],
  },
}

/** A plugin's source, and a registry beside a new log. */
const place = Effect.map(temporaryDirectory, (base) => {
  const source = path.join(base, "source")
  fs.mkdirSync(source)
  fs.writeFileSync(path.join(source, "looper-plugin.json"), JSON.stringify(manifest))
  fs.writeFileSync(path.join(source, "main.ts"), "export default { sensors: { look: () => 1 } }")
  const options = { log: path.join(base, "log.db"), workspace: base }
  return { source, copies: `${options.log}.plugins`, layer: Hindcast.layerLog(options) }
})

describe("a plugin's copy", () => {
  it.scopedLive("a plugin's copy that was changed, or lost a file, is made whole by importing the plugin again", () =>
    Effect.gen(function* () {
      const { source, copies, layer } = yield* place
      yield* Effect.gen(function* () {
        const registry = yield* Registry
        const log = yield* EventLog
        const { directory } = yield* registry.import(source)
        const before = yield* log.head
        const damages = [
          () => fs.appendFileSync(path.join(directory, "main.ts"), "// changed"),
          () => fs.writeFileSync(path.join(directory, "extra.ts"), ""),
          () => fs.rmSync(path.join(directory, "looper-plugin.json")),
          () => fs.rmSync(directory, { recursive: true }),
        ]
        for (const damage of damages) {
          damage()
          const { message } = yield* Effect.flip(registry.installed("sample"))
          expect(message).toContain(`Import it again from ${source}`)
          yield* registry.import(source)
          expect((yield* registry.installed("sample")).directory).toBe(directory)
        }
        expect(yield* log.head).toEqual(before)
        expect(fs.readdirSync(copies)).toEqual([path.basename(directory)])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is whole when several imports make it at the same time", () =>
    Effect.gen(function* () {
      const { source, copies, layer } = yield* place
      yield* Effect.gen(function* () {
        const registry = yield* Registry
        for (const round of ["where there is none", "where it is damaged"]) {
          const imports = yield* Effect.replicateEffect(registry.import(source), 8, { concurrency: "unbounded" })
          const { directory } = yield* registry.installed("sample")
          expect(new Set(imports.map((imported) => imported.directory))).toEqual(new Set([directory]))
          expect(fs.readdirSync(copies)).toEqual([path.basename(directory)])
          fs.writeFileSync(path.join(directory, "main.ts"), round)
        }
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("a plugin's copy that cannot be made leaves nothing half made", () =>
    Effect.gen(function* () {
      const { source, copies, layer } = yield* place
      yield* Effect.gen(function* () {
        const registry = yield* Registry
        fs.writeFileSync(copies, "a file where the directory belongs")
        const { message } = yield* Effect.flip(registry.import(source))
        expect(message).toContain("its files cannot be copied to")
        fs.rmSync(copies)
        yield* registry.import(source)
        expect(fs.readdirSync(copies)).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )
})
