/**
 * Expands a `StepsRecorded` into events; the only reader of the compact form. Reads of the log return these events
 * before the `StepsRecorded`, so every fold, audit, scoring, view and export sees each step as a command, its outcome,
 * its changes, its rewards and its readings, as a kernel records them one by one.
 *
 * Their positions are between the previous event's and the `StepsRecorded`'s own (see `StepPosition`). Their ids name
 * the event that contains them. Times, stream, version and hash are those of that event.
 */

import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { CoreNewEvent } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"
import { core, type PayloadOf } from "../vocabulary/Vocabulary.ts"
import * as ReturnEvents from "./ReturnEvents.ts"
import { decode, type Step } from "./StepColumns.ts"
import * as StepPosition from "./StepPosition.ts"
import { scoreSetOf } from "./WorldReturn.ts"

export { COMPACT } from "./StepPosition.ts"

/** The types of events that a `StepsRecorded` can stand for. */
export const TYPES: ReadonlySet<string> = new Set([
  "EnvironmentReset",
  "ScoringStarted",
  "SensorRead",
  "ActuatorCommanded",
  "CommandAllowed",
  "CommandDispatched",
  "CommandSucceeded",
  "CommandFailed",
  "EnvironmentChanged",
  "RewardGiven",
  "PunishmentGiven",
  "ScoringFinished",
])

/** Narrows an event to the compact form. */
export const isCompact = (
  event: Event,
): event is Event & {
  readonly type: typeof StepPosition.COMPACT
  readonly payload: PayloadOf<typeof StepPosition.COMPACT>
} => event.type === StepPosition.COMPACT

/**
 * The expanded events, in order, without the event itself. Empty if its personal fields cannot be read: then its steps
 * are unknown. Throws an error with the reason if its columns are damaged or no recorder writes them.
 */
export const expand = (event: Event): ReadonlyArray<Event> => {
  if (!isCompact(event) || event.taskId === null || event.personal?.readable === false) return []
  const { payload } = event
  const writer = new Writer(event, event.taskId)
  if (payload.begin !== undefined) writer.begin(payload.begin)
  const steps = decode(payload)
  for (const [index, step] of steps.entries()) writer.step(index, step)
  if (payload.totals !== undefined) writer.finish(payload.totals)
  return writer.events
}

/** Writes the events that a compact event stands for, in order. */
export class Writer {
  readonly events: Array<Event> = []
  readonly #event: Event
  readonly #taskId: string
  readonly #payload: PayloadOf<typeof StepPosition.COMPACT>
  readonly #actuator: string
  readonly #digests = new Map<string, string>()
  /** The event before the first step, or the step. */
  #place: number = StepPosition.BEGIN
  #within = 0
  #causationId: string | null

  constructor(event: Event & { readonly payload: PayloadOf<typeof StepPosition.COMPACT> }, taskId: string) {
    this.#event = event
    this.#taskId = taskId
    this.#payload = event.payload
    this.#actuator = `${event.payload.plugin}/step`
    this.#causationId = event.causationId
  }

  begin({
    seed,
    options,
    state,
    readings,
    continued,
  }: NonNullable<PayloadOf<typeof StepPosition.COMPACT>["begin"]>): void {
    const { plugin } = this.#payload
    const reset = this.#add("EnvironmentReset", {
      plugin,
      seed,
      options,
      state,
      ...(continued === true ? { continued } : {}),
    })
    this.#addAll([ReturnEvents.started(this.#taskId, reset.position)])
    this.#read(readings, 1)
  }

  step(index: number, { action, result, error, patch, readings }: Step): void {
    const { plugin, first, rule } = this.#payload
    this.#place = index
    this.#within = 0
    this.#causationId = this.#event.causationId
    const number = first + index
    const commandId = `${this.#taskId}/${number}`
    const args = { action }
    const commanded = this.#add("ActuatorCommanded", {
      commandId,
      actuator: this.#actuator,
      args,
      argsDigest: this.#digestOf(args),
      priority: 0,
    })
    this.#causationId = commanded.id
    this.#causationId = this.#add("CommandAllowed", { commandId, rule }).id
    this.#causationId = this.#add("CommandDispatched", { commandId }).id
    const { latencyMs } = this.#payload
    const ended = { ...(error === undefined ? { result } : { error }), ...defined({ latencyMs }) }
    this.#causationId = this.#add(error === undefined ? "CommandSucceeded" : "CommandFailed", {
      commandId,
      ...ended,
    }).id
    if (patch.length > 0) this.#add("EnvironmentChanged", { plugin, patch: patch as unknown as Json })
    const taken = { taskId: this.#taskId, plugin, because: [commanded.position] }
    this.#addAll(ReturnEvents.given(taken, rewardsIn(result)))
    this.#causationId = this.#event.causationId
    this.#read(readings, number + 2)
  }

  /**
   * The changes of the document that steps up to this one make together, and its readings, at the places of this step's
   * own.
   */
  together(index: number, patch: Step["patch"], readings: JsonObject): void {
    const { plugin, first } = this.#payload
    this.#place = index
    this.#within = CHANGED
    this.#causationId = this.#event.causationId
    if (patch.length > 0) this.#add("EnvironmentChanged", { plugin, patch: patch as unknown as Json })
    this.#read(readings, first + index + 2)
  }

  finish(totals: JsonObject): void {
    this.#addAll([{ type: "ScoringFinished", payload: { scoreSetId: scoreSetOf(this.#taskId), totals } }])
  }

  #read(readings: JsonObject, perception: number): void {
    const { plugin, latencyMs, priorities } = this.#payload
    for (const [sensor, reading] of Object.entries(readings)) {
      const priority = SafeRecord.get(priorities, sensor) ?? 0
      this.#add("SensorRead", {
        sensor: `${plugin}/${sensor}`,
        reading,
        priority,
        perception,
        ...defined({ latencyMs }),
      })
    }
  }

  #digestOf(args: JsonObject): string {
    const text = JSON.stringify(args)
    const known = this.#digests.get(text)
    if (known !== undefined) return known
    const found = digest(args)
    this.#digests.set(text, found)
    return found
  }

  #addAll(events: ReadonlyArray<CoreNewEvent>): void {
    for (const { type, payload } of events) this.#add(type, payload as JsonObject)
  }

  #add(type: string, payload: JsonObject): Event {
    const { position, id } = this.#event
    const within = this.#within++
    const event: Event = {
      ...this.#event,
      position: StepPosition.positionOf(position, this.#place, within),
      id: StepPosition.idOf(id, this.#place, within),
      type,
      schemaVersion: core.types.get(type)?.version ?? 1,
      causationId: this.#causationId,
      payload,
    }
    this.events.push(event)
    return event
  }
}

/** The events of a step before its change: its command, the gate's word, the dispatch and the outcome. */
const CHANGED = 4

/** Finite numbers by name; a recorder writes no others. */
const rewardsIn = ({ rewards }: JsonObject): { readonly [name: string]: number } =>
  typeof rewards === "object" && rewards !== null && !Array.isArray(rewards)
    ? Object.fromEntries(
        Object.entries(rewards).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
      )
    : {}
