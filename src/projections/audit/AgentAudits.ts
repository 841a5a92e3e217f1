/**
 * The agents section of a task's audit: the readings, actions, messages, inputs and scores of each of several agents.
 */

import { Schema } from "effect"
import { AgentId } from "../../events/vocabulary/EventType.ts"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { evolveBy, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import type { Projection } from "../fold/Projection.ts"
import { scoreSetOf } from "../state/WorldReturn.ts"

const count = Schema.NonNegativeInt

const COMMAND_ENDS = ["succeeded", "failed", "denied", "expired", "unknown"] as const

type CommandEnd = (typeof COMMAND_ENDS)[number]

const Counts = Schema.Struct({
  commanded: count.annotations({ description: "Commands requested" }),
  succeeded: count.annotations({ description: "Commands executed" }),
  failed: count.annotations({ description: "Commands that the world refused, or that failed otherwise" }),
  denied: count.annotations({ description: "Commands that the gate refused, without the expired ones" }),
  expired: count.annotations({ description: "Commands without a confirmation in time" }),
  unknown: count.annotations({ description: "Dispatched commands with an unknown outcome" }),
  reads: count.annotations({ description: "Readings for this agent" }),
  readFailures: count.annotations({ description: "Failed readings for this agent" }),
  decisions: count.annotations({ description: "Recorded decisions" }),
  said: count.annotations({ description: "Messages sent" }),
  heard: count.annotations({ description: "Messages and other inputs received" }),
  late: count.annotations({ description: "Rounds that closed before the agent decided" }),
})

const tally = Schema.Record({ key: Schema.String, value: count })

const standing = {
  agent: Schema.NullOr(Schema.String).annotations({
    description: "`name@version` of the agent with this name; null if it was not recorded",
  }),
  outcome: Schema.NullOr(TaskOutcome).annotations({
    description: "How the agent left; null if it took part to the end",
  }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  heardFrom: tally.annotations({ description: "Number of received messages per sender" }),
  actions: tally.annotations({ description: "Number of commands per actuator and action, or per actuator alone" }),
  otherActions: count.annotations({ description: "Commands that `actions` omits: it lists the first 50" }),
}

const AgentAudit = Schema.Struct({
  ...standing,
  ...Counts.fields,
  return: Schema.Finite.annotations({ description: "Sum of the world's rewards for the agent, exact to 1e-9" }),
}).annotations({ identifier: "AgentAudit" })

/** The agents of a task with several, by name. */
export const AgentAudits = Schema.Record({ key: AgentId, value: AgentAudit }).annotations({ identifier: "AgentAudits" })

type AgentAudits = typeof AgentAudits.Type

const Member = Schema.Struct({ ...standing, ...Counts.fields, return: Sum.Sum })
type Member = typeof Member.Type

const State = Schema.Struct({
  members: Schema.Record({ key: Schema.String, value: Member }),
  /** The agents of commands whose outcome may still come, by command id. */
  open: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ agentId: Schema.String, unknown: Schema.Boolean }),
  }),
  /** The commands of pending confirmations, by confirmation id. */
  confirming: Schema.Record({ key: Schema.String, value: Schema.String }),
})
type State = typeof State.Type

const newcomer: Member = {
  agent: null,
  outcome: null,
  heardFrom: {},
  actions: {},
  otherActions: 0,
  return: Sum.zero,
  commanded: 0,
  succeeded: 0,
  failed: 0,
  denied: 0,
  expired: 0,
  unknown: 0,
  reads: 0,
  readFailures: 0,
  decisions: 0,
  said: 0,
  heard: 0,
  late: 0,
}

/** Counts per agent. In a task with one agent, events name none, and the state stays empty. */
export const projection: Projection<State> = {
  name: "TaskAudit.AgentAudits",
  version: 2,
  state: State,
  initial: { members: {}, open: {}, confirming: {} },
  evolve: evolveBy<State>({
    AgentJoined: (state, { agentId, agent }) =>
      update(state, agentId, ({ reason: _, ...before }) => ({ ...before, agent, outcome: null })),
    AgentLeft: (state, { agentId, outcome, reason }) =>
      update(state, agentId, (before) =>
        before.outcome === null ? { ...before, outcome, ...defined({ reason }) } : before,
      ),
    AgentLate: (state, { agentId }) => add(state, agentId, "late"),
    SensorRead: (state, { agentId }) => add(state, agentId, "reads"),
    SensorFailed: (state, { agentId }) => add(state, agentId, "readFailures"),
    DecisionMade: (state, { agentId }) => add(state, agentId, "decisions"),
    MessageSent: (state, { agentId }) => add(state, agentId, "said"),
    InputReceived: (state, { agentId, source }) =>
      update(state, agentId, (before) => ({
        ...before,
        heard: before.heard + 1,
        heardFrom: oneMore(before.heardFrom, source.replace(SPEAKER, "")),
      })),
    ActuatorCommanded: (state, { commandId, agentId, actuator, args, source }) =>
      agentId === undefined || source === "scenario"
        ? state
        : {
            ...update(state, agentId, (before) => acted(before, actionOf(actuator, args))),
            open: SafeRecord.set(state.open, commandId, { agentId, unknown: false }),
          },
    CommandSucceeded: (state, { commandId }) => ended(state, commandId, "succeeded"),
    CommandFailed: (state, { commandId }) => ended(state, commandId, "failed"),
    CommandDenied: (state, { commandId }) => ended(state, commandId, "denied"),
    CommandOutcomeUnknown: (state, { commandId }) => ended(state, commandId, "unknown"),
    ConfirmationRequested: (state, { confirmationId, commandId }) =>
      commandId === undefined || SafeRecord.get(state.open, commandId) === undefined
        ? state
        : { ...state, confirming: SafeRecord.set(state.confirming, confirmationId, commandId) },
    ConfirmationExpired: (state, { confirmationId }) => {
      const commandId = SafeRecord.get(state.confirming, confirmationId)
      return commandId === undefined ? state : ended(state, commandId, "expired")
    },
    RewardGiven: (state, payload, { taskId }) => rewarded(state, payload, taskId, payload.amount),
    PunishmentGiven: (state, payload, { taskId }) => rewarded(state, payload, taskId, 0 - payload.amount),
  }),
}

/** The prefix of a source that is another agent. */
const SPEAKER = /^agent:/

/** The agent that a source of an input names; undefined for any other source. */
export const speakerOf = (source: string): string | undefined =>
  SPEAKER.test(source) ? source.replace(SPEAKER, "") : undefined

const update = (state: State, agentId: string | undefined, change: (before: Member) => Member): State => {
  if (agentId === undefined) return state
  const before = SafeRecord.get(state.members, agentId) ?? newcomer
  return { ...state, members: SafeRecord.set(state.members, agentId, change(before)) }
}

const add = (state: State, agentId: string | undefined, counted: keyof typeof Counts.Type): State =>
  update(state, agentId, (before) => ({ ...before, [counted]: before[counted] + 1 }))

const oneMore = (counts: SafeRecord.SafeRecord<number>, key: string): SafeRecord.SafeRecord<number> =>
  SafeRecord.set(counts, key, (SafeRecord.get(counts, key) ?? 0) + 1)

/** Maximum number of listed actions. */
const MAX_ACTIONS = 50

const acted = (before: Member, action: string): Member => {
  const after = { ...before, commanded: before.commanded + 1 }
  const isListed = Object.hasOwn(before.actions, action) || Object.keys(before.actions).length < MAX_ACTIONS
  return isListed
    ? { ...after, actions: oneMore(before.actions, action) }
    : { ...after, otherActions: before.otherActions + 1 }
}

/** Maximum length of a listed action; a longer one appears as its actuator. */
const MAX_ACTION = 40

/** `arena/step 1`: the actuator, and the action if it is short. */
export const actionOf = (actuator: string, args: Json): string => {
  const action = isObject(args) ? args.action : undefined
  const text = action === undefined ? "" : JSON.stringify(action)
  return text === "" || text.length > MAX_ACTION ? actuator : `${actuator} ${text}`
}

/** The first outcome of a command counts, but a known one replaces an unknown one. */
const ended = (state: State, commandId: string, end: CommandEnd): State => {
  const command = SafeRecord.get(state.open, commandId)
  if (command === undefined || (end === "unknown" && command.unknown)) return state
  const counted = update(state, command.agentId, (before) => {
    const known = command.unknown ? { ...before, unknown: before.unknown - 1 } : before
    return { ...known, [end]: known[end] + 1 }
  })
  const open =
    end === "unknown"
      ? SafeRecord.set(state.open, commandId, { ...command, unknown: true })
      : SafeRecord.remove(state.open, commandId)
  return { ...counted, open }
}

const rewarded = (
  state: State,
  { agentId, scoreSetId }: PayloadOf<"RewardGiven">,
  taskId: string | null,
  reward: number,
): State =>
  taskId === null || scoreSetId !== scoreSetOf(taskId)
    ? state
    : update(state, agentId, (before) => ({ ...before, return: Sum.add(before.return, reward) }))

/** Builds the section from the folded state; undefined in a task with one agent. */
export const section = ({ members }: State): AgentAudits | undefined => {
  const names = Object.keys(members).sort()
  if (names.length === 0) return undefined
  return Object.fromEntries(
    names.flatMap((name) => {
      const member = SafeRecord.get(members, name)
      return member === undefined ? [] : [[name, { ...member, return: Sum.value(member.return) }] as const]
    }),
  )
}
