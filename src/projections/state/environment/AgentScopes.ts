/** The state of each agent of a task: its readings, status, return and inner state. */

import { Schema } from "effect"
import { AgentId } from "../../../events/vocabulary/EventType.ts"
import { TaskOutcome } from "../../../events/vocabulary/Tasks.ts"
import type { PayloadOf } from "../../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../../values/defined.ts"
import { Json } from "../../../values/Json.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import * as Sum from "../../../values/Sum.ts"
import * as JsonPatch from "../../patch/JsonPatch.ts"

/** The agent's name in a task with one agent. */
export const ONLY_AGENT = "agent"

/** An agent's status in its task. */
export const AgentStatus = Schema.Literal("active", "suspended", "left").annotations({ identifier: "AgentStatus" })

const ifKnown = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

/** An agent of a task, as far as events tell. In a task with one agent, it has only its inner state. */
export const AgentScope = Schema.Struct({
  agent: ifKnown(Schema.String, "`name@version` of the agent behind the name"),
  status: ifKnown(AgentStatus, "Whether it takes part"),
  outcome: ifKnown(TaskOutcome, "How it left"),
  reason: ifKnown(Schema.String, "Why it was suspended, or left"),
  readings: ifKnown(
    Schema.Record({ key: Schema.String, value: Json }),
    "The latest reading of every sensor that was read for it, by `plugin/sensor`",
  ),
  return: ifKnown(Schema.Finite, "The sum of the world's rewards for it"),
  state: ifKnown(Json, "Its inner state, as it last recorded it"),
}).annotations({ identifier: "AgentScope" })

export type AgentScope = typeof AgentScope.Type

/** The agents of a task, by name. */
export const AgentScopes = Schema.Record({ key: AgentId, value: AgentScope })

export type AgentScopes = typeof AgentScopes.Type

const nothing: AgentScope = {}

/** Updates one agent. Returns the identical record if the agent is unchanged. */
export const changed = (
  agents: AgentScopes,
  agentId: string,
  change: (agent: AgentScope) => AgentScope,
): AgentScopes => {
  const before = SafeRecord.get(agents, agentId)
  const after = change(before ?? nothing)
  return after === before ? agents : SafeRecord.set(agents, agentId, after)
}

/** Adds the agents of a reset. Known agents do not change. */
export const begun = (agents: AgentScopes, names: ReadonlyArray<string>): AgentScopes =>
  names.reduce(
    (known, agentId) =>
      changed(known, agentId, (agent) =>
        agent.status === undefined ? { ...active(agent), return: agent.return ?? 0 } : agent,
      ),
    agents,
  )

/** A reading equal to the last one changes nothing. */
export const read =
  (sensor: string, reading: Json) =>
  (scope: AgentScope): AgentScope => {
    const { readings = {} } = scope
    if (JsonPatch.equal(SafeRecord.get(readings, sensor), reading)) return scope
    return { ...scope, readings: SafeRecord.set(readings, sensor, reading) }
  }

export const joined =
  (agent: string) =>
  (scope: AgentScope): AgentScope => ({ ...active(scope), agent, return: scope.return ?? 0 })

/** An agent that takes part and is not suspended. */
export const active = ({ reason: _reason, outcome: _outcome, ...scope }: AgentScope): AgentScope => ({
  ...scope,
  status: "active",
})

export const suspended =
  ({ reason }: PayloadOf<"AgentSuspended">) =>
  (scope: AgentScope): AgentScope => ({
    ...active(scope),
    status: "suspended",
    ...defined({ reason }),
  })

/** An agent that has left. The first outcome counts until it joins again. */
export const left =
  ({ outcome, reason }: PayloadOf<"AgentLeft">) =>
  (scope: AgentScope): AgentScope =>
    scope.status === "left" ? scope : { ...active(scope), status: "left", outcome, ...defined({ reason }) }

/** An agent after a reward; a negative one is a punishment. */
export const given =
  (reward: number) =>
  (scope: AgentScope): AgentScope => ({ ...scope, return: Sum.round((scope.return ?? 0) + reward) })

export const inState =
  (state: Json) =>
  (scope: AgentScope): AgentScope =>
    JsonPatch.equal(scope.state, state) ? scope : { ...scope, state }
