/**
 * The command `hindcast hooks serve`, which answers the hooks of coding agents until it is interrupted or idle for
 * long.
 */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as Door from "../../hooks/Door.ts"
import * as HookServer from "../../hooks/HookServer.ts"
import * as HookSettings from "../../hooks/HookSettings.ts"
import * as ServerSocket from "../../hooks/ServerSocket.ts"
import * as Sessions from "../../hooks/Sessions.ts"
import { newToken } from "../../platform/loopback/Access.ts"
import { flag, json, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as Text from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import { attempt } from "./Attempt.ts"

/** Interval of the check for silent sessions, in milliseconds. */
const IDLE_CHECK_MS = 60_000

/**
 * A server that a hook started ends after this time without requests, in milliseconds. The next hook starts another.
 */
const QUIET_MS = 30 * 60 * 1000

export const serve = Command.make(
  "serve",
  {
    log: optionalText("log", "The log. Default: the one that the hooks were installed with"),
    json,
    quiet: flag("quiet", "Print nothing, and end after half an hour without requests. Hooks start it this way"),
  },
  ({ log, json, quiet }) =>
    Effect.gen(function* () {
      const settings = yield* attempt(() => HookSettings.read())
      const file = Option.isSome(log) ? (yield* OpenLog.placeOf(log)).open : settings.log
      const name = ServerUrl.nameOf(file)
      // Read the rules on each request: the user may have accepted others since the server started.
      const gate = async () => Effect.runPromise(HookSettings.gateOf(HookSettings.read()))
      const recordsFiles = async () => HookSettings.read().files !== false
      const token = newToken()
      let heardAt = performance.now()
      const sessions = yield* Effect.acquireRelease(
        attempt(() => Sessions.open({ log: file, gate, recordsFiles })),
        (sessions) => Effect.promise(() => sessions.close().catch(() => {})),
      )
      const onRequest = () => {
        heardAt = performance.now()
      }
      const socket = yield* Effect.acquireRelease(
        attempt(() => ServerSocket.newSocket()),
        (socket) => Effect.sync(() => Door.removeSocket(socket)),
      )
      yield* HookServer.serve({ sessions, token, socket, onRequest })
      const door: Door.Door = { socket, token, pid: process.pid, log: name }
      const other = yield* Effect.acquireRelease(
        attempt(() => Door.open(door)),
        (other) => Effect.sync(() => other === undefined && Door.close(door)),
      )
      if (other !== undefined) {
        // Two hooks started a server at the same time. One is enough.
        if (!quiet) {
          // Do not print the token.
          const { socket, pid, log } = other
          yield* Output.show(json, { socket, pid, log }, () => [
            `Process ${other.pid} already answers hooks, and records to ${other.log}. Nothing was started.`,
          ])
        }
        return
      }
      yield* UntilEnded.begin
      if (json) yield* Output.writeWhole(Text.json({ socket, log: name }))
      else if (!quiet)
        yield* Output.write(`Answering hooks on ${socket}, and recording to ${name}. Press Ctrl-C to stop.`)
      let isOver = false
      while (!isOver) {
        yield* Effect.sleep(IDLE_CHECK_MS)
        yield* Effect.promise(() => sessions.closeIdle())
        isOver = quiet && performance.now() - heardAt > QUIET_MS
      }
    }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Answer the hooks of coding agents: each session is a task, and each call of a tool passes the gate. The hooks start it automatically",
  ),
)
