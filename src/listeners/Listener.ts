/** Listeners: named sources of signals, which start, bring signals in and stop. */

import { Effect, Schema, type Scope } from "effect"
import * as Options from "../values/Options.ts"
import type { EmitOptions, Received, ReceiveError, Signal } from "./Signal.ts"

/** The services that a running listener uses. */
export interface ListenerContext {
  /** The listener's name. */
  readonly name: string
  /**
   * Records a signal and succeeds once it is on the disk: only then may the listener acknowledge it to the sender. A
   * signal whose id the log has is a repetition, and succeeds without a second record. Waits while too many signals
   * wait for their tasks (back-pressure); with `wait: false`, fails with `InboxFull` instead.
   */
  readonly emitInput: (signal: Signal, options?: EmitOptions) => Effect.Effect<Received, ReceiveError>
  /** Reports that the listener broke after its start. It starts again after a back-off. */
  readonly fail: (cause: unknown) => void
  /** Reports that no further signal will come, such as at the end of the standard input. */
  readonly end: (reason: string) => void
}

/** A listener. `Listener.serve` starts it, restarts it after failures, and stops it. */
export interface Listener {
  /** Unique among the listeners of a log: ids of signals count within it. */
  readonly name: string
  /** `webhook`, `websocket`, `lines`, `files`, `cron`, `plugin`, or `program`. */
  readonly kind: string
  /** Its place, for people: a directory or a schedule. */
  readonly address?: string
  /** Whether it takes a path of the host's port. */
  readonly usesPort?: boolean
  /**
   * Starts and returns; background work belongs in the scope, which closes when the listener stops. A failure restarts
   * the listener after a back-off.
   */
  readonly onStart: (context: ListenerContext) => Effect.Effect<void, unknown, Scope.Scope>
  /** Closes connections and releases resources, before the scope closes. */
  readonly onStop?: () => Effect.Effect<void, unknown>
}

/** Options of `define`. */
export interface ListenerOptions {
  /** Unique among the listeners of a log. */
  readonly name: string
  /** Starts and returns, as the `onStart` of `Listener`. */
  readonly onStart: Listener["onStart"]
  /** Releases resources, as the `onStop` of `Listener`. */
  readonly onStop?: NonNullable<Listener["onStop"]>
}

/**
 * Defines a listener of the program.
 *
 * ```ts
 * Listener.define({
 *   name: "queue",
 *   onStart: ({ emitInput }) =>
 *     messages.pipe(
 *       Stream.runForEach(({ id, body, ack }) => Effect.zipRight(emitInput({ id, content: body }), ack)),
 *       Effect.forkScoped,
 *     ),
 * })
 * ```
 */
export const define = (options: ListenerOptions): Listener => ({
  name: options.name,
  kind: "program",
  // Called on the options, which may be an instance of a class.
  onStart: (context) => options.onStart(context),
  onStop: () => options.onStop?.() ?? Effect.void,
})

/** In characters. */
const MAX_NAME = 60

/** A listener's name: part of a stream's name, of tasks' ids and of paths. */
export const ListenerName: Schema.Schema<string> = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9._-]*$/),
  Schema.maxLength(MAX_NAME),
  Schema.annotations({
    description: `a name of lower-case letters, digits, ".", "_" and "-", at most ${MAX_NAME} long`,
  }),
)

const isName = Schema.is(ListenerName)

/** Schema of `Listener`, which keeps the listener itself: it may be an instance of a class. */
export const Listener: Schema.Schema<Listener> = Options.kind<Listener>(
  `a listener, as \`Listener.define\` or \`Listener.webhook\` makes it, with a name of lower-case letters, digits, ".", "_" and "-", at most ${MAX_NAME} long`,
  (value) =>
    Options.has("name", "kind", "onStart")(value) &&
    isName(Reflect.get(value as object, "name")) &&
    typeof Reflect.get(value as object, "onStart") === "function",
)

/** The stream of a listener's events. */
export const streamOf = (name: string): string => `listener/${name}`
