import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import * as InheritedDescriptors from "../../platform/InheritedDescriptors.ts"
import type { SandboxedCommand } from "./Sandbox.ts"

/** How a process ended. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
  /** Why it was ended, where it was us. */
  readonly reason?: string
}

export interface ChildHandlers {
  readonly onStdout: (chunk: Uint8Array) => void
  readonly onStderr: (chunk: Uint8Array) => void
  /** Once, after the last output. */
  readonly onExit: (exit: ChildExit) => void
}

/** A process that leads a group of its own. */
export interface Child {
  readonly pid: number
  /** Writes to its standard input. Does nothing once it has ended. */
  readonly send: (text: string) => void
  /** As `send`, and succeeds when the text has left this process, or the other one has ended. */
  readonly deliver: (text: string) => Effect.Effect<void>
  /** Reads nothing of its outputs for so many milliseconds: it waits as soon as it writes more than the pipes hold. */
  readonly rest: (ms: number) => void
  /** Whether its outputs rested at some time since then, by `performance.now`: what it answered may be behind in them. */
  readonly restedSince: (at: number) => boolean
  /** Kills its group at once. The first reason given counts. */
  readonly kill: (reason: string) => void
}

/** How the end of its scope asks a process to end: each step is given `stopMs` before the next. */
export interface Stopping {
  /** What to write to its standard input, which is closed thereafter. */
  readonly farewell: string
  readonly stopMs: number
}

/**
 * How long after a process's end its outputs may stay open, in milliseconds: what is in the pipes is read, and whoever
 * else holds them is not waited for.
 */
const DRAIN_MS = 200

/**
 * Spawns a process, attaches what handles its outputs and its end, and ends it with the scope for sure: a farewell and the
 * end of its input, SIGTERM to its group, then SIGKILL. Fails with the operating system's reason where it cannot be spawned.
 *
 * It is driven by callbacks, not streams, because every call of a plugin passes here; and by Node's own timers, because
 * a process does not wait for a test's clock. It must be spawned from the main thread: the death signal that the
 * sandbox asks for comes when the spawning *thread* ends.
 */
export const spawnScoped = <Attached extends ChildHandlers>(
  { command, args, cwd, env }: SandboxedCommand,
  attach: (child: Child) => Attached,
  stopping: Stopping,
): Effect.Effect<{ readonly child: Child; readonly attached: Attached }, string, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Running<Attached>, string>((resume) => {
      const fail = (cause: unknown) => resume(Effect.fail(cause instanceof Error ? cause.message : String(cause)))
      try {
        const stdio = ["pipe" as const, "pipe" as const, "pipe" as const, ...InheritedDescriptors.covered()]
        const child = spawn(command, args, { cwd, env, stdio, detached: true })
        InheritedDescriptors.letGo(child)
        child.once("error", fail)
        child.once("spawn", () => resume(Effect.succeed(running(child, attach))))
      } catch (cause) {
        // Arguments that are too long, say: Node throws what is not about finding the command.
        fail(cause)
      }
    }),
    (process) => stop(process, stopping),
  )

interface Running<Attached> {
  readonly child: Child
  readonly attached: Attached
  readonly closeInput: () => void
  readonly signal: (name: "SIGTERM" | "SIGKILL") => void
  readonly because: (reason: string) => void
  /** Calls back once it has ended, at once where it has already. */
  readonly whenEnded: (listener: () => void) => void
}

const running = <Attached extends ChildHandlers>(
  process_: ChildProcessWithoutNullStreams,
  attach: (child: Child) => Attached,
): Running<Attached> => {
  // Known as soon as it has been spawned.
  const pid = process_.pid ?? 0
  let hasEnded = false
  let reason: string | undefined
  const listeners = new Set<() => void>()
  // A process that has just ended breaks the pipe; its exit says why.
  process_.stdin.on("error", () => undefined)
  const signal = (name: "SIGTERM" | "SIGKILL") => {
    if (process_.exitCode !== null || process_.signalCode !== null) return
    try {
      process.kill(-pid, name)
    } catch {
      process_.kill(name)
    }
  }
  const because = (why: string) => {
    reason ??= why
  }
  let unsent = ""
  let onSent: Array<() => void> = []
  const flush = () => {
    const told = onSent
    if (unsent !== "" && process_.stdin.writable) {
      process_.stdin.write(unsent, told.length === 0 ? undefined : () => told.forEach((tell) => tell()))
    }
    unsent = ""
    onSent = []
  }
  const send = (text: string) => {
    // What is sent in the same turn of the event loop goes out in one system call: they cost most of a call.
    if (unsent === "") process.nextTick(flush)
    unsent += text
  }
  const child: Child = {
    pid,
    send,
    deliver: (text) =>
      Effect.async((resume) => {
        if (hasEnded) return resume(Effect.void)
        const done = () => {
          listeners.delete(done)
          resume(Effect.void)
        }
        listeners.add(done)
        onSent.push(done)
        send(text)
      }),
    rest: (ms) => {
      if (process_.exitCode !== null || process_.signalCode !== null) return
      listen(false)
      restsUntil = performance.now() + ms
      clearTimeout(resting)
      resting = setTimeout(() => listen(true), ms)
    },
    restedSince: (at) => restsUntil > at,
    kill: (why) => {
      because(why)
      signal("SIGKILL")
    },
  }
  let resting: NodeJS.Timeout | undefined
  let restsUntil = Number.NEGATIVE_INFINITY
  const listen = (again: boolean) => {
    for (const output of [process_.stdout, process_.stderr]) {
      if (again) output.resume()
      else output.pause()
    }
  }
  const handlers = attach(child)
  const end = (code: number | null, signal: string | null) => {
    if (hasEnded) return
    hasEnded = true
    handlers.onExit({ code, signal, ...(reason === undefined ? {} : { reason }) })
    for (const listener of listeners) listener()
  }
  process_.stdout.on("data", handlers.onStdout)
  process_.stderr.on("data", handlers.onStderr)
  process_.on("exit", (code, signal) => {
    clearTimeout(resting)
    listen(true)
    const patience = setTimeout(() => end(code, signal), DRAIN_MS)
    process_.once("close", () => {
      clearTimeout(patience)
      end(code, signal)
    })
  })
  return {
    child,
    attached: handlers,
    closeInput: () => {
      flush()
      process_.stdin.end()
    },
    signal,
    because,
    whenEnded: (listener) => {
      if (hasEnded) listener()
      else listeners.add(listener)
    },
  }
}

const stop = <A>({ child, closeInput, signal, because, whenEnded }: Running<A>, { farewell, stopMs }: Stopping) => {
  const ended = Effect.async<boolean>((resume) => {
    const patience = setTimeout(() => resume(Effect.succeed(false)), stopMs)
    whenEnded(() => {
      clearTimeout(patience)
      resume(Effect.succeed(true))
    })
  })
  const step = (act: () => void) => Effect.zipRight(Effect.sync(act), ended)
  const ask = step(() => {
    because("stopped")
    child.send(farewell)
    closeInput()
  })
  const term = step(() => signal("SIGTERM"))
  const kill = step(() => signal("SIGKILL"))
  const unless = (first: Effect.Effect<boolean>, second: Effect.Effect<boolean>) =>
    Effect.flatMap(first, (done) => (done ? Effect.succeed(true) : second))
  return unless(unless(ask, term), kill)
}
