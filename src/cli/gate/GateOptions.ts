/** Options of the commands `hindcast gate …`, and the walk through the commands of a log that they share. */
import { Clock, Effect, Option, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as MomentOf from "../../events/read/Moment.ts"
import * as TimeSearch from "../../events/read/TimeSearch.ts"
import type { GateConfig } from "../../kernel/gate/Gate.ts"
import * as GatePattern from "../../kernel/gate/GatePattern.ts"
import * as GateTrial from "../../kernel/gate/GateTrial.ts"
import { iso } from "../../values/Time.ts"
import { NothingListed } from "../command/BadInput.ts"
import { MOMENT, optionalText, repeatedText, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"

export const options = {
  since: optionalText("since", `Only commands after this: 30d, 12h, 45m, or ${MOMENT}`),
  until: optionalText("until", `Only commands up to this: ${MOMENT}. Default: now`),
  task: repeatedText("task", `Only commands of this task. ${TASK}`),
  actuator: repeatedText("actuator", "Only commands of this actuator, a pattern: claude-code/*"),
}

interface Chosen {
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly task: ReadonlyArray<string>
  readonly actuator: ReadonlyArray<string>
}

export interface Tried {
  readonly commands: ReadonlyArray<GateTrial.TriedCommand>
  readonly tasks: number
  /** The positions that were searched: after `after`, up to `until`. */
  readonly after: number
  readonly until: number
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

const sinceOf = (text: string) =>
  Effect.gen(function* () {
    const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
    const ms = UNITS[unit]
    if (amount === undefined || ms === undefined) return yield* MomentOf.resolve(text)
    const from = iso((yield* Clock.currentTimeMillis) - Number(amount) * ms)
    // A time before now needs no words on how it was read.
    return yield* Effect.locally(MomentOf.resolve(from), TimeSearch.onFound, () => Effect.void)
  })

/** Tries a gate on the chosen commands of the log. Fails if there are none: nothing was tried. */
export const tried = (gate: GateConfig, { since, until, task, actuator }: Chosen) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const after = Option.isNone(since) ? 0 : yield* sinceOf(since.value)
    const last = Option.isNone(until) ? (yield* log.head).position : yield* MomentOf.resolve(until.value)
    const tasks = new Set(yield* Effect.forEach(task, (text) => Ids.task(text)))
    const trial = GateTrial.make(
      gate,
      (event) =>
        event.position > after &&
        event.position <= last &&
        (tasks.size === 0 || tasks.has(event.taskId ?? "")) &&
        (actuator.length === 0 ||
          actuator.some((pattern) => GatePattern.matches(pattern, String(event.payload.actuator)))),
    )
    // Decisions may follow after `until`, and plugins were imported before `since`.
    yield* Stream.runForEach(log.read({ types: [...GateTrial.types] }), (event) => Effect.sync(() => trial.take(event)))
    const commands = trial.commands()
    if (commands.length === 0) {
      const found = `none between @${after} and @${last}`
      return yield* new NothingListed({ expected: "a recorded command to try the rules on", found })
    }
    const result: Tried = { commands, tasks: new Set(commands.map(({ taskId }) => taskId)).size, after, until: last }
    return result
  })
