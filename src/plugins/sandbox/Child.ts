/** Spawns a plugin's process and ends it with its scope. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import * as InheritedDescriptors from "../../platform/InheritedDescriptors.ts"
import { defined } from "../../values/defined.ts"
import type { SandboxedCommand } from "./Sandbox.ts"

/** How a process ended. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
  /** Why the host ended the process, if it did. */
  readonly reason?: string
}

/** Receives a process's outputs and exit. */
export interface ChildHandlers {
  readonly onStdout: (chunk: Uint8Array) => void
  readonly onStderr: (chunk: Uint8Array) => void
  /** Called once, after the last output. */
  readonly onExit: (exit: ChildExit) => void
}

/** A process that leads a process group. */
export interface Child {
  readonly pid: number
  /** Writes to the process's standard input; no effect after its end. */
  readonly send: (text: string) => void
  /** Like `send`, but completes when the text has left this process or the child has ended. */
  readonly deliver: (text: string) => Effect.Effect<void>
  /** Stops reading the process's outputs for `ms` milliseconds. The process blocks on full pipes. */
  readonly pauseOutput: (ms: number) => void
  /**
   * Whether reading was paused at any time since `at` (`performance.now`): if so, the pipes may hold unread answers.
   */
  readonly wasPausedSince: (at: number) => boolean
  /** Kills the process group at once. The first reason given is the reported one. */
  readonly kill: (reason: string) => void
}

/** How closing the scope stops the process. `stopMs` is the wait after each step, in milliseconds. */
export interface StopOptions {
  /** Written to the standard input before closing it. */
  readonly lastInput: string
  readonly stopMs: number
}

/**
 * Time to read the rest of the pipes after the process has ended, in milliseconds. The host does not wait longer for
 * another process that holds the pipes.
 */
const DRAIN_MS = 200

/**
 * Spawns a process and attaches its handlers. When the scope closes, it ends the process: by the last input and the end
 * of input, then SIGTERM to its group, then SIGKILL. If spawning fails, it fails with the operating system's reason.
 *
 * Callbacks keep each call of a plugin cheap. Node's timers serve, because a process does not follow a test clock. It
 * must run on the main thread: the sandbox's death signal fires when the spawning *thread* ends.
 */
export const spawnScoped = <Attached extends ChildHandlers>(
  { command, args, cwd, env }: Pick<SandboxedCommand, "command" | "args" | "cwd" | "env">,
  attach: (child: Child) => Attached,
  stopOptions: StopOptions,
): Effect.Effect<{ readonly child: Child; readonly attached: Attached }, string, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<RunningChild<Attached>, string>((resume) => {
      const fail = (cause: unknown) => resume(Effect.fail(cause instanceof Error ? cause.message : String(cause)))
      try {
        const stdio = ["pipe" as const, "pipe" as const, "pipe" as const, ...InheritedDescriptors.replacementStdio()]
        const child = spawn(command, args, { cwd, env, stdio, detached: true })
        InheritedDescriptors.closeReplacements(child)
        child.once("error", fail)
        child.once("spawn", () => resume(Effect.succeed(startChild(child, attach))))
      } catch (cause) {
        // Node throws some errors, for example for arguments that are too long.
        fail(cause)
      }
    }),
    (process) => stop(process, stopOptions),
  )

interface RunningChild<Attached> {
  readonly child: Child
  readonly attached: Attached
  readonly closeInput: () => void
  readonly signal: (name: "SIGTERM" | "SIGKILL") => void
  readonly setReason: (reason: string) => void
  /** Calls `listener` after the process's end, or at once if that has passed. */
  readonly whenEnded: (listener: () => void) => void
}

const startChild = <Attached extends ChildHandlers>(
  process_: ChildProcessWithoutNullStreams,
  attach: (child: Child) => Attached,
): RunningChild<Attached> => {
  // Spawning sets the pid.
  const pid = process_.pid ?? 0
  let hasEnded = false
  let reason: string | undefined
  const listeners = new Set<() => void>()
  // Writing to a process that has just ended breaks the pipe; its exit is reported separately.
  process_.stdin.on("error", () => undefined)
  const signal = (name: "SIGTERM" | "SIGKILL") => {
    if (process_.exitCode !== null || process_.signalCode !== null) return
    try {
      process.kill(-pid, name)
    } catch {
      process_.kill(name)
    }
  }
  const setReason = (why: string) => {
    reason ??= why
  }
  let unsent = ""
  let onSent: Array<() => void> = []
  const flush = () => {
    const sentListeners = onSent
    if (unsent !== "" && process_.stdin.writable) {
      process_.stdin.write(
        unsent,
        sentListeners.length === 0 ? undefined : () => sentListeners.forEach((listener) => listener()),
      )
    }
    unsent = ""
    onSent = []
  }
  const send = (text: string) => {
    // One system call per event-loop turn: system calls are most of a call's cost.
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
    pauseOutput: (ms) => {
      if (process_.exitCode !== null || process_.signalCode !== null) return
      setReading(false)
      pausedUntil = performance.now() + ms
      clearTimeout(resumeTimer)
      resumeTimer = setTimeout(() => setReading(true), ms)
    },
    wasPausedSince: (at) => pausedUntil > at,
    kill: (why) => {
      setReason(why)
      signal("SIGKILL")
    },
  }
  let resumeTimer: NodeJS.Timeout | undefined
  let pausedUntil = Number.NEGATIVE_INFINITY
  const setReading = (isReading: boolean) => {
    for (const output of [process_.stdout, process_.stderr]) {
      if (isReading) output.resume()
      else output.pause()
    }
  }
  const handlers = attach(child)
  const end = (code: number | null, signal: string | null) => {
    if (hasEnded) return
    hasEnded = true
    handlers.onExit({ code, signal, ...defined({ reason }) })
    for (const listener of listeners) listener()
  }
  process_.stdout.on("data", handlers.onStdout)
  process_.stderr.on("data", handlers.onStderr)
  process_.on("exit", (code, signal) => {
    clearTimeout(resumeTimer)
    setReading(true)
    const drainTimer = setTimeout(() => end(code, signal), DRAIN_MS)
    process_.once("close", () => {
      clearTimeout(drainTimer)
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
    setReason,
    whenEnded: (listener) => {
      if (hasEnded) listener()
      else listeners.add(listener)
    },
  }
}

const stop = <A>(
  { child, closeInput, signal, setReason, whenEnded }: RunningChild<A>,
  { lastInput, stopMs }: StopOptions,
) => {
  const ended = Effect.async<boolean>((resume) => {
    const stepTimer = setTimeout(() => resume(Effect.succeed(false)), stopMs)
    whenEnded(() => {
      clearTimeout(stepTimer)
      resume(Effect.succeed(true))
    })
  })
  const step = (act: () => void) => Effect.zipRight(Effect.sync(act), ended)
  const askToStop = step(() => {
    setReason("stopped")
    child.send(lastInput)
    closeInput()
  })
  const terminate = step(() => signal("SIGTERM"))
  const kill = step(() => signal("SIGKILL"))
  const orElse = (first: Effect.Effect<boolean>, second: Effect.Effect<boolean>) =>
    Effect.flatMap(first, (done) => (done ? Effect.succeed(true) : second))
  return orElse(orElse(askToStop, terminate), kill)
}
