/** Takes a plugin's pushed readings in order, within limits. */
import { Cause, Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { type Json, plainText } from "../../values/Json.ts"
import type { Child } from "../sandbox/Child.ts"
import type { EventRecorder } from "./EventRecorder.ts"
import type { Misbehaved } from "./Misbehaviour.ts"
import { ANSWER_LIMIT, type EmitFrame, encode, READINGS_IN_FLIGHT } from "./Protocol.ts"

/** Maximum total size of waiting readings' frames, in bytes. Further ones are dropped and counted. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024

/** Takes a pushed reading. The next one waits until the effect completes. The plugin gets a failure. */
export type OnEmit = (sensor: string, reading: Json) => Effect.Effect<unknown, unknown>

/** The declared sensors, and the taker of their readings. */
export interface PushedReadingsInput {
  /** As the manifest declares them. */
  readonly sensors: ReadonlySet<string>
  readonly recorder: EventRecorder
  /** Without it, every reading is refused. */
  readonly onEmit: OnEmit | undefined
}

/**
 * Returns a function that takes one process's readings one by one and answers each when it is taken, so that a plugin
 * that awaits the answers keeps to their pace. At most `READINGS_IN_FLIGHT` readings wait: the runner keeps this limit,
 * and a process that exceeds it is killed. The log gets the number of dropped readings.
 */
export const make = ({ sensors, recorder, onEmit }: PushedReadingsInput) => {
  const inOrder = Effect.unsafeMakeSemaphore(1)
  const open = { readings: 0, bytes: 0 }

  const take = (
    { component, value, dropped = 0 }: EmitFrame,
    bytes: number,
    misbehaved: Misbehaved,
  ): Effect.Effect<Failure | undefined> => {
    if (dropped > 0) recorder.log("warn", droppedMessage(dropped))
    if (!sensors.has(component)) {
      // A violation: the runner refuses sensors that the entry does not export, and exports equal the manifest's
      // declarations.
      const error = undeclared(component)
      misbehaved("UndeclaredSensor", error.message)
      return Effect.succeed(error)
    }
    if (onEmit === undefined) return Effect.succeed(NO_LISTENER)
    if (bytes > ANSWER_LIMIT) return Effect.succeed(tooLarge(bytes))
    if (open.bytes + bytes > MAX_WAITING_BYTES) {
      recorder.log("warn", droppedMessage(1))
      return Effect.succeed(TOO_MANY)
    }
    open.bytes += bytes
    return Effect.suspend(() => onEmit(component, value)).pipe(
      Effect.as(undefined),
      Effect.catchAllCause((cause) => Effect.succeed(notTaken(cause))),
      inOrder.withPermits(1),
      Effect.ensuring(
        Effect.sync(() => {
          open.bytes -= bytes
        }),
      ),
    )
  }

  /** Takes a reading; `bytes` is the size of its frame. */
  return (frame: EmitFrame, bytes: number, child: Child, misbehaved: Misbehaved): Effect.Effect<void> => {
    if (open.readings >= READINGS_IN_FLIGHT) {
      return Effect.sync(() =>
        misbehaved("UnawaitedReadings", `it pushed more than ${READINGS_IN_FLIGHT} readings without awaiting any`),
      )
    }
    open.readings++
    return Effect.map(take(frame, bytes, misbehaved), (error) => {
      open.readings--
      child.send(encode({ type: "answer", id: frame.id, ...(error === undefined ? { value: null } : { error }) }))
    })
  }
}

const droppedMessage = (count: number) => `${count} pushed readings left out: more came than were taken`

const NO_LISTENER: Failure = { code: "NobodyListens", message: "nothing here takes readings that are pushed" }

const TOO_MANY: Failure = {
  code: "TooManyReadings",
  message: `expected at most ${MAX_WAITING_BYTES} bytes of readings to wait: await some before pushing more`,
}

const undeclared = (sensor: string): Failure => ({
  code: "NoSuchComponent",
  message: plainText(`expected a sensor that the manifest declares, found ${sensor}`),
})

const tooLarge = (bytes: number): Failure => ({
  code: "ReadingTooLarge",
  message: `expected a reading of at most ${ANSWER_LIMIT} bytes, found ${bytes}`,
})

const notTaken = (cause: Cause.Cause<unknown>): Failure => {
  const error = Cause.squash(cause)
  return { code: "NotTaken", message: plainText(error instanceof Error ? error.message : String(error)) }
}
