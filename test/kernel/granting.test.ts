import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { Registry, UpdateHeld } from "../../src/kernel/registry/Registry.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import { place, types, withRegistry } from "./registries.ts"

const sampleOf = (registry: Registry.Service) => Effect.map(registry.state, (state) => state.sample)

const asks = (permissions: object, version = "2.0.0") => ({ version, permissions })

const heldOf = (registry: Registry.Service, source: string, options = {}) =>
  Effect.map(Effect.flip(registry.import(source, options)), (error) => {
    expect(error._tag).toBe("UpdateHeld")
    return error as UpdateHeld
  })

describe("an update that asks for more", () => {
  it.live("waits, says what it lacks and what grants it; the version before stays as it is", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const first = yield* registry.import(source())
        const asking = { read: ["."], run: ["git"], net: ["example.org"] }
        const held = yield* heldOf(registry, source(asks(asking)))
        expect(held.message.split("\n")).toEqual([
          "Plugin sample 2.0.0 requests more than it was granted. The update waits for the grants below, and 1.0.0 stays installed:",
          expect.stringMatching(
            /permissions\.read asks for "\.": the previous version does not ask for it; --grant-read \/.*\/workspace grants it$/,
          ),
          '  permissions.net asks for "example.org": a host needs an explicit grant; --grant-net example.org grants it',
          '  permissions.run asks for "git": the previous version does not ask for it; --grant-run git grants it',
          "  permissions added: read ., net example.org, run git",
          "  files changed: looper-plugin.json, main.ts",
          expect.stringMatching(
            /^Grant it: hindcast plugin grant sample --grant-read \/.*\/workspace --grant-net example\.org --grant-run git$/,
          ),
        ])
        expect(yield* types).toEqual(["PluginImported", "PluginActivated", "PluginUpdateHeld"])
        expect(yield* sampleOf(registry)).toMatchObject({
          version: "1.0.0",
          digest: first.digest,
          active: true,
          held: { version: "2.0.0", digest: held.digest, missing: held.missing },
        })
        expect((yield* registry.installed("sample")).digest).toBe(first.digest)
      }),
    ),
  )

  it.live("is installed with the grant that it waits for, as it was when it was imported", () =>
    withRegistry((registry, { source, workspace }) =>
      Effect.gen(function* () {
        yield* registry.import(source())
        const directory = source(asks({ read: ["."], run: ["git"], net: ["example.org"] }))
        const { digest } = yield* heldOf(registry, directory)
        fs.rmSync(directory, { recursive: true })
        expect(yield* registry.grant("sample", { read: [workspace], net: ["example.org"] })).toMatchObject({
          grants: { read: [], net: [], run: [] },
          missing: [],
          held: { version: "2.0.0", missing: [{ field: "permissions.run", asked: "git" }] },
        })
        expect(yield* sampleOf(registry)).toMatchObject({ version: "1.0.0", held: { missing: [{ asked: "git" }] } })
        const grants = { read: [workspace], write: [], net: ["example.org"], env: [], run: ["git"], runAny: false }
        expect(yield* registry.grant("sample", { run: ["git"] })).toEqual({
          grants,
          missing: [],
          updated: { version: "2.0.0", digest },
        })
        expect(yield* sampleOf(registry)).toMatchObject({ version: "2.0.0", digest, grants, active: true, held: null })
        expect((yield* registry.installed("sample")).grants).toEqual(grants)
        expect((yield* types).slice(2)).toEqual([
          ...["PluginUpdateHeld", "PluginGranted", "PluginGranted", "PluginImported"],
        ])
      }),
    ),
  )

  it.live("does not wait where all of it is granted with the import", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const [net, run] = [["a.org"], ["git"]]
        yield* registry.import(source(asks({ net }, "1.0.0")), { grants: { net } })
        yield* registry.import(source(asks({ net, run }, "1.2.0")), { grants: { net, run } })
        yield* registry.import(source(asks({}, "1.3.0")))
        expect(yield* sampleOf(registry)).toMatchObject({ version: "1.3.0", grants: { net: [], run: [] } })
        // What other code was granted by name, two versions ago too, is not granted to this.
        yield* heldOf(registry, source(asks({ net, run }, "1.4.0")))
      }),
    ),
  )

  it.live("may ask for less, and for what the version before asked for, in another workspace too", () =>
    withRegistry((registry, { source, workspace }) =>
      Effect.gen(function* () {
        yield* registry.import(source(asks({ read: ["."], write: ["."], run: ["git", "ls"] }, "1.0.0")))
        yield* registry.import(source(asks({ read: [".", path.join(workspace, "notes")], run: ["ls"] }, "1.1.0")))
        expect(yield* sampleOf(registry)).toMatchObject({ version: "1.1.0", grants: { write: [], run: ["ls"] } })
      }),
    ),
  )

  it.live(
    "an update that waits is imported once, gives way to another, and is gone when what is installed is imported again",
    () =>
      withRegistry((registry, { source }) =>
        Effect.gen(function* () {
          yield* registry.import(source())
          yield* heldOf(registry, source(asks({ run: ["git"] })))
          yield* heldOf(registry, source(asks({ run: ["git"] })))
          yield* heldOf(registry, source(asks({ run: ["ls"] }, "3.0.0")))
          expect((yield* types).slice(2)).toEqual(["PluginUpdateHeld", "PluginUpdateHeld"])
          expect((yield* sampleOf(registry))?.held).toMatchObject({ version: "3.0.0" })
          yield* registry.import(source())
          expect((yield* sampleOf(registry))?.held).toBe(null)
          expect((yield* registry.versions("sample")).map(({ version, status }) => [version, status])).toEqual([
            ["1.0.0", "earlier"],
            ["2.0.0", "earlier"],
            ["3.0.0", "earlier"],
            ["1.0.0", "installed"],
          ])
        }),
      ),
  )

  it.live("is refused and not recorded where nothing could ever grant it", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        yield* registry.import(source())
        const error = yield* Effect.flip(registry.import(source(asks({ read: ["/a,/etc"] }))))
        expect(error._tag).toBe("GrantRefused")
        expect((yield* types).length).toBe(2)
      }),
    ),
  )

  it.live("an update whose copy is gone is not installed by its grant", () =>
    withRegistry((registry, { copies, source }) =>
      Effect.gen(function* () {
        yield* registry.import(source())
        const { digest } = yield* heldOf(registry, source(asks({ run: ["git"] })))
        fs.rmSync(path.join(copies, `sample-${digest.slice(0, 16)}`), { recursive: true })
        const error = yield* Effect.flip(registry.grant("sample", { run: ["git"] }))
        expect(error.message).toContain("expected its copy in")
        expect((yield* types).slice(2)).toEqual(["PluginUpdateHeld"])
      }),
    ),
  )
})

describe("changed code of a plugin that was granted something by name", () => {
  const net = ["a.org"]
  const changed = (files: { readonly [file: string]: string }) => ({ ...asks({ net }, "1.0.0"), files })
  const code = (word: string) => ({ "main.ts": `export default { sensors: { look: () => "${word}" } }` })

  it.live("under the same version waits until the grants are given again, and says what changed", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const first = yield* registry.import(source(changed({ ...code("a"), "old.txt": "" })), { grants: { net } })
        const held = yield* heldOf(registry, source(changed({ ...code("b"), "new.txt": "" })))
        expect(held.message.split("\n")).toEqual([
          "Plugin sample 1.0.0 has changed code, and grants count only for the code that they were given to. The update waits for the grants below, and 1.0.0 stays installed:",
          '  permissions.net asks for "a.org": it was granted to other code of this plugin; --grant-net a.org grants it',
          "  files changed: main.ts",
          "  files added: new.txt",
          "  files removed: old.txt",
          "Grant it: hindcast plugin grant sample --grant-net a.org",
        ])
        expect((yield* registry.installed("sample")).digest).toBe(first.digest)
        const { updated } = yield* registry.grant("sample", held.kept)
        expect(updated?.digest).toBe(held.digest)
        const again = yield* registry.import(source(changed(code("c"))), { grants: { net } })
        expect(again.changes?.files).toEqual({ added: [], removed: ["new.txt"], changed: ["main.ts"] })
        // The same code needs no grant again.
        expect((yield* registry.import(source(changed(code("c"))))).digest).toBe(again.digest)
      }),
    ),
  )

  it.live("keeps them where a person says so; what was revoked stays revoked", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        yield* registry.import(source(changed(code("a"))), { grants: { net } })
        const kept = yield* registry.import(source(changed(code("b"))), { keepGrants: true })
        expect(kept.grants.net).toEqual(net)
        expect(yield* sampleOf(registry)).toMatchObject({ digest: kept.digest, given: { net } })
        yield* registry.revoke("sample", { net })
        yield* heldOf(registry, source(changed(code("c"))), { keepGrants: true })
      }),
    ),
  )

  it.live("has no command and no place by itself that a person named to other code", () =>
    withRegistry((registry, { source, workspace }) =>
      Effect.gen(function* () {
        const asking = (word: string) => ({
          ...asks({ read: ["."], write: ["."], run: ["git", "ls"] }, "1.0.0"),
          files: code(word),
        })
        yield* registry.import(source(asking("a")), { grants: { run: ["git"], write: [workspace] } })
        const held = yield* heldOf(registry, source(asking("b")))
        expect(held.missing.map(({ flag }) => flag)).toEqual([`--grant-write ${workspace}`, "--grant-run git"])
        expect(held.lapsed).toEqual(held.missing)
        yield* registry.grant("sample", { run: ["git"] })
        expect((yield* registry.grant("sample", { write: [workspace] })).updated?.digest).toBe(held.digest)
      }),
    ),
  )

  it.live("is granted only what a first import is, and says that the files are unknown if the copy was changed", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const own = (word: string) => ({ ...asks({ read: ["."], run: ["ls"] }, "1.0.0"), files: code(word) })
        const { directory } = yield* registry.import(source(own("a")))
        fs.appendFileSync(path.join(directory, "main.ts"), "// changed")
        const { changes, grants } = yield* registry.import(source(own("b")))
        expect([changes?.files, grants.run]).toEqual([undefined, ["ls"]])
      }),
    ),
  )
})

describe("what was granted", () => {
  it.live("can be taken back: a plugin that asks for it takes no part until it has it again", () =>
    withRegistry((registry, { source, workspace }) =>
      Effect.gen(function* () {
        const directory = source(asks({ read: ["."], net: ["a.org"], run: ["git"] }, "1.0.0"))
        yield* registry.import(directory, { grants: { net: ["a.org"] } })
        const standing = yield* registry.revoke("sample", { net: ["a.org"], run: ["git"], read: [workspace] })
        expect(standing.grants).toMatchObject({ read: [], net: [], run: [] })
        expect(standing.missing.map(({ field, reason, flag }) => [field, reason, flag])).toEqual([
          ["permissions.read", `${workspace} was taken back from it`, `--grant-read ${workspace}`],
          ["permissions.net", "a host needs an explicit grant", "--grant-net a.org"],
          ["permissions.run", "it was taken back from it", "--grant-run git"],
        ])
        expect(yield* sampleOf(registry)).toMatchObject({ active: false, given: {}, revoked: { run: ["git"] } })
        const attempts: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
          registry.activate("sample"),
          registry.import(directory),
        ]
        for (const again of attempts) {
          expect((yield* Effect.flip(again))._tag).toBe("GrantRefused")
        }
        yield* registry.grant("sample", { net: ["a.org"], run: ["git"], read: [workspace] })
        yield* registry.activate("sample")
        expect(yield* sampleOf(registry)).toMatchObject({
          active: true,
          revoked: {},
          grants: { read: [workspace], net: ["a.org"], run: ["git"] },
        })
      }),
    ),
  )

  it.live("stays taken back for later versions", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        yield* registry.import(source(asks({ run: ["git"] }, "1.0.0")))
        yield* registry.revoke("sample", { run: ["git"] })
        yield* heldOf(registry, source(asks({ run: ["git"] }, "2.0.0")))
        yield* registry.import(source(asks({}, "2.1.0")))
        yield* heldOf(registry, source(asks({ run: ["git"] }, "2.2.0")))
      }),
    ),
  )

  it.live("cannot be taken back where it never was granted, nor be nonsense", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        yield* registry.import(source(asks({ run: ["git"] }, "1.0.0")))
        expect((yield* Effect.flip(registry.revoke("sample", { net: ["a.org"] }))).message).toBe(
          "Plugin sample was not granted --grant-net a.org: it has --grant-run git.",
        )
        expect((yield* Effect.flip(registry.grant("nobody", { net: ["a.org"] }))).message).toBe(
          'The registry has no "nobody": expected one of sample.',
        )
        const nonsense = { read: ["/a,/etc"], net: ["a.org,b.org"], env: ["A B"], run: [".", "a\u202eb"] }
        const { message } = yield* Effect.flip(registry.grant("sample", nonsense))
        expect(message.split("\n").slice(1)).toEqual([
          '  - --grant-read "/a,/etc": a path with a comma or a line break cannot be granted',
          '  - --grant-net "a.org,b.org": expected a name without commas and line breaks',
          '  - --grant-env "A B": expected one variable\'s name: letters, digits and _',
          '  - --grant-run ".": any command is granted by --grant-run-any',
          expect.stringContaining("changes the direction of writing"),
        ])
        expect((yield* types).length).toBe(2)
      }),
    ),
  )

  it.live("is where a path leads: a link in the workspace that leads out of it needs a grant for where it leads", () =>
    withRegistry((registry, { base, source, workspace }) =>
      Effect.gen(function* () {
        const outside = path.join(base, "outside")
        fs.mkdirSync(outside)
        const link = path.join(workspace, "link")
        fs.symlinkSync(outside, link)
        const directory = source(asks({ read: [link] }, "1.0.0"))
        expect((yield* Effect.flip(registry.import(directory))).message).toContain(
          `permissions.read asks for "${link}": it is a link that leads to ${outside}, outside of what is granted; --grant-read ${outside} grants it`,
        )
        yield* registry.import(directory, { grants: { read: [outside] } })
        expect(yield* sampleOf(registry)).toMatchObject({ grants: { read: [outside] } })
        // A place that becomes a link later is not what was granted.
        fs.rmdirSync(outside)
        fs.symlinkSync("/etc", outside)
        const { message } = yield* Effect.flip(registry.installed("sample"))
        expect(message).toContain(`it was granted ${outside}, which now is a link to /etc`)
      }),
    ),
  )

  it.live("is not what only looks like it, and never a path that splits a permission flag", () =>
    withRegistry((registry, { source, workspace }) =>
      Effect.gen(function* () {
        const unreadable = ["/x\u0000/etc", "/x\n/etc", `${workspace}/\u202ex`]
        const hidden = yield* Effect.flip(registry.import(source(asks({ read: unreadable, write: unreadable }))))
        expect(hidden._tag === "ManifestInvalid" && hidden.issues.length).toBe(6)
        const places = ["/x,/etc", `${workspace}/\uff0e\uff0e/x`]
        const error = yield* Effect.flip(registry.import(source(asks({ read: places, write: places }), "plain")))
        expect(error._tag === "GrantRefused" && error.refusals.map(({ flag }) => flag)).toEqual(
          Array.from({ length: 4 }, () => undefined),
        )
        // Composed and decomposed letters look the same and are two directories.
        const [composed, decomposed] = ["/data/caf\u00e9", "/data/cafe\u0301"]
        const asking = source(asks({ read: [decomposed] }))
        expect((yield* Effect.flip(registry.import(asking, { grants: { read: [composed] } })))._tag).toBe(
          "GrantRefused",
        )
        expect((yield* registry.import(asking, { grants: { read: [decomposed] } })).grants.read).toEqual([decomposed])
      }),
    ),
  )
})

describe("a plugin's past", () => {
  it.live("is in the registry as it stood: versions, grants, activity, priorities", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const projector = yield* Projector
        const moments: Array<{ readonly position: number; readonly state: PluginRegistry.PluginRegistry }> = []
        const steps: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          registry.import(source()),
          registry.setPriority("sample/look", -3.5),
          registry.import(source(asks({}, "1.1.0"), "b")),
          registry.setMetadata("sample/look", "unit", "m"),
          Effect.flip(registry.import(source(asks({ run: ["git"] }, "2.0.0"), "c"))),
          registry.deactivate("sample/look"),
          registry.grant("sample", { run: ["git"] }),
          registry.revoke("sample", { run: ["git"] }),
          registry.remove("sample"),
          registry.import(source(asks({}, "3.0.0"), "d")),
        ]
        for (const step of steps) {
          yield* step
          moments.push({ position: (yield* log.head).position, state: yield* registry.state })
        }
        for (const { position, state } of moments) {
          expect(yield* projector.stateAt(PluginRegistry.projection, position)).toEqual(state)
        }
        const told = moments.map(({ state: { sample } }) =>
          sample === undefined
            ? undefined
            : [sample.version, sample.held?.version, sample.active, sample.components.look?.priority],
        )
        expect(told).toEqual([
          ["1.0.0", undefined, true, 0],
          ["1.0.0", undefined, true, -3.5],
          ["1.1.0", undefined, true, -3.5],
          ["1.1.0", undefined, true, -3.5],
          ["1.1.0", "2.0.0", true, -3.5],
          ["1.1.0", "2.0.0", true, -3.5],
          ["2.0.0", undefined, true, -3.5],
          ["2.0.0", undefined, false, -3.5],
          undefined,
          ["3.0.0", undefined, true, 0],
        ])
        const third = moments[2]?.position ?? 0
        expect((yield* registry.versions("sample", third)).map(({ version }) => version)).toEqual(["1.0.0", "1.1.0"])
        expect((yield* registry.versions("sample")).map(({ version, status }) => `${version} ${status}`)).toEqual([
          ...["1.0.0 earlier", "1.1.0 earlier", "2.0.0 earlier", "3.0.0 installed"],
        ])
      }),
    ),
  )

  it.live("can still be run: every version's copy is kept", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        yield* registry.import(source())
        const before = yield* sampleOf(registry)
        yield* registry.import(source(asks({}, "2.0.0")))
        const earlier = yield* registry.installed("sample", before)
        expect([earlier.manifest.version, (yield* registry.installed("sample")).manifest.version]).toEqual([
          "1.0.0",
          "2.0.0",
        ])
      }),
    ),
  )

  it.live("names what there is where something is not there", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        expect((yield* Effect.flip(registry.activate("x"))).message).toBe(
          'The registry has no "x": nothing is imported yet.',
        )
        yield* registry.import(source({ sensors: ["look", "hear"] }))
        const cases = [
          [registry.activate("x"), 'no "x": expected one of sample.'],
          [registry.deactivate("x/look"), 'no "x/look": expected one of sample.'],
          [registry.setPriority("sample/taste", 1), 'no "sample/taste": expected one of sample/look, sample/hear.'],
          [registry.setPriority("sample", 1), 'no "sample": expected one of sample/look, sample/hear.'],
          [
            registry.setMetadata("sample/taste", "k", 1),
            'no "sample/taste": expected one of sample/look, sample/hear.',
          ],
          [registry.remove("__proto__"), 'no "__proto__": expected one of sample.'],
        ] as const
        for (const [change, reason] of cases) expect((yield* Effect.flip(change)).message).toContain(reason)
        expect((yield* types).length).toBe(2)
      }),
    ),
  )
})

describe('a workspace "." that was bound at the import', () => {
  it.live("is named where a plugin that is run in another one looks for a file there", () =>
    Effect.gen(function* () {
      const { base, workspace, source } = yield* place
      const elsewhere = path.join(base, "elsewhere")
      fs.mkdirSync(elsewhere)
      fs.writeFileSync(path.join(elsewhere, "note.txt"), "here")
      const directory = source({ permissions: { read: ["."] } })
      fs.writeFileSync(
        path.join(directory, "main.ts"),
        'export default { sensors: { look: (ctx) => ctx.readFile("note.txt").catch(({ message }) => message) } }',
      )
      const log = path.join(base, "log", "log.db")
      const readingIn = (workspace: string) =>
        Effect.gen(function* () {
          const { plugins, tasks } = yield* Kernel
          if ((yield* plugins.state).sample === undefined) yield* plugins.import(directory)
          const [seen] = yield* (yield* tasks.open({ goal: "to read" })).perceive()
          return String(seen?.reading)
        }).pipe(Effect.provide(Hindcast.layer({ log, workspace, host: { consent: "flags" } })))
      expect(yield* readingIn(workspace)).toContain("expected a file, found nothing there")
      const message = yield* readingIn(elsewhere)
      expect(message).toContain(`is ${workspace}, the workspace that the plugin was imported in`)
      expect(message).toContain(`import the plugin again with --workspace ${elsewhere}.`)
    }).pipe(Effect.scoped),
  )
})
