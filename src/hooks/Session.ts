/**
 * Records a coding agent's session as a task. Each call is a command: the tool runs only after the gate let it pass and
 * the log has the dispatch. Calls without a hook are recorded as observed.
 */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { newId } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../kernel/acting/CommandState.ts"
import * as ObservedCommand from "../kernel/acting/command/ObservedCommand.ts"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as GatedCalls from "../record/GatedCalls.ts"
import type { Redaction } from "../record/http/Redaction.ts"
import type { BegunRun } from "../record/log/OpenedLog.ts"
import type { RunLog } from "../record/log/RunLog.ts"
import { recordable } from "../record/Recordable.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import type { Moment, ToolCall, ToolOutcome, Verdict } from "./Moment.ts"
import * as OpenCalls from "./OpenCalls.ts"

export interface SessionParts {
  /** The client's name, before the slash of each actuator. */
  readonly client: string
  readonly begun: BegunRun
  readonly log: RunLog
  /** Without a gate, every call passes. */
  readonly gate: GateConfig | undefined
  readonly redaction: Redaction
}

/** A session with an open task. */
export interface Session {
  /** Records a moment. If a tool waits, returns the gate's verdict. */
  readonly take: (moment: Moment) => Promise<Verdict>
  /** Stops recording; the session may continue. */
  readonly leave: () => Promise<void>
  readonly end: (reason: string) => Promise<void>
  readonly hasOpenCalls: () => boolean
}

const NONE: Verdict = { decision: "none" }

/** Maximum time for a person's answer, in milliseconds. After 600 s, a client continues without an answer. */
const MAX_ASKED_MS = 540_000

const NOT_TOLD = "no hook told its result: its client may have refused it afterwards"

const UNSEEN = "the client reports the call, and no hook was asked about it"

export const make = ({ client, begun, log, gate, redaction }: SessionParts): Session => {
  const { taskId, openedBy, past, ask, identity } = begun
  const open = OpenCalls.make(past)
  /** Clients report one call in several ways, sometimes twice. */
  const known = new Set(past.flatMap((event) => (is(event, "ActuatorCommanded") ? [event.payload.commandId] : [])))
  const repaired = repair(taskId, past)
  /** The agent's last prompt. */
  let cause = past.findLast((event) => is(event, "InputReceived"))?.id ?? openedBy
  const commandIdOf = ({ callId }: ToolCall) => (callId === undefined ? undefined : `${taskId}/${callId}`)
  const plain = <A extends Json>(value: A): A => redaction.value(value)
  const held = (value: Json): Json => recordable<Json>(plain(value), (omitted) => omitted)
  const asking: GatedCalls.GateParts["ask"] = (question) =>
    ask({ ...question, withinMs: Math.min(question.withinMs, MAX_ASKED_MS) })
  const agentOf = ({ agentId }: Moment) => defined({ agentId })

  const before = async (moment: Moment, call: ToolCall): Promise<Verdict> => {
    const { tool, input } = call
    const commandId = commandIdOf(call) ?? newId()
    if (known.has(commandId)) return denied("repeated", `the call ${call.callId} was decided before`)
    known.add(commandId)
    const gated = GatedCalls.make(
      { gate },
      {
        actuator: actuatorOf(client, tool),
        args: plain(input),
        cause,
        description: `A tool of ${client}`,
        commandId,
        ...defined({ callId: call.callId, agentId: moment.agentId }),
      },
    )
    const isRecorded = await GatedCalls.dispatched({ log, gate, ask: asking }, gated)
    if (gated.denied !== undefined) return denied(gated.judgement.rule, gated.denied.reason)
    if (!isRecorded) return denied("log", "the log failed, and with it the gate")
    open.add({
      commandId,
      last: gated.state.last,
      since: performance.now(),
      key: OpenCalls.keyOf(call),
      agentId: moment.agentId,
    })
    return { decision: "allow" }
  }

  const after = async (moment: Moment, call: ToolCall & ToolOutcome): Promise<void> => {
    const { ok, durationMs } = call
    const content = held(call.content)
    const found = open.take(commandIdOf(call), call)
    if (found === undefined) {
      const id = commandIdOf(call)
      // Otherwise its end is in the log.
      if (id === undefined || !known.has(id)) await observed(moment, call, { ok, content, durationMs })
      return
    }
    const latencyMs = durationMs ?? (found.since === undefined ? undefined : MonotonicClock.elapsedSince(found.since))
    const end = ObservedCommand.ended(found.commandId, {
      ok,
      content,
      latencyMs,
      by: call.callId === undefined ? "call-input" : undefined,
    })
    await log.tell({ ...end, causationId: found.last })
  }

  /** Records a call that no hook asked about. Its outcome is known only from its own result. */
  const observed = async (moment: Moment, call: ToolCall, outcome: ToolOutcome | undefined): Promise<void> => {
    const commandId = commandIdOf(call) ?? newId()
    known.add(commandId)
    const request = ObservedCommand.requested({
      commandId,
      actuator: actuatorOf(client, call.tool),
      args: recordable(plain(call.input), (omitted) => ({ omitted })),
      callId: call.callId ?? "",
      agentId: moment.agentId,
    })
    const [allowed, dispatched] = ObservedCommand.passed(commandId, "observed")
    const end =
      outcome === undefined
        ? ObservedCommand.unknown(commandId, UNSEEN)
        : ObservedCommand.ended(commandId, { ...outcome, latencyMs: outcome.durationMs, by: undefined })
    await log.tell(...chained(cause, [request, allowed, dispatched, end]))
  }

  /** Prompts and messages have types of their own; anything else is kept as it came. */
  const told = async (moment: Moment): Promise<void> => {
    const { happening } = moment
    switch (happening.kind) {
      case "prompt": {
        const payload = { source: happening.source, content: held(happening.text), ...agentOf(moment) }
        const id = newId()
        await log.tell({ type: "InputReceived", id, payload })
        cause = id
        return
      }
      case "said": {
        const content = String(held(happening.text))
        await log.tell({ type: "MessageSent", payload: { content, format: "markdown", ...agentOf(moment) } })
        return
      }
      default: {
        const payload = { source: client, kind: moment.event, record: held(moment.payload), ...agentOf(moment) }
        await log.tell({ type: "SourceRecordKept", payload })
      }
    }
  }

  return {
    take: async (moment) => {
      await repaired.tell(log)
      const { happening } = moment
      switch (happening.kind) {
        case "before":
          return before(moment, happening)
        case "after":
          await after(moment, happening)
          return NONE
        case "batch":
          for (const call of happening.calls) {
            const id = commandIdOf(call)
            if (id === undefined) continue
            if (!known.has(id)) await observed(moment, call, undefined)
            else {
              const left = open.take(id, call)
              if (left !== undefined)
                await log.tell({ ...ObservedCommand.unknown(id, NOT_TOLD), causationId: left.last })
            }
          }
          return NONE
        default:
          await told(moment)
          return NONE
      }
    },
    hasOpenCalls: () => open.left().length > 0,
    leave: async () => {
      await log.settled()
      await log.tell({ type: "RecorderLeft", payload: defined({ identity }) })
    },
    end: async (reason) => {
      await log.settled()
      const ends = open.left().map(
        ({ commandId, last }): CoreNewEvent => ({
          ...ObservedCommand.unknown(commandId, NOT_TOLD),
          causationId: last,
        }),
      )
      const outcome = ends.length > 0 ? "abandoned" : "achieved"
      const closed: CoreNewEvent = { type: "TaskClosed", payload: { outcome, reason } }
      const [first = closed, ...others] = [...ends, closed]
      await log.tell(first, ...others)
    },
  }
}

const denied = (rule: string, reason: string): Verdict => ({ decision: "deny", rule, reason })

/** An actuator has one slash and no spaces. */
const actuatorOf = (client: string, tool: string): string =>
  `${client}/${tool.replaceAll(/[\s/\p{C}]/gu, "_") || "unnamed"}`

const chained = (
  cause: string,
  events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
): readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>] => {
  let causationId = cause
  const [first, ...others] = events.map((event) => {
    const id = newId()
    const one = { ...event, id, causationId }
    causationId = id
    return one
  })
  return [first ?? events[0], ...others]
}

/** Denies the commands that an earlier process left undispatched: it never answered the client, which refused them. */
const repair = (taskId: string, past: BegunRun["past"]) => {
  const left = [...CommandState.fold(past)].filter(
    ([, { at }]) => at === "requested" || at === "asked" || at === "allowed",
  )
  let events: ReadonlyArray<CoreNewEvent> = left.map(([commandId, { last }]) => ({
    type: "CommandDenied",
    causationId: last,
    payload: { commandId, rule: "recovery", reason: `its recorder ended before the call of ${taskId} was let pass` },
  }))
  return {
    tell: async (log: RunLog): Promise<void> => {
      const [first, ...others] = events
      events = []
      if (first !== undefined) await log.tell(first, ...others)
    },
  }
}
