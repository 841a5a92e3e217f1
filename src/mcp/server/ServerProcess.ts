/** The process of a local MCP server, with a process group of its own that ends with it. */

import { type ChildProcess, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { Data } from "effect"
import { killProcessGroup } from "../../platform/ProcessGroup.ts"
import * as Lines from "../Lines.ts"
import * as Outlet from "../Outlet.ts"
import type { Server } from "./Server.ts"

export class ServerNotStarted extends Data.TaggedError("ServerNotStarted")<{
  readonly command: string
  readonly reason: string
}> {
  override get message() {
    return `${this.command}: expected an MCP server that starts, found ${this.reason}. Run the command by itself to see why.`
  }
}

/** Time to end after the end of input, and after SIGTERM, in milliseconds. */
const STOP_MS = 2_000

/** Starts a server. Its error output goes to this process's. */
export const start = ([command, ...args]: readonly [string, ...ReadonlyArray<string>]): Promise<Server> =>
  new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new ServerNotStarted({ command, reason: cause instanceof Error ? cause.message : String(cause) }))
    try {
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], detached: true })
      child.once("error", fail)
      child.once("spawn", () => resolve(started(child, child.stdin, child.stdout)))
    } catch (cause) {
      // Node throws some errors, for example for a NUL in a word.
      fail(cause)
    }
  })

const started = (child: ChildProcess, input: Writable, output: Readable): Server => {
  // `ended` reports its end.
  input.on("error", () => {})
  output.on("error", () => {})
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      killGroup(child)
      resolve(signal === null ? `exit code ${code}` : signal)
    })
  })
  const within = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
      ended.then(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  const outlet = Outlet.make(input)
  const stuck = outlet.full.then(() => `it does not read its input: more than ${Outlet.MAX_WAITING_BYTES} bytes wait`)
  return {
    send: outlet.send,
    room: outlet.room,
    lines: Lines.lines(output, Lines.MAX_BYTES),
    ended: Promise.race([ended, stuck]),
    release: () => output.destroy(),
    stop: async () => {
      input.end()
      if (await within(STOP_MS)) return
      signalGroup(child, "SIGTERM")
      if (await within(STOP_MS)) return
      killProcessGroup(child)
      await ended
    },
  }
}

/** Processes that its leader started, and left. The group keeps its id as long as it has members. */
const killGroup = (child: ChildProcess) => signalGroup(child, "SIGKILL")

const signalGroup = ({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL") => {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}
