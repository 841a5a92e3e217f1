/** The option `--timeline`, and the function that gives a command that timeline's view of the log. */
import { Effect, Option } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { optionalText } from "./CommonOptions.ts"

export const timeline = optionalText("timeline", "The timeline. Default: main")

/** The end of a message: "in this log", or "on the timeline" that was typed. */
export const where = (timeline: Option.Option<string>): string =>
  Option.match(timeline, { onNone: () => "in this log", onSome: (name) => `on the timeline ${name}` })

/**
 * Provides the `EventLog` and `Projector` of one timeline: reads return its history and no events of other timelines.
 */
export const provide =
  (timeline: Option.Option<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* (): Effect.fn.Return<A, E | Timelines.TimelineNotFound | LogError, R | EventLog | Projector> {
      if (Option.isNone(timeline)) return yield* effect
      const log = yield* EventLog
      const view = Timelines.view(log, yield* Timelines.named(log, timeline.value))
      const projector = yield* (yield* Projector).on(timeline.value)
      return yield* effect.pipe(Effect.provideService(EventLog, view), Effect.provideService(Projector, projector))
    })
