/** The runs that a connection records or replays, by number. Each has a proxy for the client's requests to models. */
import { Data, Effect, ExecutionStrategy, Exit, Option, Scope } from "effect"
import * as Secrets from "../../agents/models/secrets/Secrets.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as LiveRun from "../../record/LiveRun.ts"
import * as CallsOfRun from "../../record/proxy/CallsOfRun.ts"
import type { Environment } from "../../record/proxy/Families.ts"
import type { RecordOptions } from "../../record/RecordOptions.ts"
import * as ReplayedRun from "../../record/replay/ReplayedRun.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ProxiedProgram from "../record/ProxiedProgram.ts"

/** Begin the run first (`run.record` or `run.replay`). */
export class NoSuchRun extends Data.TaggedError("NoSuchRun")<{ readonly run: number }> {
  override get message() {
    return `Expected the number of an open run, found ${this.run}, which has ended or never began. Begin one with run.record.`
  }
}

/** The options of a run in addition to `RecordOptions`. */
export interface Recording extends Omit<RecordOptions, "log" | "fetch"> {
  /** Default: as for all commands. */
  readonly log?: string
  /** A directory whose files to record: an absolute path. Default: none. */
  readonly workspace?: string
  /** The client's environment: where its requests would go, and the keys to keep out of the log. */
  readonly env: Environment
}

export interface Replaying {
  readonly log?: string
  readonly task: string
  readonly env: Environment
}

export interface OpenedRun {
  readonly task: string
  /** Variables for the client's environment, by which its requests reach the proxy. */
  readonly variables: { readonly [name: string]: string }
  readonly calls: CallsOfRun.CallsOfRun
}

export interface OpenedRuns {
  readonly record: (recording: Recording) => Effect.Effect<OpenedRun & { readonly number: number }, unknown>
  readonly replay: (replaying: Replaying) => Effect.Effect<OpenedRun & { readonly number: number }, unknown>
  readonly find: (number: number) => Effect.Effect<OpenedRun, NoSuchRun>
  /** Closes the run's task. Fails with `Diverged` or `NothingReplayed` if a replay differs from the recording. */
  readonly end: (number: number, outcome: TaskOutcome, reason?: string) => Effect.Effect<void, unknown>
}

/** How a run ends, once. */
type Ending = (outcome: TaskOutcome, reason?: string) => Promise<void>

interface Begun {
  readonly task: string
  readonly calls: CallsOfRun.CallsOfRun
  readonly variables: OpenedRun["variables"]
  readonly end: Ending
}

const ABANDONED = "its program ended without ending the run"

export const make: Effect.Effect<OpenedRuns, never, Scope.Scope> = Effect.gen(function* () {
  const session = yield* Effect.scope
  const opened = new Map<number, OpenedRun & { readonly end: Ending; readonly scope: Scope.CloseableScope }>()
  let last = 0

  const open = <E>(beginning: Effect.Effect<Begun, E, Scope.Scope>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(session, ExecutionStrategy.sequential)
        const { task, calls, variables, end } = yield* restore(Scope.extend(beginning, scope)).pipe(
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
        )
        const number = ++last
        const one = { task, variables, calls }
        opened.set(number, { ...one, end, scope })
        return { ...one, number }
      }),
    )

  return {
    record: (recording) => open(recorded(recording)),
    replay: (replaying) => open(replayed(replaying)),
    find: (number) => {
      const found = opened.get(number)
      return found === undefined ? new NoSuchRun({ run: number }) : Effect.succeed(found)
    },
    end: (number, outcome, reason) =>
      Effect.suspend((): Effect.Effect<void, unknown> => {
        const found = opened.get(number)
        if (found === undefined) return new NoSuchRun({ run: number })
        opened.delete(number)
        return Effect.ensuring(
          ProxiedProgram.attempt(() => found.end(outcome, reason)),
          Scope.close(found.scope, Exit.void),
        )
      }),
  }
})

const recorded = ({ log, workspace, env, secrets = [], ...options }: Recording) =>
  Effect.gen(function* () {
    const { proxying, forwarding } = yield* ProxiedProgram.parts()
    const routes = yield* ProxiedProgram.attempt(async () => proxying.routes(env))
    let unrecorded: ReadonlyMap<string, number> = new Map()
    const unseen = () => [...unrecorded].map(([target, count]) => ({ what: "an upgrade", target, count }))
    const place = yield* OpenLog.placeOf(Option.fromNullable(log))
    if (workspace !== undefined) yield* OpenLog.keepingFiles(place, "workspace")
    const run = yield* ProxiedProgram.attempt(() =>
      LiveRun.begin(
        { ...options, log: place.open, secrets: [...secrets, ...keysOf(env)] },
        () => {},
        { means: "proxy", addresses: proxying.namedSafely(routes) },
        { unseen, workspace },
      ),
    )
    const ending = once(run.end)
    yield* Effect.addFinalizer(() => Effect.promise(() => ending("abandoned", ABANDONED).catch(() => {})))
    const calls = CallsOfRun.make(run)
    const parts = { routes, forwarding, env, exchange: run.exchange }
    const proxy = yield* ProxiedProgram.opened(proxying.recording(parts, { calls }))
    unrecorded = proxy.unrecorded
    return { task: run.taskId, calls, variables: proxy.variables, end: ending } satisfies Begun
  })

/** The client's environment may have keys that this process's has not. */
const keysOf = (env: Environment): ReadonlyArray<string> =>
  Secrets.keysOfEnvironment(env).filter((key) => key.length >= Secrets.SHORTEST_SECRET && key.isWellFormed())

const replayed = ({ log, task, env }: Replaying) =>
  Effect.gen(function* () {
    const { proxying } = yield* ProxiedProgram.parts()
    const typed = Option.fromNullable(log)
    const found = Effect.gen(function* () {
      const taskId = yield* Ids.task(task)
      return { taskId, recorder: yield* ProxiedProgram.recorderOf(taskId) }
    })
    const { taskId, recorder } = yield* Effect.provide(found, OpenLog.forPast(typed))
    const { open } = yield* OpenLog.placeToLookAt(typed)
    const { run, close } = yield* ProxiedProgram.attempt(() => ReplayedRun.begin({ log: open, taskId }))
    const routes = yield* ProxiedProgram.attempt(async () =>
      proxying.routes(proxying.withAddresses(env, recorder?.addresses ?? {})),
    )
    const calls = CallsOfRun.make(run)
    const proxy = yield* ProxiedProgram.opened(proxying.answering({ routes, env, fetch: run.fetch }, { calls }))
    const end = once(async (outcome, reason) => {
      const wrong = await close(outcome, reason)
      if (wrong !== undefined) throw wrong
    })
    return { task: run.taskId, calls, variables: proxy.variables, end } satisfies Begun
  })

/** The first end counts: the finalizer may find the run ended. */
const once = (end: Ending): Ending => {
  let ended: Promise<void> | undefined
  return (outcome, reason) => {
    ended ??= end(outcome, reason)
    return ended
  }
}
