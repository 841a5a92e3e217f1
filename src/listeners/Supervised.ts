/** Keeps a listener running: records its starts and ends, and starts it again with a back-off after failures. */

import { Cause, Deferred, Effect, Exit, Random } from "effect"
import type { AppendError, CoreNewEvent, EventLog } from "../events/log/EventLog.ts"
import * as Supervision from "../kernel/instances/Supervision.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import { defined } from "../values/defined.ts"
import { plainText } from "../values/Json.ts"
import type { HostedContext } from "./http/HostedContext.ts"
import type { HttpHost } from "./http/HttpHost.ts"
import type { Inbox } from "./Inbox.ts"
import { type Listener, streamOf } from "./Listener.ts"
import { patiently } from "./Patience.ts"

export interface Supervising {
  readonly log: EventLog.Service
  readonly inbox: Inbox
  readonly host: HttpHost
  readonly restarts: Supervision.RestartPolicy
}

/** A listener is never given up: it waits at most half a minute between attempts. */
export const restarts: Supervision.RestartPolicy = {
  ...Supervision.standard,
  crashes: Number.MAX_SAFE_INTEGER,
  mostMs: 30_000,
}

/**
 * Runs a listener until it ends by itself or the caller interrupts it.
 *
 * @param begun called when it has started, or has failed for the first time
 */
export const run = (
  { log, inbox, host, restarts }: Supervising,
  listener: Listener,
  begun: (url: string | undefined) => void,
): Effect.Effect<void, AppendError> =>
  Effect.gen(function* () {
    let crashes: ReadonlyArray<Supervision.Crash> = []
    while (true) {
      const ended = yield* Effect.exit(once({ log, inbox, host }, listener, begun))
      if (Exit.isSuccess(ended)) return
      if (Cause.isInterruptedOnly(ended.cause)) return yield* Effect.interrupt
      const reason = whyOf(ended.cause)
      const at = yield* MonotonicClock.now
      crashes = [...crashes.filter((crash) => crash.at > at - restarts.windowMs), { at, jitter: yield* Random.next }]
      const state = Supervision.restartState(crashes, at, restarts)
      const restartInMs = state._tag === "Waiting" ? state.ms : 0
      const payload = { listener: listener.name, reason, restartInMs }
      yield* patiently(`listener ${listener.name}`, record(log, listener, { type: "ListenerFailed", payload }))
      begun(undefined)
      yield* Effect.sleep(restartInMs)
    }
  })

/** The reason of a failure in words. */
const whyOf = (cause: Cause.Cause<unknown>): string => {
  const problem = Cause.squash(cause)
  return plainText(problem instanceof Error ? problem.message : String(problem))
}

/** Runs a listener once, until it ends or fails. */
const once = (
  { log, inbox, host }: Omit<Supervising, "restarts">,
  listener: Listener,
  begun: (url: string | undefined) => void,
): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const over = yield* Deferred.make<string, unknown>()
    let url: string | undefined
    const context: HostedContext = {
      name: listener.name,
      emitInput: (signal, options) => inbox.receive(listener, signal, options),
      fail: (cause) => Deferred.unsafeDone(over, Effect.fail(cause)),
      end: (reason) => Deferred.unsafeDone(over, Effect.succeed(reason)),
      serve: (route) =>
        Effect.tap(host.route(route), (served) => {
          url = served
        }),
    }
    yield* Effect.suspend(() => listener.onStart(context))
    const stopped = Effect.suspend(() => listener.onStop?.() ?? Effect.void)
    yield* Effect.addFinalizer(() =>
      Effect.catchAllCause(stopped, (cause) => ProgramLog.warning(`listener ${listener.name} could not stop`, cause)),
    )
    const { name, kind, address = url } = listener
    yield* record(log, listener, {
      type: "ListenerStarted",
      payload: { listener: name, kind, ...defined({ address }) },
    })
    begun(url)
    const reason = yield* Effect.onInterrupt(Deferred.await(over), () => noted(log, listener, "its host stopped"))
    yield* record(log, listener, { type: "ListenerStopped", payload: { listener: name, reason } })
  }).pipe(Effect.scoped)

const noted = (log: EventLog.Service, listener: Listener, reason: string) =>
  record(log, listener, { type: "ListenerStopped", payload: { listener: listener.name, reason } }).pipe(
    Effect.catchAllCause((cause) => ProgramLog.warning(`the end of listener ${listener.name} was not recorded`, cause)),
  )

const record = (log: EventLog.Service, { name }: Listener, event: CoreNewEvent) =>
  log.append({ stream: streamOf(name), actor: "kernel", events: [event] })
