/** A task's events as steps of its agents, and the values that they could know: plain data for `Suspects`. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { shorten, value as shown } from "../../values/Formats.ts"
import type { Json } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"

/** A command, from its request to its end. */
export interface Step {
  readonly actuator: string
  readonly args: Json
  /** Who requested it: an agent of the task, the task's only agent, or the actor. */
  readonly by: string
  readonly taskId: string | null
  /** The position of the request. */
  readonly at: number
  readonly end: StepEnd | null
}

/** A command in a few words: `shop/buy {"sku":"A1"}`. */
export const nameOf = ({ actuator, args }: Pick<Step, "actuator" | "args">): string =>
  `${shorten(oneLine(actuator), 80)} ${shown(args, 60)}`

/** How a command ended, and where. */
export type StepEnd =
  | { readonly kind: "succeeded"; readonly at: number; readonly result: Json; readonly ms: number | null }
  | { readonly kind: "failed"; readonly at: number; readonly code: string; readonly message: string }
  | { readonly kind: "denied"; readonly at: number; readonly rule: string; readonly reason: string }
  | { readonly kind: "unknown"; readonly at: number }

/** A source of the agents' values: the goal, an input, a reading, a result. */
export interface Source {
  readonly at: number
  /** Where it came from: `shop/lookup {"sku":"A1"}` for a result, a sensor's name, `goal`, `input`. */
  readonly from: string
  readonly value: Json
  /** The command whose result it is. */
  readonly step: Step | null
}

/** An event that reports trouble by its type alone. */
export interface Trouble {
  readonly at: number
  readonly type: string
  readonly event: Event
}

export interface Course {
  readonly steps: ReadonlyArray<Step>
  readonly sources: ReadonlyArray<Source>
  readonly troubles: ReadonlyArray<Trouble>
  /** Changes of worlds, with the step that was under way. */
  readonly changes: ReadonlyArray<{ readonly at: number; readonly event: Event }>
  readonly closed: Event | null
}

const TROUBLES: ReadonlySet<string> = new Set([
  ...["SensorFailed", "SensorSkipped", "IoFailed", "ModelFailed", "BudgetExceeded", "MemoryCompacted", "AgentLate"],
  ...["ConfirmationExpired", "ConfirmationWithdrawn", "BrokerDenied", "PluginMisbehaved", "PluginQuarantined"],
  ...["PluginStartRefused", "CommandOutcomeUnknown", "ClockChanged", "AgentSuspended"],
])

interface OpenStep {
  readonly step: Omit<Step, "end">
  end: StepEnd | null
}

/** Folds events, oldest first, of one task or of several. */
export const of = (events: ReadonlyArray<Event>): Course => {
  const commands = new Map<string, OpenStep>()
  const agents = new Map<string | null, string>()
  const sources: Array<Omit<Source, "step"> & { readonly open: OpenStep | null }> = []
  const troubles: Array<Trouble> = []
  const changes: Array<{ readonly at: number; readonly event: Event }> = []
  let closed: Event | null = null
  const tell = (at: number, from: string, value: Json, open: OpenStep | null = null) =>
    sources.push({ at, from, value, open })
  for (const event of events) {
    const { position: at, taskId } = event
    if (TROUBLES.has(event.type) || (is(event, "ScenarioEnded") && event.payload.result === "lost"))
      troubles.push({ at, type: event.type, event })
    if (is(event, "TaskOpened") || is(event, "TaskResumed")) agents.set(taskId, event.payload.agent)
    if (is(event, "TaskHandedOff")) agents.set(taskId, event.payload.to)
    if (is(event, "ActuatorCommanded")) {
      const { commandId, actuator, args, agentId } = event.payload
      const by = shorten(oneLine(agentId ?? agents.get(taskId) ?? event.actor), 80)
      commands.set(commandId, { step: { actuator, args, by, taskId, at }, end: null })
    } else if (is(event, "CommandSucceeded")) {
      const { commandId, result, latencyMs } = event.payload
      const open = commands.get(commandId)
      if (open !== undefined) {
        open.end = { kind: "succeeded", at, result, ms: latencyMs ?? null }
        tell(at, open.step.actuator, result, open)
      }
    } else if (is(event, "CommandFailed")) {
      const { commandId, error } = event.payload
      const open = commands.get(commandId)
      if (open !== undefined) {
        open.end = { kind: "failed", at, code: error.code, message: error.message }
        tell(at, open.step.actuator, error.message, open)
      }
    } else if (is(event, "CommandDenied")) {
      const { commandId, rule, reason } = event.payload
      const open = commands.get(commandId)
      if (open !== undefined) open.end = { kind: "denied", at, rule, reason }
    } else if (is(event, "CommandOutcomeUnknown")) {
      const open = commands.get(event.payload.commandId)
      if (open !== undefined) open.end = { kind: "unknown", at }
    } else if (is(event, "SensorRead")) tell(at, event.payload.sensor, event.payload.reading)
    else if (is(event, "IoAnswered")) tell(at, event.payload.io, event.payload.result)
    else if (is(event, "InputReceived")) tell(at, "input", event.payload.content)
    else if (is(event, "TaskOpened")) tell(at, "goal", event.payload.goal)
    else if (is(event, "GuideApplied")) tell(at, "guide", event.payload.systemPrompt ?? null)
    else if (is(event, "EnvironmentChanged")) changes.push({ at, event })
    else if (is(event, "TaskClosed")) closed = event
  }
  const stepOf = new Map([...commands.values()].map((open) => [open, { ...open.step, end: open.end } as Step]))
  return {
    steps: [...stepOf.values()],
    sources: sources.map(({ open, ...source }) => ({
      ...source,
      step: open === null ? null : (stepOf.get(open) ?? null),
    })),
    troubles,
    changes,
    closed,
  }
}
