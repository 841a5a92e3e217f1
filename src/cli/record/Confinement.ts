/** Runs a replayed program in a network namespace, where the machine allows one. */
import { Effect } from "effect"
import type { AllowedHost } from "../../record/network/AllowedHosts.ts"
import * as Output from "../command/Output.ts"
import * as Program from "./Program.ts"

export interface Confining {
  /** Servers that the program may reach anyway. */
  readonly allowed: ReadonlyArray<AllowedHost>
  /** Whether its servers can be reached from outside of it. */
  readonly isReachable: boolean
  /** Called before the program starts if it keeps its network, with the reason, without a full stop. */
  readonly onOpen: (why: string) => Effect.Effect<void>
}

/** Runs a program to its end. Names servers of the program that could not be reached from outside of it. */
export const start = (
  program: Program.Command,
  { allowed, isReachable, onOpen }: Confining,
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
      if (confined.open !== null) yield* onOpen(confined.open)
      const ended = yield* Program.start(confined.command, running)
      for (const reason of confined.unreachable()) yield* Output.note(reason)
      return yield* Effect.promise(() => confined.ended(ended))
    }),
  )

/** Whether a debugger waits for the program's inspector, which it looks for at once. */
const isDebugged = (program: Program.Command): boolean =>
  [...program, process.env.NODE_OPTIONS ?? ""].some((text) => /(^|\s)--inspect(-\w+)*(=|\s|$)/.test(text)) ||
  process.env.VSCODE_INSPECTOR_OPTIONS !== undefined
