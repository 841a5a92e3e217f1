/** Records signals, each id once, and holds senders back while too many wait for their tasks. */

import { Deferred, Effect, FiberId, Option } from "effect"
import { firstEvent } from "../events/log/AppendRequest.ts"
import type { EventLog } from "../events/log/EventLog.ts"
import { newId } from "../events/vocabulary/Event.ts"
import * as Digest from "../values/Digest.ts"
import * as Options from "../values/Options.ts"
import { type Listener, streamOf } from "./Listener.ts"
import { EmitOptions, InboxFull, type Received, type ReceiveError, Signal } from "./Signal.ts"

export interface Inbox {
  /**
   * Records a signal; succeeds once it is on the disk. Concurrent and later deliveries of the same id find the first
   * one's record.
   */
  readonly receive: (
    listener: Pick<Listener, "name" | "kind">,
    signal: Signal,
    options?: EmitOptions,
  ) => Effect.Effect<Received, ReceiveError>
  /** Makes room: the signal that this event records has found its task. */
  readonly handled: (eventId: string) => void
  /** The position of the last signal that this process received; 0 before the first. */
  readonly last: () => number
}

/** The id of the event that records a signal: the log takes an id once, in any process and at any time. */
export const eventIdOf = (listener: string, id: string): string => Digest.idOf("signal", listener, id)

/** @param most the number of signals that may wait for their tasks */
export const make = (log: EventLog.Service, most: number): Inbox => {
  const room = roomFor(most)
  /** Deliveries at work, by the ids of their events. */
  const atWork = new Map<string, Deferred.Deferred<void>>()
  /** Signals that hold a place, by the ids of their events: one may find its task before its append returns. */
  const holding = new Set<string>()
  const leave = (eventId: string) => {
    if (holding.delete(eventId)) room.leave()
  }
  let last = 0

  const find = (eventId: string, id: string) =>
    Effect.map(
      log.find(eventId),
      Option.map(({ position }): Received => ({ id, position, duplicate: true })),
    )

  const record = (
    { name, kind }: Pick<Listener, "name" | "kind">,
    { content, source = `${kind}:${name}` }: Signal,
    id: string,
    eventId: string,
  ): Effect.Effect<Received, ReceiveError> => {
    holding.add(eventId)
    return log
      .append({
        stream: streamOf(name),
        actor: `listener:${name}`,
        events: [{ type: "SignalReceived", id: eventId, payload: { listener: name, id, source, content } }],
      })
      .pipe(
        Effect.flatMap(firstEvent),
        Effect.map(({ position }): Received => {
          last = Math.max(last, position)
          return { id, position, duplicate: false }
        }),
        // Another process recorded it between the look and the append.
        Effect.catchTag("IdReused", ({ position }) => {
          leave(eventId)
          return Effect.succeed({ id, position, duplicate: true })
        }),
        Effect.onError(() => Effect.sync(() => leave(eventId))),
      )
  }

  const receive: Inbox["receive"] = (listener, given, options = {}) =>
    Effect.gen(function* () {
      const signal = yield* Options.decode("emitInput", Signal, given)
      const { wait = true } = yield* Options.decode("emitInput", EmitOptions, options)
      const { id = newId() } = signal
      const eventId = eventIdOf(listener.name, id)
      const first = atWork.get(eventId)
      if (first !== undefined) {
        yield* Deferred.await(first)
        return yield* receive(listener, { ...signal, id }, options)
      }
      const done = Deferred.unsafeMake<void>(FiberId.none)
      atWork.set(eventId, done)
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const known = yield* find(eventId, id)
          if (Option.isSome(known)) return known.value
          yield* restore(room.enter(wait, listener.name))
          return yield* record(listener, signal, id, eventId)
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              atWork.delete(eventId)
              Deferred.unsafeDone(done, Effect.void)
            }),
          ),
        ),
      )
    })

  return {
    receive,
    handled: leave,
    last: () => last,
  }
}

/** A number of places, which pass in order from those who leave to those who wait. */
const roomFor = (most: number) => {
  let taken = 0
  const waiting: Array<Deferred.Deferred<void>> = []
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) taken -= 1
    else Deferred.unsafeDone(next, Effect.void)
  }
  const enter = (wait: boolean, listener: string): Effect.Effect<void, InboxFull> =>
    Effect.suspend(() => {
      if (taken < most) {
        taken += 1
        return Effect.void
      }
      if (!wait) return new InboxFull({ listener, waiting: taken })
      const turn = Deferred.unsafeMake<void>(FiberId.none)
      waiting.push(turn)
      return Effect.onInterrupt(Deferred.await(turn), () =>
        Effect.sync(() => {
          const index = waiting.indexOf(turn)
          // Not waiting any more: it got a place, and gives it on.
          if (index < 0) leave()
          else waiting.splice(index, 1)
        }),
      )
    })
  return { enter, leave }
}
