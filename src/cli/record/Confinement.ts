/** Runs a replayed program in a network namespace, where the machine allows one. */
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { Effect } from "effect"
import * as AllowedHosts from "../../record/network/AllowedHosts.ts"
import * as NetworkAttempt from "../../record/network/NetworkAttempt.ts"
import type { Sought } from "../../record/process/LoopbackOnly.ts"
import * as PythonAttempts from "../../record/process/PythonAttempts.ts"
import * as Output from "../command/Output.ts"
import { count } from "../terminal/Text.ts"
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
      const exactly = yield* Effect.promise(() => confined.ended(ended))
      const hooked = NetworkAttempt.read(seen).filter(({ target }) => !isServed(target, confined.served))
      const sought = yield* Effect.promise(confined.sought)
      const told = [...hooked, ...unhooked(sought.calls ?? [], hooked)]
      const lookups = sought.names.filter((name) => !told.some(({ target }) => hostOf(target).toLowerCase() === name))
      for (const attempt of [...told, ...lookups.map(lookup)])
        fs.appendFileSync(attempts, `${JSON.stringify(attempt)}\n`)
      for (const reason of confined.unreachable()) yield* Output.note(reason)
      const unnamed = unnamedOf(sought, told)
      if (unnamed > 0) yield* Output.note(refused(unnamed, sought))
      return exactly
    }),
  )

/** A lookup that reached the namespace's own resolver, from a program in any language. */
const lookup = (target: string): NetworkAttempt.NetworkAttempt => ({
  means: "name lookup",
  target,
  at: null,
  stack: "",
})

/** Attempts that only system calls show. A hook also reports calls, with the program's own stack. */
const unhooked = (
  calls: ReadonlyArray<NetworkAttempt.NetworkAttempt>,
  hooked: ReadonlyArray<NetworkAttempt.NetworkAttempt>,
): ReadonlyArray<NetworkAttempt.NetworkAttempt> => {
  const known = new Set(hooked.map(({ target }) => target))
  return calls.filter(({ target }) => !known.has(target))
}

/** Attempts to reach an address that nothing reported. Where lookups have no route either, none can be told apart. */
const unnamedOf = ({ refused, hasNames }: Sought, told: ReadonlyArray<NetworkAttempt.NetworkAttempt>): number => {
  if (!hasNames) return told.length === 0 ? refused : 0
  const direct = told.filter(({ target }) => net.isIP(hostOf(target)) !== 0 && !AllowedHosts.isLoopback(hostOf(target)))
  return Math.max(0, refused - direct.length)
}

const refused = (attempts: number, { calls }: Sought): string => {
  const found = `The network namespace refused ${count(attempts, "attempt")} to reach an address outside of it.`
  return calls === undefined
    ? `${found} Which address cannot be said: only programs in Node and Python report it, and all others if strace is on the PATH.`
    : `${found} They sent nothing: each only connected a datagram socket, as a program does that looks for its own address.`
}

/** A program may try until its server listens. */
const isServed = (target: string, served: ReadonlySet<number>): boolean => {
  const [, port = ""] = /:(\d+)$/.exec(target) ?? []
  return AllowedHosts.isLoopback(hostOf(target)) && served.has(Number(port))
}

const hostOf = (target: string): string => {
  const [, host = target] = /^\[?(.*?)\]?:\d+$/.exec(target) ?? []
  return host
}

/** Whether a debugger waits for the program's inspector, which it looks for at once. */
const isDebugged = (program: Program.Command): boolean =>
  [...program, process.env.NODE_OPTIONS ?? ""].some((text) => /(^|\s)--inspect(-\w+)*(=|\s|$)/.test(text)) ||
  process.env.VSCODE_INSPECTOR_OPTIONS !== undefined
