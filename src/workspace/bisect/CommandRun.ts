/** Runs a user's command in a shell within a time limit, and ends every process of its group. */

import { type ChildProcess, spawn } from "node:child_process"
import * as os from "node:os"
import { Data, Effect } from "effect"
import * as InheritedDescriptors from "../../platform/InheritedDescriptors.ts"
import * as ProcessGroup from "../../platform/ProcessGroup.ts"

export interface Ended {
  /** As a shell reports it: for a signal, 128 plus its number. Null after the time limit. */
  readonly exitCode: number | null
  /** The end of both outputs, in order of arrival. */
  readonly output: string
  readonly ms: number
}

export interface CommandRunOptions {
  readonly command: string
  readonly directory: string
  readonly timeoutMs: number
}

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly command: string; readonly reason: string }> {
  override get message() {
    return `${this.command}: expected a shell that starts, found: ${this.reason}`
  }
}

/** When this ends, the group is dead. A process that left the group, such as a daemon, lives on. */
export const run = ({ command, directory, timeoutMs }: CommandRunOptions): Effect.Effect<Ended, NotStarted> =>
  Effect.async((resume) => {
    const startedAt = performance.now()
    const tail = new Tail()
    let exit = ""
    let isLate = false
    const [shell, ...args] = isWindows ? ["cmd.exe", "/d", "/s", "/c", command] : ["/bin/sh", "-c", KEEPER, command]
    let child: ChildProcess
    try {
      child = spawn(shell ?? "", args, {
        cwd: directory,
        env: environment(directory),
        stdio: ["ignore", "pipe", "pipe", "pipe", ...InheritedDescriptors.replacementStdio().slice(1)],
        detached: !isWindows,
      })
    } catch (cause) {
      // Node throws some errors, for example for a command that is too long.
      return resume(new NotStarted({ command, reason: cause instanceof Error ? cause.message : String(cause) }))
    }
    for (const replaced of child.stdio.slice(4)) replaced?.destroy()
    child.stdout?.on("data", (chunk: Buffer) => tail.add(chunk))
    child.stderr?.on("data", (chunk: Buffer) => tail.add(chunk))
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      exit = (exit + chunk.toString("latin1")).slice(0, MAX_EXIT)
    })
    const timer = setTimeout(() => {
      isLate = true
      ProcessGroup.killProcessGroup(child)
    }, timeoutMs)
    let drained: NodeJS.Timeout | undefined
    const gone = new Promise<void>((resolve) => {
      const end = (result: Effect.Effect<Ended, NotStarted>) => {
        clearTimeout(timer)
        clearTimeout(drained)
        for (const stream of child.stdio) stream?.destroy()
        resume(result)
        resolve()
      }
      child.once("error", ({ message }) => end(new NotStarted({ command, reason: message })))
      child.once("exit", () => {
        clearTimeout(timer)
        // A process that left the group may hold the outputs open.
        drained = setTimeout(() => child.stdio.forEach((stream) => stream?.destroy()), DRAIN_MS)
      })
      child.once("close", (code, signal) => {
        const told = /^\d+$/.test(exit.trim())
          ? Number(exit)
          : (code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]))
        end(
          Effect.succeed({
            exitCode: isLate ? null : told,
            output: tail.text(),
            ms: Math.round(performance.now() - startedAt),
          }),
        )
      })
    })
    return Effect.promise(() => {
      if (child.exitCode === null && child.signalCode === null) ProcessGroup.killProcessGroup(child)
      return gone
    })
  })

const isWindows = process.platform === "win32"

/**
 * Runs the command, reports its exit code, and then ends its own group. No other process can do this safely: after its
 * leader's end, another group may get the same number.
 */
const KEEPER = '(eval "$0") 3>&-; echo "$?" >&3; kill -KILL 0'

/** Longest text of an exit code. */
const MAX_EXIT = 8

/** How long to wait for outputs after the group's end. */
const DRAIN_MS = 1_000

/**
 * The user's environment, without this process's own variables, which may hold tokens, and without those that lead Git
 * to the user's repository.
 */
const environment = (directory: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("HINDCAST_") && !OF_GIT.has(name)),
  ),
  PWD: directory,
})

/** Most of `git rev-parse --local-env-vars`, which Git sets for its hooks. */
const OF_GIT: ReadonlySet<string> = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_WORK_TREE",
])

/** The last bytes of an output. */
class Tail {
  #chunks: Array<Buffer> = []
  #bytes = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= MAX_OUTPUT) this.#bytes -= this.#chunks.shift()?.length ?? 0
  }

  /** Begins with a whole line if the output is longer. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks)
    const text = bytes.subarray(-MAX_OUTPUT).toString("utf8").toWellFormed()
    return bytes.length <= MAX_OUTPUT ? text : text.slice(text.indexOf("\n") + 1)
  }
}

/** In bytes. */
const MAX_OUTPUT = 8 * 1024
