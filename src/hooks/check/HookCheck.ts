/**
 * Checks the hooks of an installed client: runs the client against a scripted model, with the user's settings and a hook
 * store of the check's own. A call that the gate allows has to run, one that it denies must not run, and without a hook
 * server nothing may run.
 */

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as HookChecks from "../../importing/writing/HookChecks.ts"
import * as UserStore from "../../platform/user/UserStore.ts"
import { digest } from "../../values/Digest.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as HeadlessClient from "./HeadlessClient.ts"
import * as LeftSessions from "./LeftSessions.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

/** The findings of a check. Undefined: the run did not get so far. */
export interface CheckedHooks {
  /** Whether the client ran a call that the gate allows. Otherwise nothing else is known. */
  readonly ran: boolean
  /** Whether a denied call did not run, and the model was given the reason. */
  readonly denied: boolean | undefined
  /** Whether nothing ran while no hook server could be reached. */
  readonly closed: boolean | undefined
  /** The end of the client's output, if it did not run. */
  readonly output: string
}

export interface CheckOptions {
  readonly client: HeadlessClient.HeadlessClient
  /** Where the client runs: the project whose settings are checked. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: `TIME_MS`. */
  readonly timeMs?: number
  /** Ends the client. The check then removes its directory, and rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** Maximum time of one run of a client, in milliseconds. */
const TIME_MS = 120_000

/** The client's program is not on the `PATH`. */
export class ProgramMissing extends Error {}

const RULE = "hindcast-check"

/** Rejects with `ProgramMissing`, as `UserStore.open` throws, or with the reason of `signal`. */
export const check = async (options: CheckOptions): Promise<CheckedHooks> => {
  options.signal?.throwIfAborted()
  // Gemini CLI reads no settings below a directory that others may write, such as the one for temporary files.
  const own = fs.mkdtempSync(path.join(UserStore.open("hooks", { readonly: false }), "check-"))
  const prompt = HookChecks.make(randomUUID())
  const begunAt = Date.now()
  try {
    const marks = path.join(own, "marks")
    fs.mkdirSync(marks)
    const store = storeIn(own, "store", marks)
    const call = (name: string): ScriptedModel.ScriptedAnswer => ({
      tool: options.client.tool,
      args: options.client.args(`touch ${path.join(marks, name)}`),
    })
    const gated = await runOnce(options, prompt, own, [call("allowed"), call("denied")], {
      [UserStore.VARIABLE]: store,
    })
    const did = (name: string) => fs.existsSync(path.join(marks, name))
    if (!did("allowed")) return { ran: false, denied: undefined, closed: undefined, output: gated.output }
    const denied = !did("denied") && gated.requests.some((body) => body.includes(`(rule ${RULE})`))
    const alone = await runOnce(options, prompt, own, [call("unreached")], {
      [UserStore.VARIABLE]: path.join(own, "none"),
      HINDCAST_HOOKS_START: "never",
    })
    // The second request has the result of the call: without it, the client did not come to the call.
    const closed = alone.requests.length < 2 ? undefined : !did("unreached")
    return { ran: true, denied, closed, output: alone.output }
  } finally {
    await stopServer(path.join(own, "store"))
    const sessions = options.client.sessions?.(options.env)
    // Some file systems keep times to the second or two.
    if (sessions !== undefined) LeftSessions.remove(sessions, begunAt - 2_000, prompt)
    fs.rmSync(own, { recursive: true, force: true })
  }
}

/** A hook store of the check's own, whose rules deny one command. */
const storeIn = (own: string, name: string, marks: string): string => {
  const store = path.join(own, name)
  const hooks = path.join(store, "hooks")
  fs.mkdirSync(hooks, { recursive: true, mode: 0o700 })
  fs.chmodSync(store, 0o700)
  const rules: JsonObject = {
    rules: [
      { name: RULE, shell: [`touch ${path.join(marks, "denied")}`], decision: "deny", reason: "This is a check" },
    ],
    default: "allow",
  }
  const file = path.join(own, "gate.yaml")
  fs.writeFileSync(file, JSON.stringify(rules))
  const settings = { log: path.join(own, "sessions.db"), gate: { file, digest: digest(rules) } }
  fs.writeFileSync(path.join(hooks, "settings.json"), JSON.stringify(settings), { mode: 0o600 })
  return store
}

interface Ran {
  readonly requests: ReadonlyArray<string>
  readonly output: string
}

const runOnce = async (
  { client, directory, env, timeMs = TIME_MS, signal }: CheckOptions,
  prompt: string,
  own: string,
  turns: ReadonlyArray<ScriptedModel.ScriptedAnswer>,
  more: Readonly<Record<string, string>>,
): Promise<Ran> => {
  const model = await ScriptedModel.start(turns)
  try {
    const run = client.run(model.url, prompt)
    for (const [name, content] of Object.entries(run.files ?? {}))
      fs.writeFileSync(path.join(own, name), JSON.stringify(content))
    const variables = Object.fromEntries(
      Object.entries(run.env).map(([name, value]) => [name, value.replaceAll(HeadlessClient.DIRECTORY, own)]),
    )
    const output = await ended(client.program, run.args, directory, { ...env, ...variables, ...more }, timeMs, signal)
    signal?.throwIfAborted()
    return { requests: model.requests(), output }
  } finally {
    await model.close()
  }
}

/** Runs a program until it ends, its time is up or the signal aborts, and returns the end of its output. */
const ended = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  timeMs: number,
  signal: AbortSignal | undefined,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true })
    let output = ""
    const keep = (piece: Buffer) => {
      output = `${output}${piece}`.slice(-2000)
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    const timer = setTimeout(() => {
      output += `\nIt did not end within ${timeMs / 1000} s.`
      kill(child.pid)
    }, timeMs)
    const abort = () => kill(child.pid)
    signal?.addEventListener("abort", abort)
    const stopWaiting = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
    }
    child.once("error", (error: NodeJS.ErrnoException) => {
      stopWaiting()
      reject(error.code === "ENOENT" || error.code === "EACCES" ? new ProgramMissing(program) : error)
    })
    child.once("exit", () => {
      stopWaiting()
      // A tool's process that still runs would keep the pipes open.
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, 500).unref()
    })
    child.once("close", () => resolve(output))
  })

/** Kills a process and its group. */
const kill = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

/** Ends the hook server that the check's hooks started. */
const stopServer = async (store: string): Promise<void> => {
  const file = path.join(store, "hooks", "door.json")
  if (!fs.existsSync(file)) return
  const { pid } = JSON.parse(fs.readFileSync(file, "utf8")) as { readonly pid?: unknown }
  if (typeof pid !== "number") return
  try {
    process.kill(pid, "SIGTERM")
  } catch {
    return
  }
  // It removes its own file when it ends.
  for (let tries = 0; tries < 100 && fs.existsSync(file); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50))
}
