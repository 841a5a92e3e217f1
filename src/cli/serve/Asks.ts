/**
 * Questions of a kernel to its client, whose agent, tools and sensors run in the client's process. The client takes one
 * after another, and answers each by its number.
 */
import { Deferred, Effect, Queue } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"

/** The function that the client has to call. */
export type Wanted =
  | { readonly decide: JsonObject }
  | { readonly tool: string; readonly args: Json; readonly command: string; readonly task: string }
  | { readonly sensor: string; readonly task: string }

/** A question with its number. */
export type Ask = Wanted & { readonly ask: number }

/** How the client's function ended. */
export type Reply = { readonly result: Json } | { readonly failed: ClientError }

export interface ClientError {
  readonly name: string
  readonly message: string
}

export interface Asks {
  /** Asks, and waits for the answer. Fails with an error that has the name of the client's. */
  readonly ask: (wanted: Wanted) => Effect.Effect<Json, Error>
  /** Waits for the next question that somebody still waits for. */
  readonly next: Effect.Effect<Ask>
  /** False if nobody waits for the answer any more. */
  readonly answer: (number: number, reply: Reply) => Effect.Effect<boolean>
}

export const make: Effect.Effect<Asks> = Effect.gen(function* () {
  const asked = yield* Queue.unbounded<Ask>()
  const waiting = new Map<number, Deferred.Deferred<Json, Error>>()
  let last = 0
  const next: Effect.Effect<Ask> = Effect.flatMap(Queue.take(asked), (ask) =>
    waiting.has(ask.ask) ? Effect.succeed(ask) : next,
  )
  return {
    ask: (wanted) =>
      Effect.suspend(() => {
        const number = ++last
        return Deferred.make<Json, Error>().pipe(
          Effect.tap((answer) => Effect.sync(() => waiting.set(number, answer))),
          Effect.tap(() => Queue.offer(asked, { ...wanted, ask: number })),
          Effect.flatMap(Deferred.await),
          Effect.ensuring(Effect.sync(() => waiting.delete(number))),
        )
      }),
    next,
    answer: (number, reply) =>
      Effect.suspend(() => {
        const answer = waiting.get(number)
        if (answer === undefined) return Effect.succeed(false)
        return "failed" in reply ? Deferred.fail(answer, errorOf(reply.failed)) : Deferred.succeed(answer, reply.result)
      }),
  }
})

const errorOf = ({ name, message }: ClientError): Error => Object.assign(new Error(message), { name })
