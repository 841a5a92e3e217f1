import * as http from "node:http"
import { it } from "@effect/vitest"
import { Data, Deferred, Effect, Either, Fiber } from "effect"
import { describe, expect } from "vitest"
import * as MetricsExport from "../../src/telemetry/sending/MetricsExport.ts"

class Away extends Data.TaggedError("LogUnavailable")<{ readonly message: string }> {}
class Damaged extends Data.TaggedError("LogCorrupt")<{ readonly message: string }> {}

const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = http.createServer((request, response) => request.resume().on("end", () => response.end("{}")))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (typeof address !== "object" || address === null) throw new Error("expected an address")
    return { server, to: new URL(`http://127.0.0.1:${address.port}`) }
  }),
  ({ server }) => Effect.sync(() => server.close()),
)

/** Reads in turn: a value, or a failure. The last one repeats. */
const exporting = (reads: ReadonlyArray<Effect.Effect<[], Away | Damaged>>) =>
  Effect.gen(function* () {
    const { to } = yield* receiver
    const twice = yield* Deferred.make<void>()
    const remarks: Array<string> = []
    let [read, sent] = [0, 0]
    const fiber = yield* Effect.forkScoped(
      MetricsExport.run({
        ...{ to, headers: new Headers(), service: "hindcast", everyMs: 1 },
        read: Effect.suspend(() => reads[Math.min(read++, reads.length - 1)] ?? Effect.succeed<[]>([])),
        onSent: () => {
          sent += 1
          if (sent === 2) Deferred.unsafeDone(twice, Effect.void)
        },
        onRemark: (remark) => remarks.push(remark),
      }),
    )
    return { fiber, twice, remarks }
  })

const away = new Away({ message: "the log cannot be read." })

describe("an export of metrics", () => {
  it.scopedLive("goes on after the log was away", () =>
    Effect.gen(function* () {
      const { twice, remarks } = yield* exporting([Effect.succeed<[]>([]), away, Effect.succeed<[]>([])])
      yield* Deferred.await(twice)
      expect(remarks).toEqual(["the log cannot be read. Metrics are read again after 0.001 s"])
    }),
  )

  it.scopedLive("ends if it cannot read the log at first, or finds it damaged", () =>
    Effect.gen(function* () {
      const damaged = new Damaged({ message: "the log is damaged." })
      for (const reads of [[away], [Effect.succeed<[]>([]), damaged]]) {
        const { fiber } = yield* exporting(reads)
        expect(Either.isLeft(yield* Effect.either(Fiber.join(fiber)))).toBe(true)
      }
    }),
  )
})
