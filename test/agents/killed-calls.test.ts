import type * as http from "node:http"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { program } from "../built.ts"
import { CONSENT } from "../kernel/given.ts"
import * as Killable from "../killable.ts"
import { temporaryDirectory } from "../temporary.ts"
import { eventsOf } from "./given.ts"
import { gatewayFor } from "./models/pluginSubject.ts"
import { KEY, server } from "./models/servers.ts"

const PROGRAM = program(import.meta.url, "asking")

const answer = (response: http.ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const chunk = { choices: [{ index: 0, delta: { content: "Done." }, finish_reason: "stop" }] }
  const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } }
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`)
}

/**
 * Kills a kernel once its server, which is silent until then, has so many requests; the next kernel resumes the task.
 * Returns the events, and those of a replay.
 */
const killedAfter = (requests: number, hedge?: { readonly afterMs: number }) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const asked = yield* Deferred.make<void>()
    let [count, isSilent] = [0, true]
    const url = yield* server((_request, response) => {
      if (!isSilent) return answer(response)
      if (++count === requests) Deferred.unsafeDone(asked, Effect.void)
    })
    const { directory: plugin, grants } = yield* gatewayFor(url)
    const input = JSON.stringify({ directory, plugin, grants, hedge })
    const env = { ...process.env, GATEWAY_API_KEY: KEY }
    const first = yield* Killable.start([PROGRAM], { input, env })
    const ended = yield* Killable.killedAt(first, Deferred.await(asked))
    expect(ended.stderr).toBe("")
    expect(ended.signal).toBe("SIGKILL")
    isSilent = false
    const second = yield* Killable.start([PROGRAM], { input, env })
    expect(yield* second.ended).toMatchObject({ code: 0, stderr: "" })
    const layer = Hindcast.layer({ log: path.join(directory, "log.db"), workspace: directory, host: CONSENT })
    const agent = fromModel({ name: "asker", model: "gateway/small", retries: 0 })
    return yield* Effect.gen(function* () {
      const events = yield* eventsOf("t")
      const report = yield* Effect.flatMap(Kernel, ({ replay }) => replay("t", agent))
      return { events, report }
    }).pipe(Effect.provide(layer))
  })

const types = (events: ReadonlyArray<Event>, ...wanted: ReadonlyArray<string>) =>
  events.flatMap(({ type }) => (wanted.includes(type) ? [type] : []))

describe("a kernel that is killed while it asks a model", () => {
  it.scopedLive("of a plugin asks again when the task is resumed, and a replay follows", () =>
    Effect.gen(function* () {
      const { events, report } = yield* killedAfter(1)
      expect(types(events, "ModelCalled", "ModelResponded", "TaskResumed", "TaskClosed")).toEqual([
        ...["ModelCalled", "TaskResumed", "ModelCalled", "ModelResponded", "TaskClosed"],
      ])
      expect(events.find(({ type }) => type === "TaskClosed")?.payload).toMatchObject({ outcome: "achieved" })
      expect(report).toMatchObject({ verdict: "identical", complete: true, divergence: null })
    }),
  )

  it.scopedLive("twice for one answer asks again, and a replay follows", () =>
    Effect.gen(function* () {
      const { events, report } = yield* killedAfter(2, { afterMs: 50 })
      const before = events.slice(
        0,
        events.findIndex(({ type }) => type === "TaskResumed"),
      )
      expect(types(before, "ModelCalled", "ModelResponded", "ModelFailed")).toEqual(["ModelCalled", "ModelCalled"])
      expect(events.filter(({ type }) => type === "ModelResponded")).toHaveLength(1)
      expect(events.find(({ type }) => type === "TaskClosed")?.payload).toMatchObject({ outcome: "achieved" })
      expect(report).toMatchObject({ verdict: "identical", complete: true, divergence: null })
    }),
  )
})
