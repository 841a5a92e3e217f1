/** The program of a worker thread (`platform/threads`): does requested pieces of work, one after another. */

import { parentPort } from "node:worker_threads"
import { Cause, Effect, Exit, Layer, Logger, ManagedRuntime, type Scope } from "effect"
import type { Answer, Asked } from "../../platform/threads/Threads.ts"

type Work = (piece: never) => Effect.Effect<unknown, unknown, Scope.Scope>

/** Each module loads on its first use. */
const WORKS: { readonly [name: string]: () => Promise<Work> } = {
  chain: async () => (await import("../../events/sqlite/integrity/threads/chainRange.ts")).walkRange,
  beats: async () => (await import("../../events/postgres/presence/sending.ts")).keepSending,
  check: async () => (await import("../../events/sqlite/integrity/threads/checkPiece.ts")).runCheck,
}

/** Logs to standard error: the standard output is the program's. */
const runtime = ManagedRuntime.make(
  Layer.mergeAll(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
)

const doPiece = ({ work, piece }: Asked) =>
  Effect.gen(function* () {
    const load = WORKS[work]
    if (load === undefined)
      return yield* Effect.dieMessage(`expected the work ${Object.keys(WORKS).join(", ")}, found ${work}`)
    const found = yield* Effect.promise(load)
    return yield* found(piece as never)
  }).pipe(Effect.scoped)

parentPort?.on("message", async (asked: Asked) => {
  const ended = await runtime.runPromiseExit(doPiece(asked))
  // A defect ends the thread, and its caller learns of it.
  if (Exit.isFailure(ended) && Cause.isDie(ended.cause)) throw Cause.squash(ended.cause)
  const answer: Answer = Exit.isSuccess(ended) ? { id: asked.id, done: { result: ended.value } } : { id: asked.id }
  parentPort?.postMessage(answer)
})
