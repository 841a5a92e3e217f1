import { Cause, Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { type Json, plainText } from "../../values/Json.ts"
import type { Child } from "../sandbox/Child.ts"
import type { EventRecorder } from "./EventRecorder.ts"
import type { Misbehaved } from "./Misbehaviour.ts"
import { ANSWER_LIMIT, type EmitFrame, encode, READINGS_IN_FLIGHT } from "./Protocol.ts"

/** Most bytes of the frames of readings that wait to be taken; what comes beyond is left out and counted. */
const WAITING_BYTES = 32 * 1024 * 1024

/** Takes a reading that a sensor pushed. The next one waits until it has; a failure is told to the plugin. */
export type OnEmit = (sensor: string, reading: Json) => Effect.Effect<unknown, unknown>

/** Whose readings are taken, by whom. */
export interface Emitting {
  /** The sensors that the manifest declares. */
  readonly sensors: ReadonlySet<string>
  readonly journal: EventRecorder
  /** Where it is missing, every reading is refused. */
  readonly onEmit: OnEmit | undefined
}

/**
 * Takes the readings that a plugin pushes, one after the other in their order, and answers each when it was taken: a plugin
 * that awaits the answers goes no faster than whoever takes them. At most `READINGS_IN_FLIGHT` wait: the runner keeps to
 * that, and a process that does not is killed. What the runner or the host left out, the log counts.
 */
export const make = ({ sensors, journal, onEmit }: Emitting) => {
  const inOrder = Effect.unsafeMakeSemaphore(1)
  const open = { readings: 0, bytes: 0 }

  const take = (
    { component, value, dropped = 0 }: EmitFrame,
    bytes: number,
    misbehaved: Misbehaved,
  ): Effect.Effect<Failure | undefined> => {
    if (dropped > 0) journal.log("warn", leftOut(dropped))
    if (!sensors.has(component)) {
      // The runner refuses what the entry does not export, and entry and manifest agree.
      const error = undeclared(component)
      misbehaved("UndeclaredSensor", error.message)
      return Effect.succeed(error)
    }
    if (onEmit === undefined) return Effect.succeed(NOBODY)
    if (bytes > ANSWER_LIMIT) return Effect.succeed(tooLarge(bytes))
    if (open.bytes + bytes > WAITING_BYTES) {
      journal.log("warn", leftOut(1))
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

  /** Takes a reading in, which came in a frame of so many bytes. */
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

const leftOut = (count: number) => `${count} pushed readings left out: more came than were taken`

const NOBODY: Failure = { code: "NobodyListens", message: "nothing here takes readings that are pushed" }

const TOO_MANY: Failure = {
  code: "TooManyReadings",
  message: `expected at most ${WAITING_BYTES} bytes of readings to wait: await some before pushing more`,
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
