/** Runs a replayed program in a network namespace, where the machine allows one. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as AllowedHosts from "../../record/network/AllowedHosts.ts"
import * as NetworkAttempt from "../../record/network/NetworkAttempt.ts"
import * as PythonAttempts from "../../record/process/PythonAttempts.ts"
import * as Output from "../command/Output.ts"
import * as Program from "./Program.ts"

export interface Confining {
  /** Servers that the program may reach anyway. */
  readonly allowed: ReadonlyArray<AllowedHosts.AllowedHost>
  /** Whether its servers can be reached from outside of it. */
  readonly isReachable: boolean
  /** The file for attempts to reach the network, one `NetworkAttempt` a line. */
  readonly attempts: string
  /** Called before the program starts if it keeps its network, with the reason, without a full stop. */
  readonly onOpen: (why: string) => Effect.Effect<void>
}

/** Runs a program to its end. Names servers of the program that could not be reached from outside of it. */
export const start = (
  program: Program.Command,
  { allowed, isReachable, attempts, onOpen }: Confining,
  running: Program.Running,
): Effect.Effect<Program.Ended, Program.NotStarted> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (isDebugged(program)) {
        yield* onOpen("a debugger has to reach it")
        return yield* Program.start(program, running)
      }
      const confining = async () => {
        const { confine } = await import("../../record/process/LoopbackOnly.ts")
        return confine(program, allowed, { isReachable })
      }
      const confined = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: confining,
          catch: (error) => new Program.NotStarted({ command: program[0], reason: String(error) }),
        }),
        ({ close }) => Effect.promise(close),
      )
      if (confined.open !== null) {
        yield* onOpen(confined.open)
        return yield* Program.start(program, running)
      }
      const directory = yield* Program.temporaryDirectory
      const seen = path.join(directory, "attempts.jsonl")
      const env = { ...running.env, ...PythonAttempts.install(directory, seen, { ...process.env, ...running.env }) }
      const ended = yield* Program.start(confined.command, { ...running, env })
      const tried = NetworkAttempt.read(seen).filter(({ target }) => !isServed(target, confined.served))
      for (const attempt of tried) fs.appendFileSync(attempts, `${JSON.stringify(attempt)}\n`)
      for (const reason of confined.unreachable()) yield* Output.note(reason)
      return yield* Effect.promise(() => confined.ended(ended))
    }),
  )

/** A program may try until its server listens. */
const isServed = (target: string, served: ReadonlySet<number>): boolean => {
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(target) ?? []
  return AllowedHosts.isLoopback(host) && served.has(Number(port))
}

/** Whether a debugger waits for the program's inspector, which it looks for at once. */
const isDebugged = (program: Program.Command): boolean =>
  [...program, process.env.NODE_OPTIONS ?? ""].some((text) => /(^|\s)--inspect(-\w+)*(=|\s|$)/.test(text)) ||
  process.env.VSCODE_INSPECTOR_OPTIONS !== undefined
