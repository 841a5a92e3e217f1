/**
 * Records a coding agent's session as a task. Each call is a command: the tool runs only after the gate let it pass and
 * the log has the dispatch. Calls without a hook are recorded as observed.
 */

import { Effect } from "effect"
import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { newId } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
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
import * as Capture from "./Capture.ts"
import type { AsksPerson, HookEvent, HookRuling, ToolCall, ToolOutcome } from "./HookEvent.ts"
import * as LeftCalls from "./LeftCalls.ts"
import * as OpenCalls from "./OpenCalls.ts"
import type { SessionFiles } from "./SessionFiles.ts"

export interface SessionParts {
  /** The client's name, before the slash of each actuator. */
  readonly client: string
  /** How the session is seen. */
  readonly means: Capture.Means
  readonly begun: BegunRun
  readonly log: RunLog
  /** Without a gate, every call passes. */
  readonly gate: GateConfig | undefined
  readonly redaction: Redaction
  readonly files: SessionFiles
}

/** A session with an open task. */
export interface Session {
  /** Records an event. If a tool waits, returns the gate's ruling. The signal aborts once its client has left. */
  readonly take: (hookEvent: HookEvent, left: AbortSignal) => Promise<HookRuling>
  /** Stops recording; the session may continue. */
  readonly leave: () => Promise<void>
  readonly end: (reason: string) => Promise<void>
  /** Whether a result of a call with this id belongs to the session. */
  readonly knows: (callId: string) => boolean
}

type Called = Extract<HookEvent["happening"], { readonly kind: "before" }>

const NONE: HookRuling = { decision: "none" }

/** Maximum time for a person's answer, in milliseconds. After 600 s, a client continues without an answer. */
const MAX_ASKED_MS = 540_000

const UNSEEN = "the client reports the call, and no hook was asked about it"

export const make = ({ client, means, begun, log, gate, redaction, files }: SessionParts): Session => {
  const { taskId, openedBy, past, ask, answer, withdraw, identity } = begun
  const open = OpenCalls.make(past)
  /** Clients report one call in several ways, sometimes twice. */
  const known = new Set(past.flatMap((event) => (is(event, "ActuatorCommanded") ? [event.payload.commandId] : [])))
  /** Calls that the client may run although they were denied: it did not wait for the answer. */
  const unheard = new Set(LeftCalls.refusedUnheard(past))
  let left: LeftCalls.Undispatched | undefined = LeftCalls.undispatched(past)
  /** The agent's last prompt. */
  let cause = past.findLast((event) => is(event, "InputReceived"))?.id ?? openedBy
  const commandIdOf = ({ callId }: ToolCall) => (callId === undefined ? undefined : `${taskId}/${callId}`)
  const plain = <A extends Json>(value: A): A => redaction.value(value)
  const held = (value: Json): Json => recordable<Json>(plain(value), (omitted) => omitted)
  const askingUntil =
    (left: AbortSignal, person: AsksPerson | undefined): GatedCalls.GateParts["ask"] =>
    async (question) => {
      const withinMs = person === undefined ? Math.min(question.withinMs, MAX_ASKED_MS) : question.withinMs
      const gone = Effect.as(aborted(left), LeftCalls.NOBODY_WAITS)
      const unanswered = (error: unknown) => process.emitWarning(`The client's answer is lost: ${error}`)
      const result = await ask({ ...question, withinMs }, gone, (requested) => {
        person?.()
          .then((given) => answer(requested, given))
          .catch(unanswered)
      })
      // An answer may have come just before the client left.
      return result.kind === "approved" && left.aborted
        ? { kind: "rejected", event: result.event, reason: LeftCalls.NOBODY_WAITS }
        : result
    }
  const agentOf = ({ agentId }: HookEvent) => defined({ agentId })

  /** Notes the recorder's view, unless an earlier server did, and ends the calls that it left undispatched. */
  const repair = async (): Promise<void> => {
    if (left === undefined) return
    const { commandIds, questions, denials } = left
    left = undefined
    if (!past.some((event) => is(event, "CaptureNoted") && event.payload.source === means))
      await log.tell(Capture.noted(means, client))
    for (const question of questions) await withdraw(question, LeftCalls.NOBODY_WAITS)
    const [first, ...others] = denials
    for (const commandId of commandIds) unheard.add(commandId)
    if (first !== undefined) await log.tell(first, ...others)
  }

  const before = async (hookEvent: HookEvent, call: Called, left: AbortSignal): Promise<HookRuling> => {
    const { tool, input } = call
    const commandId = commandIdOf(call) ?? newId()
    if (known.has(commandId)) return denied("repeated", `the call ${call.callId} was decided before`)
    known.add(commandId)
    const gated = GatedCalls.make(
      { gate },
      {
        actuator: actuatorOf(client, tool),
        args: input,
        shown: plain(input),
        cause,
        description: `A tool of ${client}`,
        commandId,
        ...defined({ callId: call.callId, agentId: hookEvent.agentId }),
      },
    )
    const isRecorded = await GatedCalls.dispatched({ log, gate, ask: askingUntil(left, call.person) }, gated)
    if (gated.denied !== undefined) {
      await files.withdrawn(commandId)
      if (left.aborted) unheard.add(commandId)
      return denied(gated.judgement.rule, gated.denied.reason)
    }
    if (!isRecorded) return denied("log", "the log failed, and with it the gate")
    open.add({
      commandId,
      last: gated.state.last,
      since: performance.now(),
      key: OpenCalls.keyOf(call),
      agentId: hookEvent.agentId,
    })
    await files.before(tool, { commandId, last: gated.state.last, args: plain(input) })
    return { decision: "allow" }
  }

  const after = async (hookEvent: HookEvent, call: ToolCall & ToolOutcome): Promise<void> => {
    const { ok, durationMs } = call
    const content = held(call.content)
    const found = open.take(commandIdOf(call), call)
    if (found === undefined) {
      const id = commandIdOf(call)
      // Otherwise its end is in the log.
      if (id === undefined || !known.has(id) || unheard.delete(id))
        await observed(hookEvent, call, { ok, content, durationMs })
      return
    }
    const latencyMs = durationMs ?? (found.since === undefined ? undefined : MonotonicClock.elapsedSince(found.since))
    const end = ObservedCommand.ended(found.commandId, {
      ok,
      content,
      latencyMs,
      by: call.callId === undefined ? "call-input" : undefined,
    })
    const id = newId()
    await log.tell({ ...end, id, causationId: found.last })
    await files.after(call.tool, { commandId: found.commandId, end: id })
  }

  /** Records a call that no hook asked about. Its outcome is known only from its own result. */
  const observed = async (hookEvent: HookEvent, call: ToolCall, outcome: ToolOutcome | undefined): Promise<void> => {
    const id = commandIdOf(call)
    // A call that ran although it was denied is another command.
    const commandId = id === undefined || known.has(id) ? newId() : id
    known.add(commandId)
    const request = ObservedCommand.requested({
      commandId,
      actuator: actuatorOf(client, call.tool),
      args: recordable(plain(call.input), (omitted) => ({ omitted })),
      callId: call.callId,
      agentId: hookEvent.agentId,
    })
    const [allowed, dispatched] = ObservedCommand.passed(commandId, "observed")
    const end =
      outcome === undefined
        ? ObservedCommand.unknown(commandId, UNSEEN)
        : ObservedCommand.ended(commandId, { ...outcome, latencyMs: outcome.durationMs, by: undefined })
    const events = chained(cause, [request, allowed, dispatched, end])
    await log.tell(...events)
    const last = events.at(-1)?.id ?? cause
    await files.unexpected(call.tool, { commandId, last, args: plain(call.input) })
  }

  /** Prompts and messages have types of their own; anything else is kept as it came. */
  const told = async (hookEvent: HookEvent): Promise<void> => {
    const { happening } = hookEvent
    switch (happening.kind) {
      case "prompt": {
        const payload = { source: happening.source, content: held(happening.text), ...agentOf(hookEvent) }
        const id = newId()
        await files.look()
        await log.tell({ type: "InputReceived", id, payload })
        cause = id
        return
      }
      case "said": {
        const content = String(held(happening.text))
        // Over ACP, a call ends the message, and the agent may write already.
        if (means !== "acp") await files.look()
        await log.tell({ type: "MessageSent", payload: { content, format: "markdown", ...agentOf(hookEvent) } })
        return
      }
      case "announced":
        await kept(hookEvent)
        await files.announced(happening.tool, {
          commandId: commandIdOf(happening) ?? newId(),
          last: cause,
          args: plain(happening.input),
        })
        return
      default:
        await kept(hookEvent)
    }
  }

  const kept = async (hookEvent: HookEvent): Promise<void> => {
    const payload = { source: client, kind: hookEvent.event, record: held(hookEvent.payload), ...agentOf(hookEvent) }
    await log.tell({ type: "SourceRecordKept", payload })
  }

  return {
    take: async (hookEvent, left) => {
      await repair()
      const { happening } = hookEvent
      switch (happening.kind) {
        case "before":
          return before(hookEvent, happening, left)
        case "after":
          await after(hookEvent, happening)
          return NONE
        case "batch":
          for (const call of happening.calls) {
            const id = commandIdOf(call)
            if (id === undefined) continue
            if (!known.has(id)) await observed(hookEvent, call, undefined)
            else {
              const left = open.take(id, call)
              if (left === undefined) continue
              const end = newId()
              await log.tell({ ...ObservedCommand.unknown(id, LeftCalls.NOT_TOLD), id: end, causationId: left.last })
              await files.after(call.tool, { commandId: id, end })
            }
          }
          return NONE
        default:
          await told(hookEvent)
          return NONE
      }
    },
    knows: (callId) => known.has(`${taskId}/${callId}`),
    leave: async () => {
      files.leave()
      await log.settled()
      await log.tell({ type: "RecorderLeft", payload: defined({ identity }) })
    },
    end: async (reason) => {
      await log.settled()
      await repair()
      await files.look()
      files.leave()
      await log.tell(...LeftCalls.closing(open.left(), reason))
    },
  }
}

const denied = (rule: string, reason: string): HookRuling => ({ decision: "deny", rule, reason })

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

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.async((resume) => {
    const left = () => resume(Effect.void)
    if (signal.aborted) return left()
    signal.addEventListener("abort", left, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", left))
  })
