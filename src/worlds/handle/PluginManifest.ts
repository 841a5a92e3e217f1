/** Reads an environment's handle data from its manifest and the log. Pure. */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { CommandOutcome } from "../../kernel/acting/CommandExecution.ts"
import { stepResultOf } from "../../kernel/acting/WorldRewards.ts"
import * as EpisodeEnd from "../../kernel/agents/EpisodeEnd.ts"
import { actuatorsOf, type Manifest, sensorsOf } from "../../plugins/manifest/Manifest.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Ended, EnvironmentInfo } from "./Environment.ts"
import type { Status } from "./World.ts"

/** Returns the description of an environment from its manifest. */
export const infoOf = (manifest: Manifest): EnvironmentInfo => {
  const { environment } = manifest.peas
  return {
    name: environment?.name ?? manifest.name,
    description: environment?.description ?? manifest.description,
    version: manifest.version,
    rules: environment?.rules ?? [],
    conventions: environment?.conventions ?? [],
    maxAgents: environment?.max_agents ?? 1,
    timeModel: environment?.time_model ?? "discrete_steps",
    spaces: environment?.spaces ?? null,
    maxEpisodeSteps: environment?.max_episode_steps ?? null,
    sensors: sensorsOf(manifest).map(({ name, description, reading }) => ({
      name,
      description,
      ...defined({ reading }),
    })),
    actuators: actuatorsOf(manifest).map(({ name, description, args }) => ({
      name,
      description,
      ...defined({ args }),
    })),
  }
}

/** Returns `room` for `text-room/room`. */
export const localName = (component: string): string => component.slice(component.indexOf("/") + 1)

/** The end of a command, without its events. */
export const endedOf = (outcome: CommandOutcome): Ended => {
  const { commandId, status, event } = outcome
  const ended = { commandId, status, actuator: localName(outcome.actuator), at: event.occurredAt, result: null }
  switch (outcome.status) {
    case "succeeded":
      return { ...ended, result: outcome.result, code: null, reason: outcome.unrecorded ?? null }
    case "failed":
      return { ...ended, code: outcome.error.code, reason: outcome.error.message }
    case "denied":
      return { ...ended, code: outcome.rule, reason: outcome.reason }
    case "expired":
      return { ...ended, code: "Expired", reason: outcome.reason }
    case "unknown":
      return { ...ended, code: "OutcomeUnknown", reason: outcome.reason }
  }
}

/** The outcomes of the agents whose episode ended with this agent's step; none if the result is not that of a step. */
export const endsOf = (agent: string, result: Json): ReadonlyArray<readonly [agent: string, outcome: TaskOutcome]> => {
  const step = stepResultOf(result)
  if (step === undefined) return []
  return Object.entries({ ...step.others, [agent]: step }).flatMap(([name, got]) => {
    const end = EpisodeEnd.endIn(got)
    return end === undefined ? [] : [[name, end.outcome] as const]
  })
}

/** The agent's entry in a world's document; null if there is none. */
export const ownIn = (document: Json, agent: string): JsonObject | null => {
  const own = SafeRecord.get(asObject(asObject(asObject(document).episode).agents), agent)
  return isObject(own) ? own : null
}

/** The agent's status, from its entry in the world's document; undefined if it has none. */
export const statusOf = (own: JsonObject | null): Status | undefined => STATUSES.find((known) => known === own?.status)

const STATUSES: ReadonlyArray<Status> = ["active", "terminated", "truncated", "left"]
