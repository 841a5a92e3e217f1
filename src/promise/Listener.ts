/** Listeners whose functions return promises. */

import { Effect, Exit, Runtime } from "effect"
import type * as Listeners from "../listeners/Listener.ts"
import type { EmitOptions, Received, Signal } from "../listeners/Signal.ts"
import type { Signal as AbortedSignal } from "../plugins/author.ts"
import { problemOf } from "./Calls.ts"

/** The services that a running listener uses. */
export interface ListenerContext extends Pick<Listeners.ListenerContext, "name" | "fail" | "end"> {
  /**
   * Records a signal, and resolves once it is on the disk: only then may the listener acknowledge it. Waits while too many
   * signals wait for their tasks; with `wait: false`, rejects with `InboxFull` instead.
   */
  readonly emitInput: (signal: Signal, options?: EmitOptions) => Promise<Received>
  /** Aborts when the listener stops. */
  readonly signal: AbortedSignal
}

/** Options of `defineListener`. */
export interface ListenerOptions {
  readonly name: string
  /** Starts and resolves. A rejection restarts the listener after a back-off, as `context.fail` does later. */
  readonly onStart: (context: ListenerContext) => void | PromiseLike<void>
  /** Closes connections and releases resources. */
  readonly onStop?: () => void | PromiseLike<void>
}

/**
 * Defines a listener of the program.
 *
 * ```ts
 * defineListener({
 *   name: "queue",
 *   onStart: ({ emitInput, signal }) => {
 *     consume({ signal, onMessage: async ({ id, body }) => void (await emitInput({ id, content: body })) })
 *   },
 * })
 * ```
 */
export const defineListener = (options: ListenerOptions): Listeners.Listener => ({
  name: options.name,
  kind: "program",
  onStart: (context) =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime<never>()
      const abort = new AbortController()
      yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))
      const emitInput: ListenerContext["emitInput"] = async (signal, emit) => {
        const exit = await Runtime.runPromiseExit(runtime)(context.emitInput(signal, emit))
        if (Exit.isSuccess(exit)) return exit.value
        throw problemOf(exit.cause)
      }
      const { name, fail, end } = context
      yield* Effect.tryPromise({
        try: async () => options.onStart({ name, fail, end, emitInput, signal: abort.signal }),
        catch: (cause) => cause,
      })
    }),
  onStop: () => Effect.tryPromise({ try: async () => options.onStop?.(), catch: (cause) => cause }),
})
