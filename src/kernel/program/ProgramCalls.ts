/** Calls a function of the program, with a time-out and interruption, and validates its answer. */

import { inspect } from "node:util"
import { Cause, type Context, Effect, type Exit, Fiber } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { AnswerInvalid, type CallError, CallFailed, CallTimedOut } from "../../plugins/PluginError.ts"
import { ARGS_INVALID } from "../../plugins/process/validatingCalls.ts"
import { type Json, stringified } from "../../values/Json.ts"
import type { ProgramFunction } from "./Program.ts"
import type { KeyedCommand, ToolContext } from "./ProgramFunction.ts"

export interface ProgramCall {
  readonly plugin: string
  /** The call in messages: `act program/lookup`. */
  readonly call: string
  readonly component: ProgramFunction
  readonly args: Json
  readonly command: KeyedCommand
  readonly context: (signal: AbortSignal, idempotencyKey: string) => ToolContext
  readonly services: Context.Context<never>
  readonly timeoutMs: number
}

/**
 * Calls a function in a fiber of its own. A time-out or an interrupt of the caller aborts its signal and interrupts its
 * fiber. The caller waits at most a second for that, so that an endless function holds up nothing; its late answer is
 * dropped.
 */
export const call = (called: ProgramCall): Effect.Effect<Json, CallError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { plugin, call, timeoutMs } = called
      const abort = new AbortController()
      // A daemon: an endless fiber must not keep its parent, and with it the kernel, from ending.
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(answerOf(called, abort.signal)))
      const stop = Effect.suspend(() => {
        abort.abort()
        return Effect.asVoid(Effect.zipRight(Fiber.interruptFork(fiber), endOf(fiber, STOP_MS)))
      })
      const exit = yield* restore(endOf(fiber, timeoutMs)).pipe(Effect.onInterrupt(() => stop))
      if (exit !== undefined) return yield* exit
      yield* stop
      return yield* new CallTimedOut({ plugin, call, afterMs: timeoutMs })
    }),
  )

/** The function that asks a tool how a command ended; undefined without a `settle`. */
export const asking = ({ decode, encode, settle, idempotencyKey }: ProgramFunction): ProgramFunction | undefined =>
  settle === undefined
    ? undefined
    : {
        decode,
        idempotencyKey,
        run: (args, context) => settle(context.commandId, args, context),
        encode: (answer) =>
          isSuccess(answer)
            ? Effect.map(encode(answer.result), (result) => ({ status: answer.status, result }))
            : Effect.succeed(answer),
      }

const isSuccess = (answer: unknown): answer is { readonly status: "succeeded"; readonly result: unknown } =>
  typeof answer === "object" && answer !== null && "result" in answer && Reflect.get(answer, "status") === "succeeded"

/** Milliseconds that the caller waits for an interrupted function to release its resources. */
const STOP_MS = 1_000

/** The exit of a fiber; undefined after the time limit. Uses Node's timers, like all time-outs of plugins. */
const endOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, ms: number): Effect.Effect<Exit.Exit<A, E> | undefined> =>
  Effect.async((resume) => {
    const end = (exit: Exit.Exit<A, E> | undefined) => {
      clearTimeout(timer)
      fiber.removeObserver(end)
      resume(Effect.succeed(exit))
    }
    const timer = setTimeout(() => end(undefined), ms)
    fiber.addObserver(end)
    return Effect.sync(() => {
      clearTimeout(timer)
      fiber.removeObserver(end)
    })
  })

const answerOf = (
  { plugin, call, component, args, command, context, services }: ProgramCall,
  signal: AbortSignal,
): Effect.Effect<Json, CallError> =>
  Effect.gen(function* () {
    const failed = (error: Failure) => new CallFailed({ plugin, call, error })
    const decoded = yield* Effect.mapError(component.decode(args), (message) => failed({ code: ARGS_INVALID, message }))
    const key = yield* Effect.mapError(keyOf(component, decoded, command), (message) =>
      failed({ code: KEY_INVALID, message }),
    )
    const answer = yield* Effect.suspend(() => effectOf(component.run(decoded, context(signal, key)), services)).pipe(
      Effect.catchAllCause((cause) => failed(failureOf(cause))),
    )
    const invalid = (reason: string) => new AnswerInvalid({ plugin, call, reason })
    const encoded = yield* Effect.mapError(component.encode(answer), invalid)
    return yield* Effect.mapError(copied(encoded), invalid)
  })

/** The idempotency key of a call; fails with why the tool made none. */
const keyOf = (
  { idempotencyKey }: ProgramFunction,
  args: unknown,
  command: KeyedCommand,
): Effect.Effect<string, string> =>
  idempotencyKey === undefined
    ? Effect.succeed(command.commandId)
    : Effect.try({
        try: (): unknown => idempotencyKey(args, command),
        catch: (thrown) => failureOf(Cause.fail(thrown)).message,
      }).pipe(
        Effect.flatMap((key) =>
          isText(key) && key.trim() !== ""
            ? Effect.succeed(key)
            : Effect.fail(`expected a text that is not blank, found ${inspect(key)}`),
        ),
      )

/** The code of a command whose tool made no idempotency key; `run` was not called. */
export const KEY_INVALID = "IdempotencyKeyInvalid"

/** Runs the result of a function: an Effect, a promise, or the answer itself. */
const effectOf = (returned: unknown, services: Context.Context<never>): Effect.Effect<unknown, unknown> =>
  Effect.isEffect(returned)
    ? // The layer with the function provides its services.
      Effect.provide(returned as Effect.Effect<unknown, unknown>, services)
    : isThenable(returned)
      ? Effect.tryPromise({ try: () => Promise.resolve(returned), catch: (cause) => cause })
      : Effect.succeed(returned)

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Copies an answer the way `JSON.stringify` writes it. Fails with the reason if it cannot. */
const copied = (answer: unknown): Effect.Effect<Json, string> =>
  Effect.suspend(() => {
    const copy = stringified(answer)
    return "json" in copy ? Effect.succeed(copy.json) : Effect.fail(copy.refused)
  })

/** The error that a function threw, or failed or died with: its `code`, tag or name, and its message. */
export const failureOf = (cause: Cause.Cause<unknown>): Failure => {
  if (Cause.isInterruptedOnly(cause)) return { code: "Interrupted", message: "it interrupted itself" }
  const thrown = Cause.squash(cause)
  try {
    return describe(thrown)
  } catch {
    return { code: "Error", message: "it threw a value that throws when it is read" }
  }
}

const describe = (thrown: unknown): Failure => {
  if (typeof thrown !== "object" || thrown === null) return { code: "Error", message: String(thrown) }
  if (Cause.isUnknownException(thrown)) return describe(thrown.error)
  const { code, _tag, name, message } = thrown as { readonly [field: string]: unknown }
  return {
    code: [code, _tag, name].find(isText) ?? "Error",
    message: isText(message) ? message : inspect(thrown, { depth: 4 }),
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
