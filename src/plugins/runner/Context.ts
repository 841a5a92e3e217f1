/** The context argument (`ctx`) of a plugin's functions. */
import type { FetchOptions, FetchResult, JsonObject, PluginContext, RunResult } from "../author.ts"
import { elementary } from "../elementary/Elementary.ts"
import { inspect } from "./Captured.ts"
import type { Send } from "./Frames.ts"
import type { Init } from "./HostFrame.ts"
import type { HostRequests } from "./HostRequests.ts"
import { type OpenCall, type OpenCalls, signalOf } from "./OpenCalls.ts"
import { sfc32 } from "./RandomNumbers.ts"

/** The services that contexts offer. */
interface ContextInput {
  readonly init: Init
  readonly send: Send
  readonly calls: OpenCalls
  readonly requests: HostRequests
  readonly emit: PluginContext["emit"]
}

/** Makes the context of a call: component, metadata, time, agent. */
export type ContextOf = (
  open: OpenCall,
  component: string,
  metadata: JsonObject,
  now: number,
  agent: string | null,
  commandId?: string,
) => PluginContext

/** Makes the contexts of one process. Each component has one random generator for all its calls. */
export const contexts = ({ init, send, calls, requests, emit }: ContextInput): ContextOf => {
  const generators = new Map<string, () => number>()

  const randomOf = (component: string): (() => number) => {
    const known = generators.get(component)
    if (known !== undefined) return known
    const made = sfc32(`${init.seed}/${component}`)
    generators.set(component, made)
    return made
  }

  /** A body of which no part came, as in a test that answers by itself, comes as one. */
  const fetch = async (call: number, url: string, { onText, ...options }: FetchOptions) => {
    if (onText === undefined) return (await host(call, "fetch", { ...options, url })) as FetchResult
    let came = false
    const onPart = (text: string) => {
      came = true
      onText(text)
    }
    const params = { ...options, url, parts: true }
    const result = (await requests.ask({ type: "host", call, method: "fetch", params }, call, onPart)) as FetchResult
    if (!came && result.encoding === "utf8" && result.body !== "") onText(result.body)
    return result
  }

  const host = (call: number, method: string, params: object) =>
    requests.ask({ type: "host", call, method, params }, call)

  return (open, component, metadata, now, agent, commandId) => ({
    variables: init.variables,
    metadata,
    log: (message, level = "info") => send({ type: "log", level, message: String(message) }),
    get signal() {
      return signalOf(open)
    },
    random: randomOf(component),
    math: elementary,
    now,
    agent,
    commandId: commandId ?? null,
    workspace: init.workspace,
    precomputed: init.precomputed,
    run: (command, args = []) => host(open.id, "run", { command, args }) as Promise<RunResult>,
    readFile: (path) => host(open.id, "readFile", { path }) as Promise<string>,
    writeFile: async (path, content) => {
      await host(open.id, "writeFile", { path, content })
    },
    fetch: (url, options = {}) => fetch(open.id, url, options),
    progress: (value) => {
      const fits = typeof value === "string" ? value.isWellFormed() : value >= 0 && value <= 1
      if (!fits) throw new RangeError(`expected a fraction from 0 to 1 or text, found ${inspect(value)}`)
      if (calls.isOpen(open.id)) send({ type: "progress", id: open.id, value })
    },
    emit,
  })
}
