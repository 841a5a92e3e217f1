import { type Context, Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { closeScope } from "../../platform/closeScope.ts"
import type { Grants } from "../../plugins/manifest/Grants.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import type { PluginHost } from "../../plugins/process/PluginHost.ts"
import type { JudgeOptions, PluginProcess, ProcessLimits } from "../../plugins/process/PluginProcess.ts"
import type { MayStart } from "../../plugins/sandbox/Consent.ts"
import type { Verdict } from "../../plugins/Verdict.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"

/** The functions of one version of a plugin that judge tasks. */
export interface PluginCriticProcesses {
  readonly plugin: string
  readonly version: string
  /** Of the plugin's files. */
  readonly digest: string
  /** How long judging a task may take, in milliseconds, besides what its events take. */
  readonly judgeMs: number
  /** Has a measure's function judge a task. Fails with the reason why it did not, in words. */
  readonly judge: (
    measure: string,
    task: JsonObject,
    options: JudgeOptions,
  ) => Effect.Effect<ReadonlyArray<Verdict>, string>
}

/** What a plugin's functions are run from. */
export interface PluginCriticOptions {
  readonly host: Context.Tag.Service<PluginHost>
  readonly manifest: Manifest
  readonly digest: string
  /** The plugin's copy: an absolute, real path. */
  readonly directory: string
  /** Its Deno cache. */
  readonly denoDir: string
  /** Absolute paths that it must not touch: the log, and what stands beside it. */
  readonly forbidden: ReadonlyArray<string>
  /** Whether it may be started where nothing but Deno's permissions confines it. Default: see `ProcessSpec`. */
  readonly consent?: MayStart
  /** Puts into the log what it logs, and what it does that no sound plugin does. */
  readonly record: (event: CoreNewEvent) => Effect.Effect<unknown, unknown>
  /** Default: 30 000. */
  readonly judgeMs?: number
  readonly limits?: ProcessLimits
}

/**
 * Runs a plugin's functions in one process, which is started when it is first needed and ends with the scope. It has no
 * permission but to read its own directory, whatever the plugin was granted, and the host does nothing for it. One call at
 * a time, so that a call that hangs takes no other with it.
 *
 * That such a process started and ended is not recorded: the registry counts processes of a kernel's, and a kernel that
 * takes over ends those of the one before. This one belongs to whoever scores, and ends with them.
 */
export const make = (options: PluginCriticOptions): Effect.Effect<PluginCriticProcesses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, manifest, digest } = options
    const parent = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)
    const who = `${manifest.name} ${manifest.version}`
    let running: Running | undefined
    let failures = 0
    let lastFailure = ""

    const failed = (reason: string) =>
      Effect.sync(() => {
        failures++
        lastFailure = reason
      })

    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
      const process = yield* Scope.extend(host.start(specOf(options)), scope).pipe(
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
        if (failures >= FAILURES) {
          return yield* Effect.fail(`${who} was given up after ${FAILURES} failures, the last one: ${lastFailure}`)
        }
        const { process } = running ?? (yield* start)
        return yield* process.judge(measure, task, judging).pipe(
          Effect.catchAll((error) => {
            const reason = `${who}: ${plainText(reasonOf(error))}`
            const given = Effect.fail(reason)
            if (error._tag === "CallFailed" || error._tag === "AnswerInvalid") return given
            // One that did not answer in time may still be at it: it is ended, and started anew for the next task.
            return Effect.zipRight(Effect.zipRight(failed(reason), end), given)
          }),
        )
      })

    return {
      ...{ plugin: manifest.name, version: manifest.version, digest, judgeMs: options.judgeMs ?? JUDGE_MS },
      judge: (measure, task, judging) => turn.withPermits(1)(call(measure, task, judging)),
    }
  })

interface Running {
  readonly process: PluginProcess
  readonly scope: Scope.CloseableScope
}

const JUDGE_MS = 30_000

/** So often a process may end, or fail to start or to answer in time, in one scoring. */
const FAILURES = 3

/** What went wrong, for whoever reads a score. */
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

const NO_GRANTS: Grants = { read: [], write: [], net: [], env: [], run: [], runAny: false }

const specOf = ({ manifest, directory, denoDir, forbidden, consent, record, limits }: PluginCriticOptions) => ({
  ...{ manifest, directory, denoDir, forbidden, grants: NO_GRANTS },
  // There is nothing in it for a plugin that may read nothing else.
  workspace: directory,
  seed: SEED,
  instance: INSTANCE,
  metadata: { plugin: manifest.metadata ?? {}, components: {} },
  record: (event: CoreNewEvent) => recordIn(record, event),
  ...(limits === undefined ? {} : { limits }),
  ...(consent === undefined ? {} : { consent }),
})

/** The same for every scoring: the same task has the same verdicts. */
const SEED = 1

const INSTANCE = "critic"

const recordIn = (record: PluginCriticOptions["record"], event: CoreNewEvent): Effect.Effect<unknown, unknown> => {
  switch (event.type) {
    case "PluginLogged":
    case "PluginMisbehaved":
      return record(event)
    case "BrokerRequested":
      // What is not recorded is not done.
      return Effect.fail(new Error("whoever judges a task may ask nothing of the host but the task's events"))
    default:
      return Effect.void
  }
}
