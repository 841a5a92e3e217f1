import type { Actuator, Json, JsonObject, Plugin, PluginContext } from "hindcast/plugin"
import type { Encoding, Request } from "./messages.ts"
import { openSession } from "./session.ts"

/** Default time limit of code, in milliseconds, as in the manifest. */
const LIMIT_MS = 10_000

/** The interpreter's memory image; the first call brings its path. */
const snapshotFile = Promise.withResolvers<string | null>()

/** This process serves one task, so one session suffices. */
const session = openSession(snapshotFile.promise)

/** Validated by the manifest's schemas. */
interface Execute {
  readonly code: string
  readonly timeoutMs?: number
  readonly dependencies?: ReadonlyArray<string>
}

const execute: Actuator = async (context, { code, timeoutMs = LIMIT_MS, dependencies = [] }: Execute) => {
  const seed = Math.floor(context.random() * 2 ** 32)
  const request: Request = { type: "execute", code, dependencies, wheels: wheelDirectories(context), seed }
  const { value, isInterrupted } = await session.ask(request, { ...asking(context), limitMs: timeoutMs })
  return isInterrupted ? timedOut(value as JsonObject, timeoutMs) : value
}

/** Code that its interruption ended has timed out. Code that caught it and completed keeps its own outcome. */
const timedOut = (value: JsonObject, timeoutMs: number): Json => {
  const error = value.error as JsonObject | null
  if (error === null || error.type !== "KeyboardInterrupt") return value
  const message = `The code ran into its limit of ${timeoutMs} ms. Variables and files are kept.`
  return { ...value, outcome: "timeout", error: { ...error, message } }
}

/** Directories of wheels: the manifest's variable `wheels`, relative to the plugin, and `wheels` in the workspace. */
const wheelDirectories = ({ variables, workspace }: PluginContext): ReadonlyArray<string> => {
  const own = typeof variables.wheels === "string" ? variables.wheels : "wheels"
  return [decodeURIComponent(new URL(own, import.meta.url).pathname), `${workspace}/wheels`]
}

interface At {
  readonly path: string
}

const list: Actuator = (context, { path = "." }: Partial<At>) => ask(context, { type: "list", path })

const read: Actuator = (context, { path }: At) => ask(context, { type: "read", path })

const write: Actuator = (context, args: At & { readonly content: string; readonly encoding?: Encoding }) =>
  ask(context, { type: "write", encoding: "utf-8", ...args })

const mkdir: Actuator = (context, { path }: At) => ask(context, { type: "mkdir", path })

const remove: Actuator = (context, args: At & { readonly recursive?: boolean }) =>
  ask(context, { type: "remove", recursive: false, ...args })

const reset: Actuator = async (context) => {
  await session.reset(asking(context))
  return { fresh: true }
}

const ask = async (context: PluginContext, request: Request): Promise<Json> =>
  (await session.ask(request, asking(context))).value

const asking = ({ signal, log, precomputed }: PluginContext) => {
  snapshotFile.resolve(precomputed)
  return { signal, log }
}

export default { actuators: { execute, list, read, write, mkdir, remove, reset } } satisfies Plugin
