import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import * as Projection from "../../src/projections/fold/Projection.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { temporaryDirectory } from "../temporary.ts"

const golden = fileURLToPath(new URL("../golden", import.meta.url))
const versions = fs
  .readdirSync(golden)
  .filter((file) => file.endsWith(".db"))
  .map((file) => file.slice(0, -".db".length))

describe("the golden log of version", () => {
  it("every version is there", () => {
    expect(versions).toEqual(["0.1.0", "0.2.0", "0.3.0"])
  })

  it.scopedLive.each(versions)("%s verifies, reads as it always did, and folds", (version) =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      fs.copyFileSync(path.join(golden, `${version}.db`), filename)
      const keys = path.join(golden, `${version}.db.keys`)
      if (fs.existsSync(keys)) fs.copyFileSync(keys, `${filename}.keys`)
      const expected = fs
        .readFileSync(path.join(golden, `${version}.jsonl`), "utf8")
        .trim()
        .split("\n")
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: expected.length })
        const events = [...(yield* Stream.runCollect(log.read()))]
        expect(events).toEqual(expected.map((line) => JSON.parse(line)))
        const everything = Projection.combine({
          environment: EnvironmentState.projection,
          registry: PluginRegistry.projection,
          scores: ScoreSets.projection,
          tasks: Tasks.projection,
        })
        expect(Object.keys(Projection.fold(everything, events).tasks)).toEqual(["t1"])
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )
})
