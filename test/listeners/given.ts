import { createHmac } from "node:crypto"
import { Effect, Layer, Stream } from "effect"
import type * as Agent from "../../src/agents/Agent.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { testKernel } from "../kernel/testKernel.ts"

/** An agent that takes the signal of its task, and says what it was. */
export const echo: Agent.Agent = {
  name: "echo",
  version: "1",
  advance: (task) =>
    Effect.gen(function* () {
      const inputs = yield* task.inputs()
      for (const { content } of inputs) yield* task.say(JSON.stringify(content))
      yield* task.close("achieved")
      return false
    }),
}

/** A kernel whose tasks stay open at its end. */
export const lasting = (directory?: string, options: Parameters<typeof testKernel>[0] = {}) =>
  Effect.gen(function* () {
    const made = yield* testKernel({
      ...options,
      onOpenTasks: "resume",
      ...(directory === undefined ? {} : { directory }),
    })
    const context = yield* Layer.build(made.layer)
    const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
    return { run, directory: made.directory }
  })

/** The events of some types, oldest first. */
export const eventsOf = (...types: ReadonlyArray<string>) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(Stream.runCollect(log.read({ types })), (found): ReadonlyArray<Event> => [...found]),
  )

/** Waits until so many events of a type are in the log. */
export const until = (type: string, count: number) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow({ types: [type] }).pipe(
      Stream.filter((item) => "id" in item),
      Stream.take(count),
      Stream.runDrain,
    ),
  )

/** Sends a request. */
export const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, answer: text === "" ? undefined : JSON.parse(text), headers: response.headers }
  })

/** The headers of Standard Webhooks, with a right signature. */
export const signed = (key: string, id: string, seconds: number, body: string) => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": `v1,${createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${seconds}.${body}`).digest("base64")}`,
})

/** GitHub's header, with a right signature. */
export const signedByGitHub = (secret: string, body: string) => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
})
