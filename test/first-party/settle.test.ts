import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { loadPlugin } from "../../src/plugins/testing/TestPlugin.ts"
import { writePlugin } from "../kernel/given.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

const loaded = (directory: string, workspace?: string) =>
  Effect.acquireRelease(
    Effect.tryPromise(() =>
      loadPlugin(directory, { consent: "flags", ...(workspace === undefined ? {} : { workspace }) }),
    ),
    (plugin) => Effect.promise(() => plugin.close()),
  )

describe("what the shipped plugins answer, asked what became of a command", () => {
  it.scopedLive("the workspace compares the file with what would have been written", () =>
    Effect.gen(function* () {
      const workspace = yield* temporaryDirectory
      const before = yield* loaded(inRepository("plugins/workspace"), workspace)
      const args = { path: "notes/a.md", content: "grüße\n" }
      const result = yield* Effect.promise(() => before.act("write_file", args, { commandId: "c1" }))
      yield* Effect.promise(() => before.close())

      const plugin = yield* loaded(inRepository("plugins/workspace"), workspace)
      const ask = (asked: { readonly path: string; readonly content: string }) =>
        Effect.promise(() => plugin.settle("write_file", "c1", asked).catch(({ error }) => error))
      expect(yield* ask(args)).toEqual({ status: "succeeded", result })
      expect(yield* ask({ ...args, content: "other" })).toMatchObject({ status: "unknown" })
      expect(yield* ask({ path: "missing", content: "" })).toMatchObject({ status: "unknown" })
      expect(yield* ask({ path: ".git/config", content: "" })).toMatchObject({ code: "protected" })
      expect(yield* Effect.promise(() => plugin.settle("run", "c2", { command: "ls" }))).toBeUndefined()
      expect(fs.readFileSync(path.join(workspace, args.path), "utf8")).toBe(args.content)
    }),
  )

  it.scopedLive("the text room knows what happened in its own process", () =>
    Effect.gen(function* () {
      const room = yield* loaded(inRepository("plugins/text-room"))
      yield* Effect.promise(() => room.reset())
      const result = yield* Effect.promise(() => room.act("look", {}, { commandId: "c1" }))
      yield* Effect.promise(() => room.act("take", { item: "moon" }, { commandId: "c2" }).catch(() => undefined))
      const answers = yield* Effect.forEach(["c1", "c2", "c3"], (id) =>
        Effect.promise(() => room.settle(id === "c1" ? "look" : "take", id, {})),
      )
      expect(answers).toMatchObject([
        { status: "succeeded", result },
        { status: "failed" },
        { status: "failed", error: { code: "not-carried-out" } },
      ])
    }),
  )
})

describe("a plugin with a settle of an actuator that it does not have", () => {
  it.scopedLive("is not started", () =>
    Effect.gen(function* () {
      const entry = "export default { actuators: { go: () => null }, settle: { come: () => ({ status: 'unknown' }) } }"
      const directory = writePlugin(path.join(yield* temporaryDirectory, "odd"), {
        name: "odd",
        actuators: [{ name: "go" }],
        entry,
      })
      const refused = yield* Effect.promise(() => loadPlugin(directory, { consent: "flags" }).catch((error) => error))
      expect(refused).toMatchObject({ _tag: "ExportsDisagree", undeclared: ["settle of actuator come"] })
    }),
  )
})
