import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { machine } from "../../src/platform/user/Machine.ts"
import * as PluginHost from "../../src/plugins/process/PluginHost.ts"
import { isShipped, shippedPlugins } from "../../src/plugins/Shipped.ts"
import { shippedPlugin } from "../built.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { writePlugin } from "./given.ts"
import { onDenoAlone } from "./onDenoAlone.ts"

const textRoom = shippedPlugin("plugins", "text-room")

const sample = { name: "sample", sensors: [{ name: "look" }] }
const entry = (version: string) => `export default { sensors: { look: () => ${JSON.stringify(version)} } }`

/** A log, and a plugin that did not come with Hindcast, on a machine where nothing but Deno confines it. */
const place = Effect.gen(function* () {
  yield* onDenoAlone
  const base = yield* temporaryDirectory
  const log = path.join(base, "log.db")
  const write = (version: string, name = "sample") =>
    writePlugin(path.join(base, "source", name), { ...sample, name, entry: entry(version) })
  const withKernel = (host: PluginHost.HostOptions = {}) =>
    Effect.provide(Hindcast.layer({ log, workspace: base, host }))
  const onLog = Effect.provide(Hindcast.layerLog({ log, workspace: base }))
  return { base, log, write, withKernel, onLog }
})

/** Imports a plugin, opens a task with it, and answers its first reading. */
const reading = (source: string) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const { manifest } = yield* kernel.plugins.import(source)
    return yield* reads([manifest.name])
  })

const reads = (plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const task = yield* (yield* Kernel).tasks.open({ goal: "look", plugins })
    const [first] = yield* task.perceive()
    yield* task.close("achieved")
    return first?.reading
  })

const events = (...types: ReadonlyArray<string>) => Effect.flatMap(EventLog, (log) => log.readPage({ types }, 100))

const digestOf = (plugin: string) => Effect.flatMap(Registry, (registry) => registry.manifest(plugin))

/** Puts a consent into the log as if somebody had given it; what is not said fits this plugin and this machine. */
const forge = (payload: { readonly digest?: string; readonly machine?: string | null; readonly plugin?: string }) =>
  Effect.gen(function* () {
    const { digest } = yield* digestOf("sample")
    const { id, platform, user } = yield* machine
    const event: CoreNewEvent = {
      type: "SandboxConsentGiven",
      payload: {
        plugin: "sample",
        version: "1.0.0",
        digest,
        by: user,
        how: "option",
        platform,
        machine: id ?? null,
        ...payload,
      },
    }
    yield* (yield* EventLog).append({ stream: "plugin/sample", actor: "human:eve", events: [event] })
  })

describe("a plugin that did not come with Hindcast, where nothing but Deno confines it", () => {
  it.scopedLive("is not started, and nothing begins, before somebody consents", () =>
    Effect.gen(function* () {
      const { write, withKernel } = yield* place
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(reading(write("one")))
        expect(error._tag).toBe("SandboxConsentMissing")
        expect(error.message).toMatch(
          /^Plugin sample 1\.0\.0 is not started: only Deno's permissions would confine it on this machine \(.+\), and a hole in them would give the plugin all your rights\. If you trust it, pass `--sandbox flags` once/,
        )
        expect(yield* events("TaskOpened", "PluginStarted", "SandboxConsentGiven")).toEqual([])
        expect((yield* (yield* Kernel).unconsented(["sample", "nobody"])).map(({ plugin }) => plugin)).toEqual([
          "sample",
        ])
      }).pipe(withKernel())
    }),
  )

  it.scopedLive("is started once it was said; what was said is recorded, and holds from then on", () =>
    Effect.gen(function* () {
      const { write, withKernel } = yield* place
      const { digest } = yield* Effect.gen(function* () {
        expect(yield* reading(write("one"))).toBe("one")
        return yield* digestOf("sample")
      }).pipe(withKernel({ consent: "flags" }))
      yield* Effect.gen(function* () {
        expect(yield* reads(["sample"])).toBe("one")
        const { platform, user, id } = yield* machine
        const given = { plugin: "sample", version: "1.0.0", digest, by: user, how: "option", platform, machine: id }
        expect((yield* events("SandboxConsentGiven")).map(({ payload }) => payload)).toEqual([given])
        expect((yield* events("PluginStarted")).map(({ payload }) => payload.layer)).toEqual(["none", "none"])
      }).pipe(withKernel())
    }),
  )

  it.scopedLive("is asked about again when it is another version, and when it was removed", () =>
    Effect.gen(function* () {
      const { write, withKernel } = yield* place
      yield* reading(write("one")).pipe(withKernel({ consent: "flags" }))
      yield* Effect.gen(function* () {
        const { plugins } = yield* Kernel
        expect((yield* Effect.flip(reading(write("two"))))._tag).toBe("SandboxConsentMissing")
        expect(yield* reading(write("one"))).toBe("one")
        yield* plugins.remove("sample")
        expect((yield* Effect.flip(reading(write("one"))))._tag).toBe("SandboxConsentMissing")
      }).pipe(withKernel())
    }),
  )

  it.scopedLive(
    "is not started by a consent for other files, for another machine, for any machine, or for another plugin",
    () =>
      Effect.gen(function* () {
        const { write, withKernel } = yield* place
        yield* Effect.gen(function* () {
          yield* (yield* Registry).import(write("one"))
          yield* forge({ digest: "0".repeat(64) })
          yield* forge({ machine: "0".repeat(64) })
          yield* forge({ machine: null })
          yield* forge({ plugin: "another" })
          expect((yield* Effect.flip(reads(["sample"])))._tag).toBe("SandboxConsentMissing")
          yield* forge({})
          expect(yield* reads(["sample"])).toBe("one")
        }).pipe(withKernel())
      }),
  )

  it.scopedLive("is not started by its host either, whoever asks", () =>
    Effect.gen(function* () {
      const { base, write } = yield* place
      const directory = write("one")
      const manifest = JSON.parse(fs.readFileSync(path.join(directory, "looper-plugin.json"), "utf8"))
      const start = (consent?: (said: boolean) => Effect.Effect<boolean, unknown>) =>
        Effect.flatMap(PluginHost.PluginHost, (host) =>
          host.start({
            manifest,
            directory,
            workspace: base,
            seed: 1,
            instance: "kernel",
            denoDir: path.join(base, "deno"),
            grants: { read: [], write: [], net: [], env: [], run: [], runAny: false },
            metadata: { plugin: {}, components: {} },
            record: () => Effect.void,
            ...(consent === undefined ? {} : { consent }),
          }),
        )
      const failures = yield* Effect.all([
        Effect.flip(start()),
        Effect.flip(start(() => Effect.succeed(false))),
        Effect.flip(start(() => Effect.fail(new Error("the log cannot be read")))),
      ]).pipe(Effect.provide(PluginHost.layerOf({})))
      expect(failures.map(({ _tag }) => _tag)).toEqual([
        "SandboxConsentMissing",
        "SandboxConsentMissing",
        "PluginUnavailable",
      ])
      expect(failures[2]?.message).toContain("the consent to its start cannot be looked up: the log cannot be read")
      const started = start().pipe(Effect.provide(PluginHost.layerOf({ consent: "flags" })))
      expect((yield* started).layer).toBe("none")
    }),
  )
})

describe("a plugin that came with Hindcast", () => {
  it("is one of the list that the build made, by the digest of its files", () => {
    const worlds = fs.readdirSync(inRepository("packages/worlds"), { withFileTypes: true })
    expect([...shippedPlugins().values()].sort()).toEqual(
      [
        ...["boiler 1.0.0", "gateway 1.0.0", "python 1.0.0", "text-room 1.0.0", "workspace 1.0.0"],
        ...worlds.flatMap((entry) => (entry.isDirectory() ? [`${entry.name} 1.0.0`] : [])),
      ].sort(),
    )
    const none = path.join(path.dirname(textRoom), "no-such-list.json")
    expect(shippedPlugins(none).size).toBe(0)
    expect(shippedPlugins(fileURLToPath(import.meta.url)).size).toBe(0)
  })

  it.scopedLive("is started without a question, and is foreign with one byte more, or by its name alone", () =>
    Effect.gen(function* () {
      const { base, write, withKernel } = yield* place
      yield* Effect.gen(function* () {
        const { plugins } = yield* Kernel
        const { digest } = yield* plugins.import(textRoom)
        expect(isShipped(digest)).toBe(true)
        expect(yield* (yield* Kernel).unconsented(["text-room"])).toEqual([])
        const task = yield* (yield* Kernel).tasks.open({ goal: "look", plugins: ["text-room"] })
        expect((yield* task.perceive()).map(({ sensor }) => sensor)).toEqual(["text-room/room", "text-room/inventory"])
        yield* task.close("achieved")

        const edited = path.join(base, "edited")
        fs.cpSync(textRoom, edited, { recursive: true })
        fs.appendFileSync(path.join(edited, "README.md"), " ")
        expect(isShipped((yield* plugins.import(edited)).digest)).toBe(false)
        const open = (yield* Kernel).tasks.open({ goal: "look", plugins: ["text-room"] })
        expect((yield* Effect.flip(open))._tag).toBe("SandboxConsentMissing")

        yield* plugins.import(write("one", "text-room"))
        expect((yield* Effect.flip(open))._tag).toBe("SandboxConsentMissing")
        expect(yield* events("SandboxConsentGiven")).toEqual([])
      }).pipe(withKernel())
    }),
  )
})

describe("an installed copy", () => {
  it.scopedLive("is checked before each start, and is not started once it was changed; the log says so", () =>
    Effect.gen(function* () {
      const { write, withKernel } = yield* place
      const source = write("one")
      yield* Effect.gen(function* () {
        const { directory } = yield* (yield* Registry).import(source)
        const file = path.join(directory, "main.ts")
        const before = fs.readFileSync(file)
        const elsewhere = path.join(path.dirname(source), "elsewhere.ts")
        fs.writeFileSync(elsewhere, before)
        const damages: ReadonlyArray<readonly [found: RegExp, damage: () => void, mend: () => void]> = [
          [/changed files/, () => fs.writeFileSync(file, entry("two")), () => fs.writeFileSync(file, before)],
          [/main\.ts with the mode 0666/, () => fs.chmodSync(file, 0o666), () => fs.chmodSync(file, 0o600)],
          [/main\.ts with the mode 0620/, () => fs.chmodSync(file, 0o620), () => fs.chmodSync(file, 0o600)],
          [/main\.ts with the mode 4755/, () => fs.chmodSync(file, 0o4755), () => fs.chmodSync(file, 0o600)],
          [/main\.ts with the mode 2700/, () => fs.chmodSync(file, 0o2700), () => fs.chmodSync(file, 0o600)],
          [
            /the directory with the mode 0?777/,
            () => fs.chmodSync(directory, 0o777),
            () => fs.chmodSync(directory, 0o700),
          ],
          [
            /node_modules, which no import copies/,
            () => fs.mkdirSync(path.join(directory, "node_modules")),
            () => fs.rmdirSync(path.join(directory, "node_modules")),
          ],
          [
            /main\.ts, which is a link/,
            () => {
              fs.rmSync(file)
              fs.symlinkSync(elsewhere, file)
            },
            () => {
              fs.rmSync(file)
              fs.writeFileSync(file, before, { mode: 0o600 })
            },
          ],
        ]
        for (const [found, damage, mend] of damages) {
          damage()
          const error = yield* Effect.flip((yield* Registry).installed("sample"))
          expect(error.message).toMatch(found)
          expect(error._tag).toBe("CopyChanged")
          expect(yield* reads(["sample"])).toBe(undefined)
          const refused = (yield* events("PluginStartRefused")).at(-1)?.payload
          expect(refused).toMatchObject({ plugin: "sample", instance: "kernel", code: error._tag })
          expect((yield* events("SensorFailed")).at(-1)?.payload.error).toMatchObject({ code: error._tag })
          mend()
          expect((yield* (yield* Registry).installed("sample")).directory).toBe(directory)
        }
        expect(yield* events("PluginStarted")).toEqual([])
        expect(yield* reads(["sample"])).toBe("one")
      }).pipe(withKernel({ consent: "flags" }))
    }),
  )

  it.scopedLive("is made anew by an import where others could write it", () =>
    Effect.gen(function* () {
      const { write, onLog } = yield* place
      yield* Effect.gen(function* () {
        const registry = yield* Registry
        const { directory } = yield* registry.import(write("one"))
        fs.chmodSync(path.join(directory, "main.ts"), 0o666)
        yield* registry.import(write("one"))
        expect((yield* registry.installed("sample")).directory).toBe(directory)
        expect(fs.statSync(path.join(directory, "main.ts")).mode & 0o777).toBe(0o600)
      }).pipe(onLog)
    }),
  )
})
