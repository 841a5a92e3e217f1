import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import * as Grants from "../../../src/plugins/manifest/Grants.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../../src/plugins/process/PluginHost.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { temporaryDirectory } from "../../temporary.ts"

export const pythonPlugin = fileURLToPath(new URL("../../../plugins/python", import.meta.url))

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
  /** Whether it may read the workspace. Default: as its manifest says, no. */
  readonly readsWorkspace?: boolean
}

/** Longer than code takes on a machine that is busy with other tests; what is to run out of time says so itself. */
const PATIENT_MS = 25_000

/** A session with the real plugin, in the sandbox. */
export const session = ({ plugin = pythonPlugin, seed = 1, readsWorkspace = false }: SessionOptions = {}) =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const workspace = path.join(base, "workspace")
    yield* Effect.promise(() => fs.mkdir(workspace))
    const { manifest, directory } = yield* Manifest.load(plugin)
    const asked = yield* Grants.resolve(manifest, { directory, workspace })
    const grants = readsWorkspace ? { ...asked, read: [workspace] } : asked
    const events: Array<CoreNewEvent> = []
    const listeners = new Set<() => void>()
    const process = yield* (yield* PluginHost).start({
      manifest,
      directory,
      grants,
      workspace,
      seed,
      instance: "a-task",
      denoDir: path.join(base, "deno"),
      // Nothing else is waited for here.
      limits: { niceness: 0 },
      metadata: { plugin: {}, components: {} },
      record: (event) =>
        Effect.sync(() => {
          events.push(event)
          for (const listener of listeners) listener()
        }),
    })
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
