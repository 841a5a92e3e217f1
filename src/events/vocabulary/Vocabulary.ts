/** The event types that a log knows: the core families, and types of embedding programs. */

import { describeValue } from "../../values/OptionIssues.ts"
import * as Options from "../../values/Options.ts"
import { actingEvents } from "./Acting.ts"
import { confirmingEvents, confirmingUpcasters } from "./Confirming.ts"
import { decidingEvents, ioEvents, searchEvents } from "./Deciding.ts"
import type { Event } from "./Event.ts"
import type { EventType } from "./EventType.ts"
import { kernelEvents, kernelUpcasters, runnerEvents } from "./Kernel.ts"
import { annotatingEvents, capturingEvents, destroyingEvents, importingEvents } from "./Notes.ts"
import { foreignToolEvents, pluginEvents } from "./Plugins.ts"
import { scoringEvents } from "./Scoring.ts"
import { environmentEvents, listeningEvents, rememberingEvents, sensingEvents } from "./Sensing.ts"
import { queueEvents, taskEvents } from "./Tasks.ts"
import { timelineEvents } from "./Timelines.ts"
import type { Upcaster } from "./Upcaster.ts"
import { agentEvents, curriculumEvents, rolloutEvents, scenarioEvents } from "./Worlds.ts"

/** The core vocabulary, family by family. */
const coreEvents = [
  ...kernelEvents,
  ...pluginEvents,
  ...foreignToolEvents,
  ...sensingEvents,
  ...environmentEvents,
  ...rememberingEvents,
  ...decidingEvents,
  ...ioEvents,
  ...listeningEvents,
  ...actingEvents,
  ...confirmingEvents,
  ...taskEvents,
  ...queueEvents,
  ...runnerEvents,
  ...agentEvents,
  ...scenarioEvents,
  ...curriculumEvents,
  ...rolloutEvents,
  ...searchEvents,
  ...scoringEvents,
  ...timelineEvents,
  ...annotatingEvents,
  ...destroyingEvents,
  ...importingEvents,
  ...capturingEvents,
] as const

/** A type of the core vocabulary. */
type CoreEventType = (typeof coreEvents)[number]

/** Names of the core event types. */
export type CoreName = CoreEventType["name"]

/** The payload of a core event type, by its name. */
export type PayloadOf<Name extends CoreName> = Extract<CoreEventType, { readonly name: Name }>["payload"]["Type"]

/** The event types that a log knows. Appends validate payloads by them; reads upcast payloads to them. */
export interface Vocabulary {
  readonly types: ReadonlyMap<string, EventType>
  /** From earlier schema versions. */
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
 * Adds event types of an embedding program, and upcasters for their earlier versions. Their names carry the program's
 * prefix (`acme/OrderPlaced`), so they never clash with Hindcast's. Throws for a name without a prefix, or one that is
 * taken.
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

/** A reducer for each event type that a fold handles: from state, typed payload and event to the next state. */
export type Handlers<State> = {
  readonly [Name in CoreName]?: (state: State, payload: PayloadOf<Name>, event: Event) => State
}

/**
 * Creates the `evolve` of a fold from its handlers. Other events leave the state unchanged. Payloads are not validated
 * again: their appends were.
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

/** True for an event of this core type; narrows its payload. */
export const is = <Name extends CoreName>(
  event: Event,
  name: Name,
): event is Event & { readonly type: Name; readonly payload: PayloadOf<Name> } => event.type === name

/** True for a step of an agent: a requested command that its task's scenario did not give. */
export const isStep = (
  event: Event,
): event is Event & { readonly type: "ActuatorCommanded"; readonly payload: PayloadOf<"ActuatorCommanded"> } =>
  is(event, "ActuatorCommanded") && event.payload.source !== "scenario"
