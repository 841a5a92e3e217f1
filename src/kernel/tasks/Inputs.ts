/** The inputs of a task: received in the log from any process, and delivered to its agent once. */

import { Effect, Exit, Schema } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import * as Pages from "../../events/read/Pages.ts"
import { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as OneAtATime from "../../platform/OneAtATime.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { InputArrivals } from "./InputArrivals.ts"

/** An input to an agent. */
export interface Input {
  /** Its sender, such as `chat`. */
  readonly source: string
  /** Text, or content parts (`Models.Message.ContentPart`). */
  readonly content: Json
  readonly delivery: InputDelivery
  /** The addressed agent, in a task with several. */
  readonly agentId?: string
  readonly position: number
  readonly event: Event
}

/** Options of `Task.inputs`. */
export interface InputOptions {
  /** Default: all. */
  readonly deliveries?: ReadonlyArray<InputDelivery>
  /** Wait until there is at least one. Default: false. */
  readonly wait?: boolean
  /** In a task with several agents: take only the inputs to this one. */
  readonly agentId?: string
}

/** Schema of `InputOptions`. */
export const InputOptions = Options.of<InputOptions>({
  optional: { deliveries: Schema.Array(InputDelivery), wait: Schema.Boolean, agentId: Options.Text },
})

export const inputOf = (event: Event & { readonly payload: PayloadOf<"InputReceived"> }): Input => {
  const { source, content, delivery = "queued", agentId } = event.payload
  const addressee = agentId === undefined ? {} : { agentId }
  return { source, content, delivery, ...addressee, position: event.position, event }
}

/** Matches an input. Among several agents, the first one that takes an input without an address gets it. */
export const isOf = ({ deliveries, agentId }: InputOptions, input: Input): boolean =>
  (input.agentId === undefined || input.agentId === agentId) &&
  (deliveries === undefined || deliveries.includes(input.delivery))

/** The reason of a task that closes because people ended its conversation. */
export const CONVERSATION_ENDED = "the conversation was ended"

export interface Inputs {
  /** Takes the undelivered inputs, oldest first, and records their delivery. */
  readonly take: (options: InputOptions) => Effect.Effect<ReadonlyArray<Input>, AppendError>
  /** An input waits. */
  readonly has: (options: InputOptions) => Effect.Effect<boolean, LogError>
  /** Completes when an input waits. */
  readonly awaited: (options: InputOptions) => Effect.Effect<void, LogError>
  /**
   * Calls a function once an input waits, and returns a function that ends this. Never calls it while the log cannot be
   * read.
   */
  readonly listen: (options: InputOptions, waits: () => void) => () => void
  /**
   * What `take` answers if it is known, without a read, that there is nothing to take or to wait for; else undefined. An
   * agent that looks again and again lets the event loop run now and then, or no input could ever arrive.
   */
  readonly none: (options: InputOptions) => Effect.Effect<ReadonlyArray<Input>> | undefined
}

export interface InputTask {
  readonly id: string
  /** In a fork, a view of its timeline. */
  readonly log: EventLog.Service
  readonly arrivals: InputArrivals
  readonly recorder: Recorder
  /** A position before all its inputs. Default: 0. */
  readonly after?: number | undefined
}

/**
 * The inputs of a task, including those from before this kernel; in a fork, those received but not delivered before it.
 */
export const make = ({ id, log, arrivals, recorder, after = 0 }: InputTask): Inputs => {
  const stream = `task/${id}`
  const oneAtATime = OneAtATime.make()
  let seen = after
  let undelivered: ReadonlyArray<Input> = []

  const isUpToDate = () => log.mayHave?.({ stream, types: TYPES, after: seen }) === false

  const refresh = Effect.suspend(() => (isUpToDate() ? Effect.void : readOn))

  /** Fast path without a read or a turn: almost always nothing waits. */
  const hasNone = (options: InputOptions) => !undelivered.some((input) => isOf(options, input)) && isUpToDate()

  const readOn = Effect.gen(function* () {
    const glance = yield* log.glance ?? Effect.succeed(undefined)
    const { position: until } = glance?.head ?? (yield* log.head)
    if (until === seen) return
    if (glance?.mayHave({ stream, types: TYPES, after: seen }) === false) {
      seen = until
      return
    }
    const query = { timeline: log.timeline, stream, taskId: id, types: TYPES, after: seen, until }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) undelivered = evolve(undelivered, event)
      seen = page.at(-1)?.position ?? seen
    })
    seen = until
  })

  const waiting = (options: InputOptions) => {
    return Effect.map(refresh, () => undelivered.filter((input) => isOf(options, input)))
  }

  const takeNow = (options: InputOptions): Effect.Effect<ReadonlyArray<Input>, AppendError> =>
    Effect.gen(function* () {
      const taken = yield* waiting(options)
      const last = taken.at(-1)
      if (last === undefined) return []
      const inputs = taken.map(({ position }) => position)
      yield* recorder.record({
        type: "InputDelivered",
        causationId: last.event.id,
        payload: { inputs, ...toAgent(options) },
      })
      undelivered = undelivered.filter((input) => !taken.includes(input))
      return taken
    }).pipe(Effect.uninterruptible, oneAtATime)

  const has = (options: InputOptions) =>
    Effect.suspend(() =>
      hasNone(options) ? Effect.succeed(false) : oneAtATime(Effect.map(waiting(options), ({ length }) => length > 0)),
    )

  const awaited = (options: InputOptions): Effect.Effect<void, LogError> =>
    arrivals.watching(stream, (next) => {
      const found: Effect.Effect<void, LogError> = Effect.flatMap(has(options), (isThere) =>
        isThere ? Effect.void : Effect.zipRight(next, found),
      )
      return found
    })

  const take = (options: InputOptions): Effect.Effect<ReadonlyArray<Input>, AppendError> =>
    Effect.suspend(() => {
      if (hasNone(options)) return options.wait === true ? awaitedAndTaken(options) : Effect.succeed([])
      return Effect.flatMap(takeNow(options), (taken) =>
        taken.length > 0 || options.wait !== true ? Effect.succeed(taken) : awaitedAndTaken(options),
      )
    })

  const awaitedAndTaken = (options: InputOptions) => Effect.zipRight(awaited(options), take(options))

  const listen = (options: InputOptions, waits: () => void) => {
    let isEnded = false
    const look = () => {
      if (isEnded || hasNone(options)) return
      Effect.runCallback(has(options), {
        onExit: (exit) => {
          if (!isEnded && Exit.isSuccess(exit) && exit.value) waits()
        },
      })
    }
    const end = arrivals.listen(stream, look)
    look()
    return () => {
      isEnded = true
      end()
    }
  }

  let looks = 0
  const lookedInVain = Effect.suspend((): Effect.Effect<ReadonlyArray<Input>> => {
    looks += 1
    return looks % LOOKS_AT_ONCE === 0 ? Effect.as(yieldToEventLoop, []) : Effect.succeed([])
  })
  const none = (options: InputOptions) => (options.wait !== true && hasNone(options) ? lookedInVain : undefined)

  return { take, has, awaited, listen, none }
}

/** Looks in vain after which the event loop runs. */
const LOOKS_AT_ONCE = 16

const toAgent = ({ agentId }: InputOptions) => (agentId === undefined ? {} : { agentId })

const TYPES = ["InputReceived", "InputDelivered"]

const evolve = (undelivered: ReadonlyArray<Input>, event: Event): ReadonlyArray<Input> => {
  if (is(event, "InputReceived")) return [...undelivered, inputOf(event)]
  if (!is(event, "InputDelivered")) return undelivered
  const { inputs } = event.payload
  return undelivered.filter(({ position }) => !inputs.includes(position))
}
