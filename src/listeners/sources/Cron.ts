/** Listeners that follow a schedule: each time of it is a signal. */

import { Clock, Cron, DateTime, Effect, Either, Schema } from "effect"
import { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { type Listener, type ListenerContext, ListenerName } from "../Listener.ts"
import { patiently } from "../Patience.ts"

/** Options of `cron`. */
export interface CronOptions {
  readonly name: string
  /** Five fields: minute, hour, day of the month, month, day of the week; `0 9 * * 1-5` is each working day at nine. */
  readonly schedule: string
  /** Default: `UTC`. */
  readonly timeZone?: string
  /** The signals' content, in addition to `time`. Default: none. */
  readonly content?: Json
}

/** Schema of `CronOptions`. */
export const CronOptions: Schema.Schema<CronOptions> = Options.checking(
  Options.of<CronOptions>({
    required: { name: ListenerName, schedule: Schema.String },
    optional: { timeZone: Schema.String, content: Json },
  }),
  (value) => {
    if (typeof value !== "object" || value === null) return []
    const [schedule, zone = UTC]: ReadonlyArray<unknown> = [
      Reflect.get(value, "schedule"),
      Reflect.get(value, "timeZone"),
    ]
    if (typeof schedule !== "string" || typeof zone !== "string") return []
    if (DateTime.zoneFromString(zone)._tag === "None") {
      return [{ keys: ["timeZone"], expected: "a time zone such as UTC or Europe/Berlin", found: JSON.stringify(zone) }]
    }
    return isSchedule(schedule)
      ? []
      : [
          {
            keys: ["schedule"],
            expected: "five fields (minute, hour, day, month, weekday) that some day fits, such as 0 9 * * 1-5",
            found: JSON.stringify(schedule),
          },
        ]
  },
)

const UTC = "UTC"

const isSchedule = (schedule: string): boolean => {
  if (schedule.trim().split(/\s+/).length !== 5) return false
  const cron = Cron.parse(schedule, UTC)
  if (Either.isLeft(cron)) return false
  try {
    // It throws for the 30th of February.
    Cron.next(cron.right, new Date(0))
    return true
  } catch {
    return false
  }
}

/** The clock may be set, and a machine sleeps: the longest wait before another look at it, in milliseconds. */
const LOOK_MS = 30_000

/**
 * A listener for a schedule. A signal's id is its time, so that a time counts once, also if the process starts again
 * within it. Times at which no process ran are not made up for. Throws `InvalidOptions`.
 */
export const cron = (input: CronOptions): Listener => {
  const options = Either.getOrThrowWith(Options.decode("Listener.cron", CronOptions, input), (invalid) => invalid)
  const { name, schedule, timeZone = UTC } = options
  return {
    name,
    kind: "cron",
    address: `${schedule} (${timeZone})`,
    onStart: (context) =>
      Effect.gen(function* () {
        const cron = yield* Cron.parse(schedule, timeZone)
        yield* Effect.forkScoped(
          Effect.catchAllCause(following(context, cron, options.content), (cause) =>
            Effect.sync(() => context.fail(cause)),
          ),
        )
      }),
  }
}

const following = (context: ListenerContext, cron: Cron.Cron, content: Json | undefined) =>
  Effect.gen(function* () {
    while (true) {
      const next = Cron.next(cron, new Date(yield* Clock.currentTimeMillis)).getTime()
      for (let now = yield* Clock.currentTimeMillis; now < next; now = yield* Clock.currentTimeMillis) {
        yield* Effect.sleep(Math.min(next - now, LOOK_MS))
      }
      const time = new Date(next).toISOString()
      const signal = { id: time, content: content === undefined ? { time } : { time, content } }
      yield* patiently(`listener ${context.name}`, context.emitInput(signal))
    }
  })
