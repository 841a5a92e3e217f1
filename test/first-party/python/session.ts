import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import * as Grants from "../../../src/plugins/manifest/Grants.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../../src/plugins/process/PluginHost.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { shippedPlugin } from "../../built.ts"
import { temporaryDirectory } from "../../temporary.ts"

export const pythonPlugin = shippedPlugin("packages", "python")

/** What `execute` answers with. */
export interface Executed {
  readonly outcome: string
  readonly stdout: string
  readonly stderr: string
  readonly result: Json
  readonly repr: string | null
  readonly error: { readonly type: string; readonly message: string; readonly traceback: string } | null
  readonly installed: ReadonlyArray<string>
  readonly durationMs: number
}

export interface SessionOptions {
  /** Default: the first-party plugin as it stands. */
  readonly plugin?: string
  readonly seed?: number
  /** Its cache. Default: a new one, in which the memory image of an interpreter is already, where a test made it before. */
  readonly denoDir?: string
  /** Whether it may read the workspace. Default: as its manifest says, no. */
  readonly readsWorkspace?: boolean
}

/** Longer than code takes on a machine that is busy with other tests; what is to run out of time says so itself. */
const PATIENT_MS = 25_000

/** Tests share the image, which takes seconds to compute: the host compares its digest, wherever it comes from. */
const Images = {
  SHARED: fileURLToPath(new URL("../../../node_modules/.cache/hindcast-python", import.meta.url)),
  nameOf: ({ precomputed }: Manifest.Manifest) => `precomputed-${precomputed?.sha256}`,
  /** Copies it from one directory to the other, where the one has it and the other has not. */
  copy: async (from: string, to: string, name: string) => {
    await fs.mkdir(to, { recursive: true })
    const partial = path.join(to, `${name}.${randomUUID()}`)
    try {
      await fs.access(path.join(to, name))
    } catch {
      const isCopied = await fs.copyFile(path.join(from, name), partial).then(
        () => true,
        () => false,
      )
      if (isCopied) await fs.rename(partial, path.join(to, name))
    }
  },
}

/** A session with the real plugin, in the sandbox. */
export const session = ({ plugin = pythonPlugin, seed = 1, denoDir, readsWorkspace = false }: SessionOptions = {}) =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const workspace = path.join(base, "workspace")
    yield* Effect.promise(() => fs.mkdir(workspace))
    const { manifest, directory } = yield* Manifest.load(plugin)
    const asked = yield* Grants.resolve(manifest, { directory, workspace })
    const grants = readsWorkspace ? { ...asked, read: [workspace] } : asked
    const image = Images.nameOf(manifest)
    const cache = denoDir ?? path.join(base, "deno")
    if (denoDir === undefined) yield* Effect.promise(() => Images.copy(Images.SHARED, cache, image))
    const events: Array<CoreNewEvent> = []
    const listeners = new Set<() => void>()
    const process = yield* (yield* PluginHost).start({
      manifest,
      directory,
      grants,
      workspace,
      seed,
      instance: "a-task",
      denoDir: cache,
      // Nothing else is waited for here.
      limits: { niceness: 0 },
      metadata: { plugin: {}, components: {} },
      record: (event) =>
        Effect.sync(() => {
          events.push(event)
          for (const listener of listeners) listener()
        }),
    })
    if (denoDir === undefined) yield* Effect.promise(() => Images.copy(cache, Images.SHARED, image))
    const timeouts = new Map(Manifest.actuatorsOf(manifest).map(({ name, timeout }) => [name, timeout]))
    const call = (actuator: string, args: JsonObject) =>
      process.act(actuator, args, { timeoutMs: timeouts.get(actuator) ?? 30_000 })
    const logged = (text: string) =>
      events.some((event) => event.type === "PluginLogged" && JSON.stringify(event.payload).includes(text))
    return {
      process,
      workspace,
      /** Runs code. */
      execute: (code: string, args: JsonObject = {}) =>
        Effect.map(
          call("execute", { code, timeoutMs: PATIENT_MS, ...args }),
          ({ result }) => result as unknown as Executed,
        ),
      act: (actuator: string, args: JsonObject = {}) =>
        Effect.map(call(actuator, args), ({ result }) => result as JsonObject),
      /** How a command that must fail fails. */
      refused: (actuator: string, args: JsonObject = {}) => Effect.flip(call(actuator, args)),
      logged,
      /** Waits until it has logged a text. */
      whenLogged: (text: string) =>
        Effect.async<void>((resume) => {
          const look = () => {
            if (!logged(text)) return
            listeners.delete(look)
            resume(Effect.void)
          }
          listeners.add(look)
          look()
        }),
    }
  })
