/**
 * Sends metrics to an OTLP receiver at intervals. If the receiver or the log is away for a while, some are missing: the
 * next ones are as of then.
 */

import { Effect, Either } from "effect"
import type { Metric } from "../../kernel/metrics/Metric.ts"
import { VERSION } from "../../kernel/versions.ts"
import * as Delivery from "./Delivery.ts"

export interface Exporting<E, R> {
  /** The receiver's base address; metrics go to `/v1/metrics` below it. */
  readonly to: URL
  readonly headers: Headers
  readonly service: string
  /** Between two sendings, in milliseconds. */
  readonly everyMs: number
  readonly read: Effect.Effect<ReadonlyArray<Metric>, E, R>
  /** Called with the number of samples that the receiver took. */
  readonly onSent: (samples: number) => void
  /** Called with each reason for a failed sending. */
  readonly onRemark: (remark: string) => void
}

/** Works until interrupted. Fails if the metrics cannot be read at first, or if the log is damaged. */
export const run = <E extends { readonly _tag: string; readonly message: string }, R>({
  to,
  headers,
  service,
  everyMs,
  read,
  onSent,
  onRemark,
}: Exporting<E, R>): Effect.Effect<never, E, R> =>
  Effect.gen(function* () {
    const url = Delivery.addressOf(to, "/v1/metrics")
    const sent = new Headers(headers)
    sent.set("content-type", "application/json")
    let hasRead = false
    while (true) {
      const found = yield* Effect.either(read)
      if (Either.isLeft(found)) {
        const { _tag, message } = found.left
        if (!hasRead || _tag === "LogCorrupt") return yield* Effect.fail(found.left)
        onRemark(`${message} Metrics are read again after ${everyMs / 1000} s`)
        yield* Effect.sleep(everyMs)
        continue
      }
      hasRead = true
      const metrics = found.right
      const body = Buffer.from(JSON.stringify(documentOf(metrics, service, Date.now())))
      const delivered = yield* Effect.promise((ending) =>
        Delivery.attempt({ url, headers: sent, body, ending, keeps: KEPT }),
      )
      if (delivered.kind === "taken") onSent(metrics.reduce((sum, { samples }) => sum + samples.length, 0))
      else onRemark(`${delivered.reason}. Metrics are sent again after ${everyMs / 1000} s`)
      yield* Effect.sleep(everyMs)
    }
  })

/** Bytes of an answer that says why it refuses. */
const KEPT = 1024

/**
 * Metrics as OTLP's JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 *
 * @param now in epoch milliseconds
 */
export const documentOf = (metrics: ReadonlyArray<Metric>, service: string, now: number): object => ({
  resourceMetrics: [
    {
      resource: { attributes: attributesOf({ "service.name": service }) },
      scopeMetrics: [
        {
          scope: { name: "hindcast", version: VERSION },
          metrics: metrics.map(({ name, help, type, samples }) => {
            const dataPoints = samples.map(({ labels, value }) => ({
              attributes: attributesOf(labels),
              timeUnixNano: String(BigInt(now) * 1_000_000n),
              asDouble: value,
            }))
            return {
              name,
              description: help,
              ...(type === "gauge"
                ? { gauge: { dataPoints } }
                : { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }),
            }
          }),
        },
      ],
    },
  ],
})

/** `AGGREGATION_TEMPORALITY_CUMULATIVE` */
const CUMULATIVE = 2

const attributesOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value.toWellFormed() } }))
