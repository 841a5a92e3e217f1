/** Prints one line for each step of a running task, from a fold over its events. */
import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { oneLine } from "../../values/PlainText.ts"
import { inWords } from "../../values/time/Wait.ts"
import * as Output from "../command/Output.ts"
import type { Style } from "../terminal/Style.ts"
import { at, duration, shorten, value } from "../terminal/Text.ts"

interface Step {
  /** Null for a scenario's command, which is not a step of the agent. */
  readonly number: number | null
  readonly what: string
}

export interface Progress {
  readonly taskId: string | null
  readonly steps: number
  readonly open: ReadonlyMap<string, Step>
  /** The id of the last `ConfirmationExpired` event. */
  readonly expiry: string | null
}

export const none: Progress = { taskId: null, steps: 0, open: new Map(), expiry: null }

/**
 * Applies one event. Returns the line to print, if any: one for each step that ends, and one for each sensor that
 * failed or was skipped.
 */
export const advance = (
  progress: Progress,
  event: Event,
  style: Style,
): readonly [Progress, line: string | undefined] => {
  if (progress.taskId === null) {
    if (is(event, "TimelineForked")) {
      const { timeline, parent, at: shared } = event.payload
      const from = style.dim(`from ${parent}${at(shared)}`)
      return [
        { ...progress, taskId: event.taskId },
        `Timeline ${style.name(timeline)} ${from}, task ${style.name(String(event.taskId))} ${style.dim(at(event.position))}`,
      ]
    }
    if (is(event, "TaskResumed")) {
      return [
        { ...progress, taskId: event.taskId },
        `Task ${style.name(String(event.taskId))} ${style.dim(`continues from ${at(event.payload.at)}`)}`,
      ]
    }
    if (!is(event, "TaskOpened")) return [progress, undefined]
    return [
      { ...progress, taskId: event.taskId },
      `Task ${style.name(String(event.taskId))} ${style.dim(at(event.position))}`,
    ]
  }
  if (event.taskId !== progress.taskId) return [progress, undefined]
  if (is(event, "ActuatorCommanded")) return [startStep(progress, event.payload), undefined]
  if (is(event, "MessageSent")) {
    const number = progress.steps + 1
    return [
      { ...progress, steps: number },
      line(
        style,
        event,
        { number, what: `${whose(event.payload.agentId)}says` },
        shorten(oneLine(event.payload.content), MAX_TEXT_LENGTH),
      ),
    ]
  }
  if (is(event, "SensorFailed")) return [progress, failedLine(style, event, event.payload)]
  if (is(event, "SensorSkipped")) return [progress, skippedLine(style, event, event.payload)]
  if (is(event, "ModelFailed")) return [progress, waitLine(style, event, event.payload)]
  if (is(event, "ConfirmationExpired")) return [{ ...progress, expiry: event.id }, undefined]
  const ended = outcomeOf(style, event, progress.expiry)
  const step = ended === undefined ? undefined : progress.open.get(ended.commandId)
  if (ended === undefined || step === undefined) return [progress, undefined]
  const open = new Map(progress.open)
  open.delete(ended.commandId)
  return [{ ...progress, open }, line(style, event, step, ended.how)]
}

const MAX_TEXT_LENGTH = 100

const startStep = (
  progress: Progress,
  { commandId, actuator, args, agentId, source }: PayloadOf<"ActuatorCommanded">,
): Progress => {
  const isStep = source === undefined
  const steps = isStep ? progress.steps + 1 : progress.steps
  const who = isStep ? whose(agentId) : "scenario: "
  const what = `${who}${oneLine(actuator)} ${value(args)}`
  return { ...progress, steps, open: new Map(progress.open).set(commandId, { number: isStep ? steps : null, what }) }
}

const whose = (agentId: string | undefined): string => (agentId === undefined ? "" : `${agentId}: `)

const line = (style: Style, event: Event, { number, what }: Step, how: string): string =>
  `${style.dim(String(number ?? "").padStart(3))}  ${what}  ${how}  ${style.dim(at(event.position))}`

const failedLine = (style: Style, event: Event, { sensor, error }: PayloadOf<"SensorFailed">): string => {
  const [message = ""] = error.message.split("\n")
  return sensorLine(style, event, sensor, style.bad("failed"), `${error.code}: ${message}`)
}

const skippedLine = (style: Style, event: Event, { sensor, reason }: PayloadOf<"SensorSkipped">): string =>
  sensorLine(style, event, sensor, style.dim("skipped"), reason)

/** The line for a model call that is retried after a wait, or after which another model is asked. */
const waitLine = (style: Style, event: Event, { kind, reason, retryInMs, fallbackTo }: PayloadOf<"ModelFailed">) => {
  if (retryInMs === undefined && fallbackTo === undefined) return undefined
  const why = shorten(oneLine(`${kind}: ${reason}`), MAX_TEXT_LENGTH)
  const next = retryInMs === undefined ? `asks ${oneLine(fallbackTo ?? "")} instead` : `waits ${inWords(retryInMs)}`
  return `     ${next}: ${why}  ${style.dim(at(event.position))}`
}

/** The line for a sensor without a reading. It has no number, because it is not a step of the agent. */
const sensorLine = (style: Style, event: Event, sensor: string, how: string, why: string): string =>
  `     ${oneLine(sensor)}  ${how}: ${shorten(oneLine(why), MAX_TEXT_LENGTH)}  ${style.dim(at(event.position))}`

const outcomeOf = (
  style: Style,
  event: Event,
  expiry: string | null,
): { readonly commandId: string; readonly how: string } | undefined => {
  if (is(event, "CommandSucceeded")) {
    const { commandId, latencyMs, unrecorded, settledBy } = event.payload
    const how =
      settledBy !== undefined ? saidBy(settledBy) : latencyMs === undefined ? "" : ` in ${duration(latencyMs)}`
    const missing = unrecorded === undefined ? "" : `; its result was not recorded: ${unrecorded.reason}`
    return { commandId, how: style.good("succeeded") + shorten(oneLine(how + missing), MAX_TEXT_LENGTH) }
  }
  if (is(event, "CommandFailed")) {
    const { commandId, error, settledBy } = event.payload
    const who = settledBy === undefined ? "" : oneLine(saidBy(settledBy))
    return { commandId, how: `${style.bad("failed")}${who}: ${oneLine(`${error.code}: ${error.message}`)}` }
  }
  if (is(event, "CommandDenied")) {
    const { commandId, reason } = event.payload
    const word = event.causationId !== null && event.causationId === expiry ? "expired" : "denied"
    return { commandId, how: `${style.bad(word)}: ${oneLine(reason)}` }
  }
  return undefined
}

/** Names the plugin that reported the outcome of a command after a crash. */
const saidBy = (settledBy: string): string => `, as ${settledBy} said after a crash`

/** Prints the progress of the first task that is opened, resumed or forked after a position, until it closes. */
export const follow = (after: number, style: Style) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let progress = none
    yield* log.follow({ after }).pipe(
      Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
      Stream.tap((event) => {
        const [next, line] = advance(progress, event, style)
        progress = next
        return line === undefined ? Effect.void : Output.write(line)
      }),
      Stream.takeUntil((event) => is(event, "TaskClosed") && event.taskId === progress.taskId),
      Stream.runDrain,
    )
  })
