/** Lets a tutor give a hint, a demonstration or feedback, in a task of its own where it is an agent. */

import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is, isStep } from "../../../events/vocabulary/Vocabulary.ts"
import type { GuidanceKind } from "../../../events/vocabulary/Worlds.ts"
import type * as Agent from "../../../kernel/agents/Agent.ts"
import * as TaskAudit from "../../../projections/audit/TaskAudit.ts"
import type * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import type { Json } from "../../../values/Json.ts"
import { MAX_HINT, type Stage, type Tutor } from "../document/Document.ts"
import type { Loaded } from "../document/decode.ts"
import * as Attempts from "./Attempts.ts"
import * as Guided from "./Guided.ts"
import type { Left } from "./Players.ts"

/** The messages that an agent receives at the beginning of each task of a stage: all guidance for it so far. */
export const messagesFor = (
  { attempts }: Pick<CurriculumRuns.CurriculumRun, "attempts">,
  stage: Pick<Stage, "stage">,
): ReadonlyArray<Guided.Message> =>
  attempts.flatMap(({ stage: of, guidance }) =>
    of === stage.stage && guidance?.content !== undefined
      ? [{ source: `tutor:${guidance.tutor}`, content: guidance.content }]
      : [],
  )

/** How much a tutor gave so far. */
export const givenBy = (
  { attempts }: Pick<CurriculumRuns.CurriculumRun, "attempts">,
  tutor: string,
  gives: GuidanceKind,
): number => attempts.filter(({ guidance }) => guidance?.tutor === tutor && guidance.gives === gives).length

/**
 * The rest of a tutor's tokens and dollars; undefined if one of them is spent. A call of unknown size
 * or price spends them: unknown is not zero.
 */
export const leftOf = ({ attempts }: Pick<CurriculumRuns.CurriculumRun, "attempts">, name: string, { budget }: Tutor) =>
  Effect.gen(function* () {
    const { tokens, usd } = budget
    if (tokens === undefined && usd === undefined) return {}
    const taskIds = attempts.flatMap(({ guidance }) => (guidance?.tutor === name ? (guidance.taskId ?? []) : []))
    let [tokensUsed, usdUsed]: [number | null, number | null] = [0, 0]
    for (const taskId of taskIds) {
      const { model } = yield* Effect.catchTag(TaskAudit.load(taskId), "TaskNotFound", Effect.die)
      if (model === undefined) continue
      tokensUsed =
        tokensUsed === null || model.unmetered > 0 ? null : tokensUsed + model.inputTokens + model.outputTokens
      usdUsed = usdUsed === null || model.cost.usd === null ? null : usdUsed + model.cost.usd
    }
    if (tokens !== undefined && (tokensUsed === null || tokensUsed >= tokens)) return undefined
    if (usd !== undefined && (usdUsed === null || usdUsed >= usd)) return undefined
    const left: Left = {
      ...(tokens === undefined ? {} : { tokens: tokens - (tokensUsed ?? 0) }),
      ...(usd === undefined ? {} : { usd: usd - (usdUsed ?? 0) }),
    }
    return left
  })

/** The text that a tutor gave, or the reason why there is none. */
export type Given = { readonly content: string } | { readonly missing: string }

/** Steps of a tutor who is asked: to say something, and to end the task. */
const MAX_STEPS = 10

/** Asks a tutor for a hint or feedback, in a task without a world. */
export const asked = (
  { curriculum }: Loaded,
  { agent }: Pick<CurriculumRuns.CurriculumRun, "agent">,
  attempt: CurriculumRuns.Attempt,
  { name, role, tutor }: { readonly name: string; readonly role: string | undefined; readonly tutor: Agent.Agent },
  { gives, taskId, goal }: { readonly gives: GuidanceKind; readonly taskId: string; readonly goal: string },
) =>
  Effect.gen(function* () {
    const { stage, attempt: number, taskIds, decided } = attempt
    const content = JSON.stringify({
      ...{ curriculum: curriculum.curriculum, stage, attempt: number, agent, goal, asked: gives, taskIds },
      evidence: decided?.evidence ?? {},
    })
    const wanted = gives === "hint" ? "one short hint that helps it at its next attempt" : "feedback on this attempt"
    const task = {
      goal: `You are ${name}${role === undefined ? "" : `, ${role}`}. The agent ${agent} has just made attempt ${number} at the stage ${stage} of the curriculum ${curriculum.curriculum}, whose goal is: ${goal} The message from the curriculum says how it went. Say ${wanted}, and end the task.`,
      plugins: [],
      maxSteps: MAX_STEPS,
    }
    const audit = yield* Attempts.ensured(taskId, Guided.of(tutor, [{ source: "curriculum", content }]), task)
    const said = (yield* eventsOf(taskId)).flatMap((event) => (is(event, "MessageSent") ? [event.payload.content] : []))
    const last = said.at(-1)?.trim()
    return last === undefined || last === "" ? nothing(name, audit) : { content: last.slice(0, MAX_HINT) }
  })

const nothing = (
  name: string,
  { outcome, reason }: { readonly outcome: string | null; readonly reason?: string },
): Given => ({
  missing: `${name} said nothing: its task was ${outcome ?? "left open"}${reason === undefined ? "" : ` (${reason})`}`,
})

/** Describes a demonstration, which a tutor has played in a task, in the order of its steps. */
export const demonstrated = (name: string, taskId: string) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    let reading: Json | undefined
    let end = ""
    for (const event of yield* eventsOf(taskId)) {
      if (is(event, "SensorRead")) reading = event.payload.reading
      else if (isStep(event)) lines.push(`${JSON.stringify(reading ?? null)} → ${JSON.stringify(event.payload.args)}`)
      else if (is(event, "TaskClosed")) end = event.payload.outcome
    }
    if (lines.length === 0) return { missing: `${name} took no step in the demonstration ${taskId}` } satisfies Given
    const head = `${name} shows it (task ${taskId}, ${end}). Readings and the actions that follow:\n`
    const shown = lines.join("\n")
    const room = MAX_HINT - head.length - CUT.length
    return { content: head + (shown.length > room ? shown.slice(0, room) + CUT : shown) } satisfies Given
  })

const CUT = "\n… (cut)"

const eventsOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events: Array<Event> = []
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId, types: SHOWN }, (page) => {
      events.push(...page)
    })
    return events
  })

const SHOWN = ["SensorRead", "ActuatorCommanded", "MessageSent", "TaskClosed"]
