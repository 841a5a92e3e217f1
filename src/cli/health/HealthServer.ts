/** Answers probes of orchestrators and scrapes of Prometheus. It shows numbers only: no name, no text and no event of the log. */
import { Context, Effect, Layer, type Option } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as LogMetrics from "../../kernel/metrics/LogMetrics.ts"
import * as Metric from "../../kernel/metrics/Metric.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import * as Messages from "../../platform/loopback/Messages.ts"
import { refusal, shown } from "../../platform/loopback/Refusal.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as HealthOption from "./HealthOption.ts"

/** Time for an answer about the log, in milliseconds. Probes of Kubernetes wait a second unless told otherwise. */
const LOG_WITHIN_MS = 2_000

/** Why the process is not ready, besides its log. */
export interface NotReady {
  readonly reason: string
}

interface Serving {
  /** The log whose metrics to answer, and which must answer for the process to be ready. */
  readonly log: Option.Option<string>
  /** Whether the process itself takes work now. Default: it does. */
  readonly ready?: Effect.Effect<void, NotReady | LogError, Needs>
}

type Needs = Layer.Layer.Success<ReturnType<typeof OpenLog.forReading>>

/**
 * Serves on the typed address until the scope closes; does nothing without one. The log exists by now.
 *
 * - `/healthz`: 200 while the process answers at all, and 503 once only another start helps: the server has lost events
 *   that this process had read, so that its log does not answer until it is opened again.
 * - `/readyz`: 200 while its log answers within two seconds and it takes work, otherwise 503 with the reason.
 * - `/metrics`: the log's metrics, and how far this process is behind its head.
 */
export const serve = (typed: Option.Option<string>, { log, ready = Effect.void }: Serving) =>
  Effect.gen(function* () {
    const address = yield* HealthOption.parsed(typed)
    if (address === undefined) return
    const services = yield* Layer.build(OpenLog.forReading(log))
    const opened = Context.get(services, EventLog)
    const heard = follow(opened)
    yield* Effect.addFinalizer(() => Effect.sync(heard.end))
    const metrics = Effect.gen(function* () {
      const all = yield* LogMetrics.read
      const { position } = yield* opened.head
      return [...all, LogMetrics.gauge("follower_lag_events", LAG, heard.lag(position))]
    })
    yield* answer(address, {
      ready: Effect.provide(Effect.zipRight(opened.head, ready), services),
      metrics: Effect.provide(metrics, services),
    })
  })

/** Like `serve`, for a process with several logs, which has no metrics of one. */
export const serveWithoutLog = (typed: Option.Option<string>, ready: Effect.Effect<void, NotReady | LogError>) =>
  Effect.flatMap(HealthOption.parsed(typed), (address) =>
    address === undefined ? Effect.void : answer(address, { ready, metrics: undefined }),
  )

const LAG = "Events that this process has not heard of yet."

interface Probes {
  readonly ready: Effect.Effect<unknown, NotReady | LogError>
  readonly metrics: Effect.Effect<ReadonlyArray<Metric.Metric>, LogError> | undefined
}

const answer = (address: HealthOption.Address, { ready, metrics }: Probes) =>
  Effect.gen(function* () {
    let said = ""
    let mustStartAgain = false
    // Its message names the server and the user: it is for the process's own log, and once is enough there.
    const reasonOf = (error: NotReady | LogError) => {
      if (!("_tag" in error)) return Effect.succeed(error.reason)
      mustStartAgain ||= error._tag === "LogCorrupt"
      const isNews = error.message !== said
      said = error.message
      const warned = isNews ? ProgramLog.warning("not ready: the log does not answer", error) : Effect.void
      return Effect.as(warned, `the log does not answer (${error._tag})`)
    }
    const isReady = ready.pipe(
      Effect.timeoutFail({
        duration: LOG_WITHIN_MS,
        onTimeout: (): NotReady => ({ reason: "the log does not answer" }),
      }),
      Effect.catchAll((error) => Effect.flatMap(reasonOf(error), Effect.fail)),
    )
    const scraped = metrics?.pipe(
      Effect.timeoutFail({
        duration: METRICS_WITHIN_MS,
        onTimeout: () => refusal(503, "LogSilent", "an answer of the log", "none"),
      }),
    )
    const port = yield* LoopbackServer.serve({
      ...address,
      name: "the health server",
      token: undefined,
      statusOf: () => 503,
      answer: ({ request, response, path }) =>
        Effect.gen(function* () {
          if (request.method !== "GET" && request.method !== "HEAD")
            return yield* Effect.fail(refusal(405, "WrongMethod", "GET", shown(request.method ?? "")))
          if (path === "/healthz") {
            return yield* mustStartAgain
              ? Messages.answer(response, 503, { ok: false, reason: "the log has to be opened again" })
              : Messages.answer(response, 200, { ok: true })
          }
          if (path === "/readyz") {
            const found = yield* Effect.either(isReady)
            return yield* found._tag === "Right"
              ? Messages.answer(response, 200, { ready: true })
              : Messages.answer(response, 503, { ready: false, reason: found.left })
          }
          if (path !== "/metrics" || scraped === undefined)
            return yield* Effect.fail(refusal(404, "UnknownPath", expectedOf(scraped !== undefined), shown(path)))
          const text = Metric.prometheus(yield* scraped)
          yield* Effect.sync(() => response.writeHead(200, { "content-type": Metric.PROMETHEUS_TYPE }).end(text))
        }),
    })
    const host = address.host.includes(":") ? `[${address.host}]` : address.host
    yield* Output.note(`Health on http://${host}:${port}`)
  })

const expectedOf = (hasMetrics: boolean): string =>
  hasMetrics ? "/healthz, /readyz or /metrics" : "/healthz or /readyz. `hindcast metrics --log` has a log's numbers"

/** The first scrape folds the log. Prometheus waits ten seconds by default. In milliseconds. */
const METRICS_WITHIN_MS = 9_000

/** Hears of commits as all readers of this process do. */
const follow = (log: EventLog.Service) => {
  let heard: number | undefined
  const end = log.onCommit((events) => {
    const last = events?.at(-1)?.position
    // Without events, the process must read, and then knows the head.
    heard = last === undefined ? undefined : Math.max(heard ?? 0, last)
  })
  return {
    end,
    lag: (head: number): number => {
      heard ??= head
      return Math.max(0, head - heard)
    },
  }
}
