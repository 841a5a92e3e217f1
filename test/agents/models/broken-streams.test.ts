import { gzipSync } from "node:zlib"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { expect } from "vitest"
import type { Fetch } from "../../../src/agents/models/Fetch.ts"
import type { Delta } from "../../../src/agents/models/Model.ts"
import { recordedAnswer, sending } from "./contract.ts"
import { asking, modelAt, server } from "./servers.ts"

it.scopedLive("an interrupted turn of Anthropic has told what it used until then", () =>
  Effect.gen(function* () {
    const { body } = yield* recordedAnswer("anthropic")
    const { url, sent } = yield* sending(body.replace(/"input_tokens":\d+/, '"input_tokens":321'), () => {})
    sent.length = Math.floor(body.length / 2)
    const model = yield* modelAt(url, "anthropic")
    const begun = yield* Deferred.make<Delta>()
    const told: Array<number> = []
    const turn = yield* Effect.fork(
      model.turn(
        asking("prices"),
        (delta) => Deferred.unsafeDone(begun, Effect.succeed(delta)),
        ({ inputTokens }) => told.push(inputTokens),
      ),
    )
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(turn)
    expect(told.at(-1)).toBe(321)
  }),
)

it.scopedLive("an answer is no turn where its compression breaks, long before the server is taken for silent", () =>
  Effect.gen(function* () {
    const packed = gzipSync("data: {}\n\n".repeat(1000)).subarray(0, 30)
    let end = () => {}
    const url = yield* server((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
      response.write(packed)
      end = () => response.end("rubbish")
    })
    // The rest comes once the first bytes were read.
    const fetch: Fetch = async (...asked) => {
      const response = await globalThis.fetch(...asked)
      setImmediate(end)
      return response
    }
    const model = yield* modelAt(url, "anthropic", { fetch })
    const failed = yield* Effect.flip(model.turn(asking("prices"), () => {})).pipe(Effect.timeout("30 seconds"))
    expect(failed).toMatchObject({ kind: "cut-off" })
  }),
)
