/** The command `hindcast acp`: an agent for Zed, JetBrains and other editors, over the Agent Client Protocol. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect, ExecutionStrategy, Exit, Layer, Option, Scope } from "effect"
import * as AgentServer from "../../acp/agent/AgentServer.ts"
import { failed, type Refused, refused } from "../../acp/agent/Refused.ts"
import * as SessionList from "../../acp/agent/SessionList.ts"
import type { Workbench } from "../../acp/agent/Workbench.ts"
import * as Deltas from "../../agents/channel/Deltas.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import { userName } from "../../platform/user/Machine.ts"
import { common, given, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import * as RunCommand from "../task/RunCommand.ts"
import * as RunPlugins from "../task/RunPlugins.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"

const { goal: _goal, scenario: _scenario, ...workOptions } = RunCommand.workOptions

const options = {
  log: common.log,
  ...AgentOption.modelOptions,
  model: text("model", "A language model, as provider/model, such as anthropic/claude-sonnet-4-5"),
  ...workOptions,
}

/** A person in an editor decides without a limit that anybody notices: a week, in milliseconds. */
const CONFIRM_WITHIN_MS = 7 * 24 * 60 * 60 * 1000

export const agent = Command.make("acp", options, ({ log, ...typed }) =>
  Effect.gen(function* () {
    const deltas = Deltas.make()
    const model = yield* AgentOption.modelOf(typed.model, typed.cassette, "live")
    const agent = yield* AgentOption.fromModel(typed, model, { conversation: true, onDelta: deltas.onDelta })
    const scope = yield* Effect.scope
    const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
    let opened: { readonly cwd: string; readonly bench: Workbench } | undefined

    /** Without `--log`, the log of the project. */
    const placeIn = (cwd: string) =>
      OpenLog.placeOf(
        Option.orElse(log, () =>
          process.env.HINDCAST_LOG ? Option.none() : Option.some(path.join(cwd, ".hindcast", "log.db")),
        ),
      )

    const started = (cwd: string): Effect.Effect<Workbench, Refused> =>
      Effect.gen(function* () {
        const { open } = yield* placeIn(cwd)
        const directory = Option.getOrElse(typed.workspace, () => cwd)
        // Nobody reads the standard output but the editor.
        const quiet = { ...typed, json: true, scenario: [] }
        const kernel = yield* AgentAtWork.kernel("acp", open, {
          ...quiet,
          workspace: Option.some(directory),
          onProgress: deltas.onProgress,
          confirmWithinMs: Option.orElseSome(typed.confirmWithinMs, () => CONFIRM_WITHIN_MS),
        })
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const services = yield* Layer.buildWithScope(kernel, own).pipe(
          Effect.tapError((error) => Scope.close(own, Exit.fail(error))),
        )
        const { opening } = yield* Effect.provide(RunPlugins.prepare(quiet), services)
        const { maxSteps, seed, subject, deadlineMs } = typed
        return {
          services,
          agent,
          deltas,
          options: { ...opening, ...given({ maxSteps, seed, subject, deadlineMs }) },
          cwd: path.resolve(directory),
          user: userName(),
        }
      }).pipe(Effect.mapError(failed))

    const open = (cwd: string) =>
      oneAtATime(
        Effect.gen(function* () {
          const real = yield* directoryOf(cwd)
          if (opened !== undefined && opened.cwd !== real && Option.isNone(typed.workspace)) {
            return yield* refused(
              "params",
              `Expected the directory ${opened.cwd}, in which this agent works, found ${real}. Start another agent for it.`,
            )
          }
          opened ??= { cwd: real, bench: yield* started(real) }
          return opened.bench
        }),
      )

    const list = (cwd: string | undefined, cursor: string | undefined) =>
      Effect.gen(function* () {
        const real = yield* directoryOf(cwd ?? opened?.cwd ?? process.cwd())
        if (opened?.cwd === real) {
          return yield* Effect.provide(SessionList.page(real, cursor), opened.bench.services)
        }
        const { open } = yield* placeIn(real)
        if (!ServerUrl.isAddress(open) && !fs.existsSync(open)) return { sessions: [] }
        return yield* Effect.provide(SessionList.page(real, cursor), OpenLog.forEvents(Option.some(open)))
      }).pipe(Effect.mapError(failed))

    const streams = { from: ProtocolStreams.input, to: ProtocolStreams.output }
    yield* UntilEnded.begin
    yield* AgentServer.serve({ streams, title: `Hindcast, ${typed.model}`, open, list })
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Run an agent in Zed, JetBrains and other editors over ACP: the editor shows its answers and changes, and you decide its confirmations there",
  ),
)

const directoryOf = (cwd: string): Effect.Effect<string, Refused> =>
  Effect.try({
    try: () => fs.realpathSync(cwd),
    catch: () => refused("params", `Expected a directory that exists, found ${cwd}.`),
  })
