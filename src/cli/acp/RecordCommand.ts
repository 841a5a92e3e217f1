/** The command `hindcast acp record`, which runs an agent for an editor and records the messages between them. */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { Args, Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as Between from "../../acp/Between.ts"
import * as Recorder from "../../acp/Recorder.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as HookSettings from "../../hooks/HookSettings.ts"
import * as Sessions from "../../hooks/Sessions.ts"
import type { GateConfig } from "../../kernel/gate/Gate.ts"
import { userName } from "../../platform/user/Machine.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, flag, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import * as WhatIsRecorded from "../pages/files/WhatIsRecorded.ts"
import * as Program from "../record/Program.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"

class AcpFailed extends Data.TaggedError("AcpFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** How long an agent may take to end once its editor has gone, in milliseconds. Then it is killed. */
const GRACE_MS = 10_000

/** Without rules, the editor's person decides, without a limit that anybody notices: a week, in milliseconds. */
const PERSON_DECIDES: GateConfig = {
  rules: [{ name: "editor", decision: "confirm" }],
  default: "deny",
  confirmWithinMs: 7 * 24 * 60 * 60 * 1000,
}

export const record = Command.make(
  "record",
  {
    ...common,
    gate: optionalText("gate", "A file of gate rules, which decide before the editor asks its user"),
    noFiles: flag("no-files", "Do not record the files of a session's directory"),
    agent: Args.text({ name: "agent" }).pipe(
      Args.withDescription("The agent's command, after --, such as gemini --acp"),
      Args.repeated,
    ),
  },
  ({ log, gate, noFiles, agent }) =>
    Effect.gen(function* () {
      const [command, ...args] = agent
      if (command === undefined) {
        return yield* new BadInput({
          input: "--",
          expected: "an agent's command, such as -- gemini --acp",
          found: "nothing",
        })
      }
      const rules = Option.isSome(gate) ? (yield* HookSettings.accept(gate.value)).gate : undefined
      const file =
        Option.isSome(log) || process.env.HINDCAST_LOG !== undefined
          ? (yield* OpenLog.placeOf(log)).open
          : HookSettings.defaultLog()
      const sessions = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () =>
            Sessions.open({
              log: file,
              means: "acp",
              gate: async () => rules ?? PERSON_DECIDES,
              recordsFiles: async () => !noFiles,
            }),
          catch: failureOf,
        }),
        (sessions) => Effect.promise(() => sessions.close().catch(() => {})),
      )
      yield* Effect.promise(() => sessions.closeIdle().catch(() => {}))
      if (!noFiles && !ServerUrl.isAddress(file))
        ProtocolStreams.remark(
          `${WhatIsRecorded.sentence("the files of a session's directory", file)} ${WhatIsRecorded.NO_FILES}`,
        )
      let isWhole = true
      const recorder = Recorder.make({
        sessions,
        agent: path.basename(command),
        onFailed: (error) => {
          isWhole = false
          ProtocolStreams.remark(`the session is no longer recorded. ${failureOf(error).message}`)
        },
      })
      const user = userName()
      yield* UntilEnded.begin
      const ended = yield* started(command, args, (child) =>
        Between.run({
          recorder,
          isGated: rules !== undefined,
          user,
          editor: { from: ProtocolStreams.input, to: ProtocolStreams.output },
          agent: { from: child.stdout, to: child.stdin },
        }),
      ).pipe(Effect.ensuring(Effect.promise(() => recorder.end("the connection ended"))))
      const code = Program.exitCodeOf(ended)
      process.exitCode = isWhole || code !== 0 ? code : 1
    }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Run a coding agent for an editor over ACP, and record each session as a task. With --gate, rules decide the agent's permission requests",
  ),
)

const failureOf = (cause: unknown): AcpFailed =>
  new AcpFailed({ reason: cause instanceof Error ? cause.message : String(cause) })

/** Runs the agent, and `between` until the agent has ended. Ending this process ends the agent. */
const started = (
  command: string,
  args: ReadonlyArray<string>,
  between: (child: ReturnType<typeof spawned>) => Promise<void>,
): Effect.Effect<Program.Ended, Program.NotStarted | AcpFailed> =>
  Effect.async((resume) => {
    const child = spawned(command, args)
    let timer: NodeJS.Timeout | undefined
    const end = () => {
      child.kill("SIGTERM")
      timer ??= setTimeout(() => child.kill("SIGKILL"), GRACE_MS)
    }
    const closed = new Promise<Program.Ended>((resolve) => {
      child.on("close", (code, signal) => {
        clearTimeout(timer)
        resolve({ code, signal })
      })
    })
    child.on("error", ({ message }) => resume(new Program.NotStarted({ command, reason: message })))
    // The agent may have ended while a line is written to it; its end is handled as such.
    child.stdin.on("error", () => {})
    ProtocolStreams.output.on("error", end)
    ProtocolStreams.input.once("end", () => {
      timer ??= setTimeout(end, GRACE_MS)
    })
    between(child)
      .then(() => closed)
      .then(
        (ended) => {
          ProtocolStreams.input.destroy()
          resume(Effect.succeed(ended))
        },
        async (cause) => {
          end()
          ProtocolStreams.input.destroy()
          await closed
          resume(failureOf(cause))
        },
      )
    return Effect.promise(() => {
      end()
      return closed
    })
  })

const spawned = (command: string, args: ReadonlyArray<string>) =>
  spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
