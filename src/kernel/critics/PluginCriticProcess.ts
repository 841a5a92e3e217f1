/** Runs the judging functions of a plugin in a sandboxed process without grants. */

import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { closeScope } from "../../platform/closeScope.ts"
import { NO_GRANTS } from "../../plugins/manifest/Grants.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import type { PluginVerdict } from "../../plugins/PluginVerdict.ts"
import type { PluginHost } from "../../plugins/process/PluginHost.ts"
import type { JudgeOptions, PluginProcess } from "../../plugins/process/PluginProcess.ts"
import type { ProcessLimits } from "../../plugins/process/ProcessSpec.ts"
import type { MayStart } from "../../plugins/sandbox/Consent.ts"
import { defined } from "../../values/defined.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"

export interface PluginCriticProcesses {
  readonly plugin: string
  readonly version: string
  readonly digest: string
  /** Time limit of a task, in milliseconds, before the time added per event. */
  readonly judgeMs: number
  /** Lets a measure's function judge a task. Fails with the reason, in words. */
  readonly judge: (
    measure: string,
    task: JsonObject,
    options: JudgeOptions,
  ) => Effect.Effect<ReadonlyArray<PluginVerdict>, string>
}

export interface PluginCriticOptions {
  readonly host: PluginHost.Service
  readonly manifest: Manifest
  readonly digest: string
  /** The plugin's copy: an absolute path without symbolic links. */
  readonly directory: string
  readonly denoDir: string
  /** Absolute paths that it must not touch: the log and the files next to it. */
  readonly forbidden: ReadonlyArray<string>
  /** Whether it may start where only Deno's permissions confine it. Default: see `ProcessSpec`. */
  readonly consent?: MayStart
  /**
   * Appends `PrecomputeStarted`, `PluginLogged` and `PluginMisbehaved` events to the log.
   *
   * @param judged the current or last task, which the plugin's log lines may be about
   */
  readonly record: (event: CoreNewEvent, judged: string | undefined) => Effect.Effect<unknown, unknown>
  /** Default: 30 000. */
  readonly judgeMs?: number
  readonly limits?: ProcessLimits
}

/**
 * Runs a plugin's functions in one process, from the first call to the scope's end. Whatever its grants, the process
 * may only read its own directory, and host requests are refused. Calls run one at a time, so that a hanging call
 * affects no other.
 *
 * Start and exit are not recorded: the registry counts only a kernel's processes, and a kernel that takes over would
 * end this one, which belongs to the program that scores.
 */
export const make = (options: PluginCriticOptions): Effect.Effect<PluginCriticProcesses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, manifest, digest } = options
    const parent = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)
    const who = `${manifest.name} ${manifest.version}`
    let running: RunningProcess | undefined
    let failures = 0
    let lastFailure = ""
    let judged: string | undefined

    const failed = (reason: string) =>
      Effect.sync(() => {
        failures++
        lastFailure = reason
      })

    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
      const process = yield* Scope.extend(host.start(specOf(options, () => judged)), scope).pipe(
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : closeScope(scope, exit))),
        Effect.mapError(({ message }) => plainText(message)),
        Effect.tapError(failed),
      )
      running = { process, scope }
      return running
    })

    const end = Effect.suspend(() => {
      const ended = running
      running = undefined
      return ended === undefined ? Effect.void : closeScope(ended.scope, Exit.void)
    })

    const call = (measure: string, task: JsonObject, judging: JudgeOptions) =>
      Effect.gen(function* () {
        if (failures >= MAX_FAILURES) {
          return yield* Effect.fail(`${who} was given up after ${MAX_FAILURES} failures, the last one: ${lastFailure}`)
        }
        judged = typeof task.id === "string" ? task.id : undefined
        const { process } = running ?? (yield* start)
        return yield* process.judge(measure, task, judging).pipe(
          Effect.catchAll((error) => {
            const reason = `${who}: ${plainText(reasonOf(error))}`
            const failure = Effect.fail(reason)
            if (error._tag === "CallFailed" || error._tag === "AnswerInvalid") return failure
            // A call that timed out may still be running, so the process stops and starts again for the next task.
            return Effect.zipRight(Effect.zipRight(failed(reason), end), failure)
          }),
        )
      })

    return {
      plugin: manifest.name,
      version: manifest.version,
      digest,
      judgeMs: options.judgeMs ?? JUDGE_MS,
      judge: (measure, task, judging) => turn.withPermits(1)(call(measure, task, judging)),
    }
  })

interface RunningProcess {
  readonly process: PluginProcess
  readonly scope: Scope.CloseableScope
}

const JUDGE_MS = 30_000

/** Exits, failed starts and time-outs after which a scoring gives a plugin up. */
const MAX_FAILURES = 3

const reasonOf = (error: CallError): string => {
  switch (error._tag) {
    case "CallFailed":
      return `${error.call} threw ${error.error.code}: ${error.error.message}`
    case "AnswerInvalid":
      return `${error.call} gave no valid answer: ${error.reason}`
    case "CallTimedOut":
      return `${error.call} took more than ${error.afterMs} ms`
    case "PluginStuck":
      return `its process was stuck in ${error.call} and was killed: ${error.reason}`
    case "PluginExited": {
      const how = error.signal === null ? `with code ${error.code}` : `by ${error.signal}`
      return `its process ended ${how} in ${error.call}${error.reason === undefined ? "" : `: ${error.reason}`}`
    }
  }
}

const specOf = (
  { manifest, directory, denoDir, forbidden, consent, record, limits }: PluginCriticOptions,
  judged: () => string | undefined,
) => ({
  manifest,
  directory,
  denoDir,
  forbidden,
  grants: NO_GRANTS,
  workspace: directory,
  seed: SEED,
  instance: INSTANCE,
  metadata: { plugin: manifest.metadata ?? {}, components: {} },
  record: (event: CoreNewEvent) => recordIn((event) => record(event, judged()), event),
  ...defined({ limits, consent }),
})

/** A constant, so that the same task always has the same verdicts. */
const SEED = 1

const INSTANCE = "critic"

const recordIn = (
  record: (event: CoreNewEvent) => Effect.Effect<unknown, unknown>,
  event: CoreNewEvent,
): Effect.Effect<unknown, unknown> => {
  switch (event.type) {
    // A precomputation that the host refuses does not run.
    case "PrecomputeStarted":
    case "PluginLogged":
    case "PluginMisbehaved":
      return record(event)
    case "BrokerRequested":
      // A failed record refuses the host request.
      return Effect.fail(new Error("a plugin that judges may request only its task's events from the host"))
    default:
      return Effect.void
  }
}
