/** The vocabulary: the event types that a log knows. Joins the core families, and adds types of embedding programs. */

import { describeValue } from "../../values/OptionIssues.ts"
import * as Options from "../../values/Options.ts"
import { actingEvents } from "./Acting.ts"
import { confirmingEvents, confirmingUpcasters } from "./Confirming.ts"
import { decidingEvents, ioEvents } from "./Deciding.ts"
import type { Event } from "./Event.ts"
import type { EventType } from "./EventType.ts"
import { kernelEvents, kernelUpcasters } from "./Kernel.ts"
import { capturingEvents, importingEvents, noteEvents } from "./Notes.ts"
import { pluginEvents } from "./Plugins.ts"
import { scoringEvents } from "./Scoring.ts"
import { environmentEvents, sensingEvents } from "./Sensing.ts"
import { taskEvents } from "./Tasks.ts"
import { timelineEvents } from "./Timelines.ts"
import type { Upcaster } from "./Upcaster.ts"
import { agentEvents, scenarioEvents } from "./Worlds.ts"

/** All types of the core vocabulary, family by family. */
const coreEvents = [
  ...kernelEvents,
  ...pluginEvents,
  ...sensingEvents,
  ...environmentEvents,
  ...decidingEvents,
  ...ioEvents,
  ...actingEvents,
  ...confirmingEvents,
  ...taskEvents,
  ...agentEvents,
  ...scenarioEvents,
  ...scoringEvents,
  ...timelineEvents,
  ...noteEvents,
  ...importingEvents,
  ...capturingEvents,
] as const

/** A type of the core vocabulary. */
type CoreEventType = (typeof coreEvents)[number]

/** Names of the core event types. */
export type CoreName = CoreEventType["name"]

/** The payload of a core event type, by its name. */
export type PayloadOf<Name extends CoreName> = Extract<CoreEventType, { readonly name: Name }>["payload"]["Type"]

/**
 * The event types that a log knows. Payloads are validated by them when they are appended, and upcast to them when they
 * are read.
 */
export interface Vocabulary {
  readonly types: ReadonlyMap<string, EventType>
  /** Upcasters from earlier schema versions. */
  readonly upcasters: ReadonlyArray<Upcaster>
}

/** Option schema: a vocabulary, as `core` and `extend` return it. */
export const Vocabulary = Options.kind<Vocabulary>("a vocabulary, as `Vocabulary.extend` makes it", (value) => {
  if (typeof value !== "object" || value === null || !("types" in value) || !("upcasters" in value)) return false
  return value.types instanceof Map && Array.isArray(value.upcasters)
})

/** Hindcast's own vocabulary. */
export const core: Vocabulary = {
  types: new Map<string, EventType>(coreEvents.map((type) => [type.name, type])),
  upcasters: [...kernelUpcasters, ...confirmingUpcasters],
}

/**
 * Adds event types of an embedding program, and the upcasters for their earlier versions. Their names carry the
 * program's prefix (`acme/OrderPlaced`), so that they never clash with Hindcast's. A name without a prefix, or one that
 * is taken, is a defect and throws.
 */
export const extend = (
  vocabulary: Vocabulary,
  types: ReadonlyArray<EventType>,
  upcasters: ReadonlyArray<Upcaster> = [],
): Vocabulary => {
  const extended = new Map(vocabulary.types)
  for (const type of types) {
    if (!isEventType(type)) {
      throw new Error(
        `Vocabulary.extend: expected event types, as \`EventType.eventType\` makes them, found ${describeValue(type)}`,
      )
    }
    if (!/^[^/]+\/[^/]+$/.test(type.name)) {
      throw new Error(`Event type "${type.name}": expected a name with your prefix, such as "acme/${type.name}"`)
    }
    if (extended.has(type.name)) throw new Error(`Event type "${type.name}" is defined twice`)
    extended.set(type.name, type)
  }
  return { types: extended, upcasters: [...vocabulary.upcasters, ...upcasters] }
}

const isEventType = (value: unknown): boolean =>
  Options.has("name", "version", "payload", "synced", "personal", "positions")(value)

/** One reducer for each event type that a fold handles: from state, typed payload and event to the next state. */
export type Handlers<State> = {
  readonly [Name in CoreName]?: (state: State, payload: PayloadOf<Name>, event: Event) => State
}

/**
 * Makes the `evolve` of a fold from its handlers. Events of other types leave the state unchanged. Payloads are not
 * validated again: they were when they were appended.
 */
export const evolveBy = <State>(handlers: Handlers<State>): ((state: State, event: Event) => State) => {
  const byType = new Map(Object.entries(handlers)) as Map<
    string,
    (state: State, payload: Event["payload"], event: Event) => State
  >
  return (state, event) => {
    const handle = byType.get(event.type)
    return handle === undefined ? state : handle(state, event.payload, event)
  }
}

/** Whether an event is of this core type; narrows its payload. */
export const is = <Name extends CoreName>(
  event: Event,
  name: Name,
): event is Event & { readonly type: Name; readonly payload: PayloadOf<Name> } => event.type === name

/** Whether an event is a step of an agent: a command that was requested, and not by the scenario of its task. */
export const isStep = (
  event: Event,
): event is Event & { readonly type: "ActuatorCommanded"; readonly payload: PayloadOf<"ActuatorCommanded"> } =>
  is(event, "ActuatorCommanded") && event.payload.source !== "scenario"
