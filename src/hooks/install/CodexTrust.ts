/**
 * Trusts Hindcast's hooks in Codex, by the protocol of `codex app-server`. Codex skips a hook without a stored hash and
 * says nothing.
 */

import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as readline from "node:readline"
import type { Json, JsonObject } from "../../values/Json.ts"
import { fieldOf, isObject, textOf } from "../../values/JsonObjects.ts"

/** Maximum time of the whole conversation, in milliseconds. */
const PATIENCE_MS = 30_000

/** One of Hindcast's hooks, as Codex lists it. */
interface ListedHook {
  readonly key: string
  readonly hash: string
  readonly isTrusted: boolean
}

export interface Trust {
  /** How many hooks of Hindcast Codex found for this directory. */
  readonly found: number
  /** How many of them it runs. */
  readonly trusted: number
}

/** @param program Codex's program; default: `codex` on the `PATH` */
export interface TrustOptions {
  readonly directory: string
  /** The hooks' file. Hooks of other files, such as those of a cloned project, are never Hindcast's. */
  readonly file: string
  /** The hook's whole command line, as Hindcast wrote it. */
  readonly command: string
  readonly program?: string
  /** Ends Codex. The promise then rejects. */
  readonly signal?: AbortSignal
}

/** How many hooks Codex runs. Rejects if Codex cannot be run, or answers in another form. */
export const look = (options: TrustOptions): Promise<Trust> =>
  talk(options, async (ask) => countOf(await listed(ask, options)))

/** Stores the hashes of Hindcast's hooks, and of no other, and reads them back. Rejects as `look`. */
export const trust = (options: TrustOptions): Promise<Trust> =>
  talk(options, async (ask) => {
    const hooks = await listed(ask, options)
    const missing = hooks.filter(({ isTrusted }) => !isTrusted)
    if (missing.length === 0) return countOf(hooks)
    const value = Object.fromEntries(missing.map(({ key, hash }) => [key, { trusted_hash: hash }]))
    await ask("config/batchWrite", { edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }] })
    return countOf(await listed(ask, options))
  })

const countOf = (hooks: ReadonlyArray<ListedHook>): Trust => ({
  found: hooks.length,
  trusted: hooks.filter(({ isTrusted }) => isTrusted).length,
})

type Ask = (method: string, params: JsonObject) => Promise<unknown>

const listed = async (ask: Ask, { directory, file, command }: TrustOptions): Promise<ReadonlyArray<ListedHook>> => {
  const data = fieldOf(await ask("hooks/list", { cwds: [directory] }), "data")
  if (!Array.isArray(data)) throw new Error("codex: expected a list of hooks, found something else")
  return data
    .flatMap((one) => {
      const hooks = fieldOf(one, "hooks")
      return Array.isArray(hooks) ? hooks : []
    })
    .flatMap((hook) => {
      const [key, hash] = [textOf(fieldOf(hook, "key")), textOf(fieldOf(hook, "currentHash"))]
      return key === undefined ||
        hash === undefined ||
        textOf(fieldOf(hook, "command")) !== command ||
        !isSame(textOf(fieldOf(hook, "sourcePath")), file)
        ? []
        : [
            {
              key,
              hash,
              isTrusted: textOf(fieldOf(hook, "trustStatus")) === "trusted" && fieldOf(hook, "enabled") === true,
            },
          ]
    })
}

const isSame = (path: string | undefined, file: string): boolean => {
  try {
    return path !== undefined && fs.realpathSync(path) === fs.realpathSync(file)
  } catch {
    return false
  }
}

/** Runs `codex app-server` for some requests. */
const talk = async <A>(options: TrustOptions, use: (ask: Ask) => Promise<A>): Promise<A> => {
  const { directory, program = "codex", signal } = options
  signal?.throwIfAborted()
  const child = spawn(program, ["app-server"], { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >()
  let ended: Error | undefined
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  child.on("error", (error) => end(new Error(`${program} cannot be run: ${error.message}`)))
  child.on("close", (code) => end(new Error(`${program} app-server ended with ${code}`)))
  child.stdin.on("error", () => {})
  const timer = setTimeout(() => {
    end(new Error(`${program} app-server did not answer within ${PATIENCE_MS / 1000} s`))
    child.kill("SIGKILL")
  }, PATIENCE_MS)
  const abort = () => {
    end(new Error("interrupted"))
    child.kill("SIGKILL")
  }
  signal?.addEventListener("abort", abort)
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parsed(line)
    const id = fieldOf(message, "id")
    const asked = typeof id === "number" ? waiting.get(id) : undefined
    if (asked === undefined || typeof id !== "number") return
    waiting.delete(id)
    const result = fieldOf(message, "result")
    if (result === undefined) {
      const reason = textOf(fieldOf(fieldOf(message, "error"), "message")) ?? "another form of answer"
      asked.reject(new Error(`codex app-server refused: ${reason}`))
    } else asked.resolve(result)
  })
  let last = 0
  const send = (message: JsonObject) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const ask: Ask = (method, params) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      last++
      waiting.set(last, { resolve, reject })
      send({ id: last, method, params })
    })
  try {
    await ask("initialize", { clientInfo: { name: "hindcast", title: "Hindcast", version: "1" } })
    send({ method: "initialized" })
    return await use(ask)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
    child.kill()
  }
}

const parsed = (line: string): Json => {
  try {
    const message: Json = JSON.parse(line)
    return isObject(message) ? message : null
  } catch {
    // A line of its own log.
    return null
  }
}
