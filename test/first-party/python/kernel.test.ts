import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import * as Kernel from "../../../src/kernel/Kernel.ts"
import * as Rubric from "../../../src/kernel/rules/Rubric.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { pythonPlugin } from "./session.ts"

const withPython = <A, E>(program: (kernel: Effect.Effect.Success<typeof Kernel.Kernel>) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const workspace = path.join(directory, "workspace")
    fs.mkdirSync(workspace)
    const layer = Hindcast.layer({
      log: path.join(directory, "log.db"),
      plugins: [pythonPlugin],
      workspace,
      gate: { default: "allow" },
      host: { limits: { niceness: 0 } },
    })
    return yield* Effect.flatMap(Kernel.Kernel, program).pipe(Effect.provide(layer))
  })

describe("the python plugin's manifest", () => {
  it.effect("loads strictly, without a warning, and gives every reward and punishment a rule", () =>
    Effect.gen(function* () {
      const { manifest, warnings } = yield* Manifest.load(pythonPlugin)
      expect(warnings).toEqual([])
      const rubric = Rubric.ofManifests([manifest])
      expect(Rubric.ruleIssues(rubric)).toEqual([])
      const all = rubric.measures.flatMap(({ rewards = [], punishments = [] }) => [...rewards, ...punishments])
      expect(all.filter(({ rule }) => rule === undefined)).toEqual([])
      expect(manifest.permissions).toEqual({ read: [], run: [] })
    }),
  )
})

describe("python in a task", () => {
  it.scopedLive(
    "has a session for each task, and its files go with it",
    () =>
      withPython((kernel) =>
        Effect.gen(function* () {
          const first = yield* kernel.tasks.open({ goal: "count" })
          const second = yield* kernel.tasks.open({ goal: "count too" })
          const wrote = yield* first.act("python/write", { path: "note", content: "first" })
          expect(wrote).toMatchObject({ status: "succeeded", result: { path: "/home/python/note", bytes: 5 } })
          const counted = yield* first.act("python/execute", { code: "n = len(open('note').read()); print(n)" })
          expect(counted).toMatchObject({ status: "succeeded", result: { outcome: "ok", stdout: "5\n" } })
          expect(yield* second.act("python/list", {})).toMatchObject({ status: "succeeded", result: { entries: [] } })
          const unknown = yield* second.act("python/execute", { code: "n" })
          expect(unknown).toMatchObject({
            status: "succeeded",
            result: { outcome: "exception", error: { type: "NameError" } },
          })
        }),
      ),
    // The memory image of an interpreter is computed for this log.
    120_000,
  )
})
