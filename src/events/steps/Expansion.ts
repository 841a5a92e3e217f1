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
import { readerOf, type Step } from "./StepColumns.ts"
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
 * The expanded events, in order, without the event itself; with `types`, only those of these types. Empty if its personal fields cannot be read: then its steps
 * are unknown. Throws an error with the reason if its columns are damaged or no recorder writes them.
 */
export const expand = (event: Event, types?: ReadonlyArray<string>): ReadonlyArray<Event> => {
  if (!isCompact(event) || event.taskId === null || event.personal?.readable === false) return []
  const { payload } = event
  const writer = new Writer(event, event.taskId, types)
  if (payload.begin !== undefined) writer.begin(payload.begin)
  const { stepAt, partsAt } = readerOf(payload)
  const step = types === undefined ? stepAt : partsAt
  for (let index = 0; index < payload.steps; index++) writer.step(index, step(index))
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
  /** The event of the same step that caused the next one; undefined for the cause of the compact event. */
  #cause: number | undefined
  readonly #types: ReadonlySet<string> | undefined
  /** Whether some type comes after the outcome of a step. Parts of steps that no event needs are not made. */
  readonly #hasLater: boolean

  /** @param types the types to write; the others keep their places. Default: all */
  constructor(
    event: Event & { readonly payload: PayloadOf<typeof StepPosition.COMPACT> },
    taskId: string,
    types?: ReadonlyArray<string>,
  ) {
    this.#event = event
    this.#types = types === undefined ? undefined : new Set(types)
    this.#hasLater = types === undefined || types.some((type) => LATER.has(type))
    this.#taskId = taskId
    this.#payload = event.payload
    this.#actuator = `${event.payload.plugin}/step`
  }

  begin({
    seed,
    options,
    state,
    readings,
    continued,
  }: NonNullable<PayloadOf<typeof StepPosition.COMPACT>["begin"]>): void {
    const { plugin } = this.#payload
    this.#add("EnvironmentReset", () => ({
      plugin,
      seed,
      options,
      state,
      ...(continued === true ? { continued } : {}),
    }))
    this.#addAll([ReturnEvents.started(this.#taskId, this.#positionOf(0))])
    this.#read(readings, 1)
  }

  step(index: number, step: Step): void {
    const { plugin, first, rule, latencyMs } = this.#payload
    this.#place = index
    this.#within = 0
    this.#cause = undefined
    const number = first + index
    const commandId = `${this.#taskId}/${number}`
    this.#add("ActuatorCommanded", () => {
      const args = { action: step.action }
      return { commandId, actuator: this.#actuator, args, argsDigest: this.#digestOf(args), priority: 0 }
    })
    this.#cause = COMMANDED
    this.#add("CommandAllowed", () => ({ commandId, rule }))
    this.#cause = ALLOWED
    this.#add("CommandDispatched", () => ({ commandId }))
    this.#cause = DISPATCHED
    const { error } = step
    if (error !== undefined) this.#add("CommandFailed", () => ({ commandId, error, ...defined({ latencyMs }) }))
    else if (latencyMs === undefined) this.#add("CommandSucceeded", () => ({ commandId, result: step.result }))
    else this.#add("CommandSucceeded", () => ({ commandId, result: step.result, latencyMs }))
    if (!this.#hasLater) return
    this.#cause = ENDED
    const { patch } = step
    if (patch.length > 0) this.#add("EnvironmentChanged", () => ({ plugin, patch: patch as unknown as Json }))
    const taken = { taskId: this.#taskId, plugin, because: [this.#positionOf(COMMANDED)] }
    this.#addAll(ReturnEvents.given(taken, rewardsIn(step.result)))
    this.#cause = undefined
    this.#read(step.readings, number + 2)
  }

  /**
   * The changes of the document that steps up to this one make together, and its readings, at the places of this step's
   * own.
   */
  together(index: number, patch: Step["patch"], readings: JsonObject): void {
    const { plugin, first } = this.#payload
    this.#place = index
    this.#within = ENDED + 1
    this.#cause = undefined
    if (patch.length > 0) this.#add("EnvironmentChanged", () => ({ plugin, patch: patch as unknown as Json }))
    this.#read(readings, first + index + 2)
  }

  finish(totals: JsonObject): void {
    this.#addAll([{ type: "ScoringFinished", payload: { scoreSetId: scoreSetOf(this.#taskId), totals } }])
  }

  #read(readings: JsonObject, perception: number): void {
    const { plugin, latencyMs, priorities } = this.#payload
    for (const [sensor, reading] of Object.entries(readings)) {
      const priority = SafeRecord.get(priorities, sensor) ?? 0
      this.#add("SensorRead", () => ({
        sensor: `${plugin}/${sensor}`,
        reading,
        priority,
        perception,
        ...defined({ latencyMs }),
      }))
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
    for (const { type, payload } of events) this.#add(type, () => payload as JsonObject)
  }

  #positionOf(within: number): number {
    return StepPosition.positionOf(this.#event.position, this.#place, within)
  }

  #add(type: string, payload: () => JsonObject): void {
    const within = this.#within++
    if (this.#types?.has(type) === false) return
    const { id, timeline, stream, version, taskId, causationId, actor, occurredAt, recordedAt, personal, hash } =
      this.#event
    // One literal each: a step has eight events, and a copy costs more than everything else of an event.
    const [position, ownId] = [this.#positionOf(within), StepPosition.idOf(id, this.#place, within)]
    const cause = this.#cause === undefined ? causationId : StepPosition.idOf(id, this.#place, this.#cause)
    const schemaVersion = versionOf(type)
    this.events.push(
      personal === undefined
        ? {
            position,
            id: ownId,
            timeline,
            stream,
            version,
            type,
            schemaVersion,
            taskId,
            causationId: cause,
            actor,
            occurredAt,
            recordedAt,
            payload: payload(),
            hash,
          }
        : {
            position,
            id: ownId,
            timeline,
            stream,
            version,
            type,
            schemaVersion,
            taskId,
            causationId: cause,
            actor,
            occurredAt,
            recordedAt,
            payload: payload(),
            personal,
            hash,
          },
    )
  }
}

const versionOf = (type: string): number => core.types.get(type)?.version ?? 1

/** The places of a step's first events. */
const COMMANDED = 0
const ALLOWED = 1
const DISPATCHED = 2
const ENDED = 3

/** The types of events after a step's outcome. */
const LATER: ReadonlySet<string> = new Set(["EnvironmentChanged", "RewardGiven", "PunishmentGiven", "SensorRead"])

/** Finite numbers by name; a recorder writes no others. */
const rewardsIn = ({ rewards }: JsonObject): { readonly [name: string]: number } =>
  typeof rewards === "object" && rewards !== null && !Array.isArray(rewards)
    ? Object.fromEntries(
        Object.entries(rewards).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
      )
    : {}
