/**
 * The tools by which agents remember and recall (`program/remember`, `program/recall`), and the sensor that recalls by
 * itself (`program/memories`). The outcome of a recall, or its reading, is the evidence: it names the events of the
 * memories, and a replay answers with it.
 */

import { Effect, Schema } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import { PersonalData } from "../../events/payload/PersonalData.ts"
import { streamOf } from "../../events/payload/TaskSubjects.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { Memories, type MemoriesOptions, type Recollection } from "../../memories/Memories.ts"
import { fieldOf, messageText } from "../../values/JsonObjects.ts"
import type * as Options from "../../values/Options.ts"
import type { CallContext } from "./ProgramFunction.ts"
import * as Sensor from "./Sensor.ts"
import * as Tool from "./Tool.ts"

/** The tools and sensors of memories, by name. */
export interface MemoryTools {
  readonly tools: { readonly [name: string]: Tool.Tool }
  readonly sensors: { readonly [name: string]: Sensor.Sensor }
}

export const REMEMBER = "remember"
export const RECALL = "recall"
export const MEMORIES = "memories"

/** The recall as an actuator. */
export const RECALL_ACTUATOR = `program/${RECALL}`

/** Longest question of a recall, in characters. */
export const LONGEST_QUERY = 2_000

const Remembered = Schema.Struct({
  id: Schema.String.annotations({ description: "The id of the memory's event" }),
  position: Schema.Int.annotations({ description: "The position of the memory's event" }),
})

/** The evidence of a recall. */
export const Recalled = Schema.Struct({
  query: Schema.String,
  memories: Schema.Array(
    Schema.Struct({
      ...Remembered.fields,
      text: Schema.String,
      at: Schema.String.annotations({ description: "When it was stored, by RFC 3339" }),
    }),
  ).annotations({ description: "The best first" }),
  upTo: Schema.Int.annotations({ description: "The position up to which the recall looked" }),
  unreadable: Schema.Int.annotations({
    description: "The number of memories that cannot be read, because their keys are destroyed or missing",
  }),
})

export type Recalled = typeof Recalled.Type

const Query = Schema.String.pipe(
  Schema.filter((text) => text.trim() !== "" && text.length <= LONGEST_QUERY),
  Schema.annotations({ description: `The question, in words: 1 to ${LONGEST_QUERY} characters` }),
)

/** The tools and, if the options say so, the sensor. */
export const make = ({
  scope,
  sensor = false,
}: MemoriesOptions): Effect.Effect<MemoryTools, never, Memories | EventLog | PersonalData> =>
  Effect.gen(function* () {
    const memories = yield* Memories
    const log = yield* EventLog
    const personal = yield* PersonalData

    const taskOf = (context: CallContext) =>
      Effect.gen(function* () {
        const view = Timelines.view(log, yield* Timelines.named(log, context.timeline))
        const { timeline } = view
        const [opened] = yield* view.readPage({ timeline, stream: streamOf(context.taskId), types: ["TaskOpened"] }, 1)
        if (opened === undefined || !is(opened, "TaskOpened")) {
          return yield* Effect.dieMessage(`task ${context.taskId} called a tool before its opening`)
        }
        const agent = opened.payload.agent.replace(/@[^@]*$/, "")
        const given = scope?.({ taskId: context.taskId, goal: opened.payload.goal, agent })
        return {
          view,
          timeline: yield* memoriesOf(opened.payload, timeline),
          opened,
          agent: given?.agent ?? agent,
          user: given?.user,
        }
      })

    /**
     * The timeline of a task's memories. A task below a fork's is on `main`, but remembers what the fork does: nothing
     * from its future, and nothing for others.
     */
    const memoriesOf = (opened: PayloadOf<"TaskOpened">, timeline: string) =>
      Effect.gen(function* () {
        let { parent } = opened
        for (let above = 0; parent !== undefined && timeline === MAIN && above < MOST_ABOVE; above++) {
          if (parent.timeline !== undefined) return parent.timeline
          const query = { timeline, stream: streamOf(parent.taskId), types: ["TaskOpened"] }
          const [found]: ReadonlyArray<Event> = yield* log.readPage(query, 1)
          parent = found !== undefined && is(found, "TaskOpened") ? found.payload.parent : undefined
        }
        return timeline
      })
    type OfTask = Effect.Effect.Success<ReturnType<typeof taskOf>>

    /** The subject's name; null if the task has none, or if its key is destroyed or elsewhere. */
    const subjectOf = ({ opened }: OfTask) =>
      opened.personal === undefined
        ? Effect.succeed(null)
        : Effect.map(
            personal.subjects,
            (known) =>
              known.find(({ keyId, shredding }) => keyId === opened.personal?.keyId && !shredding)?.subject ?? null,
          )

    /**
     * Stores the initial memories of the task's guide, each once for its agent. Where they are personal, they stay in
     * the task.
     */
    const prime = ({ view, timeline, agent }: OfTask, taskId: string) =>
      Effect.gen(function* () {
        const guides = yield* view.readPage(
          { timeline: view.timeline, stream: streamOf(taskId), types: ["GuideApplied"] },
          MOST_GUIDES,
        )
        for (const guide of guides) {
          if (!is(guide, "GuideApplied") || guide.personal !== undefined) continue
          for (const text of guide.payload.initialMemories) {
            const key = JSON.stringify(["guide", agent, text])
            yield* memories.remember({ text, agent, taskId, timeline, source: "guide", causationId: guide.id, key })
          }
        }
      })

    /** Recalls the memories of the task's agent, user and subject, and its agent's general ones. */
    const recall = (of: OfTask, { taskId }: CallContext, query: string, limit: number | undefined) =>
      Effect.gen(function* () {
        yield* prime(of, taskId)
        const { agent, user = null, timeline } = of
        const found = yield* memories.recall({
          query,
          agent,
          user: [user, null],
          subject: [yield* subjectOf(of), null],
          ...(timeline === log.timeline ? {} : { at: `${timeline}@now` }),
          ...(limit === undefined ? {} : { limit }),
        })
        return evidenceOf(found)
      })

    const tools = {
      [REMEMBER]: Tool.make({
        description:
          "Stores something worth knowing in later tasks, such as a preference, a fact or a lesson. Write it so that it can be understood by itself.",
        args: Schema.Struct({
          text: Schema.String.annotations({ description: "The memory, in one or a few sentences" }),
        }),
        result: Remembered,
        risk: "low",
        idempotent: true,
        run: ({ text }, context) =>
          Effect.gen(function* () {
            const { agent, user, timeline, view } = yield* taskOf(context)
            const { id, position } = yield* memories.remember({
              text,
              agent,
              ...(user === undefined ? {} : { user }),
              taskId: context.taskId,
              timeline,
              source: "agent",
              ...(yield* causeOf(view, context)),
              key: JSON.stringify(["command", context.commandId]),
            })
            return { id, position }
          }),
      }),
      [RECALL]: Tool.make({
        description: "Finds what was remembered in earlier tasks, by a question in words.",
        args: Schema.Struct({
          query: Query,
          limit: Schema.optionalWith(
            Schema.Int.pipe(Schema.between(1, 50), Schema.annotations({ description: "Maximum number of memories" })),
            { exact: true },
          ),
        }),
        result: Recalled,
        risk: "none",
        idempotent: true,
        concurrent: true,
        run: ({ query, limit }, context) => Effect.flatMap(taskOf(context), (of) => recall(of, context, query, limit)),
      }),
    }
    const sensors = {
      [MEMORIES]: Sensor.make({
        description: "What was remembered in earlier tasks about the newest input, or the goal before the first",
        reading: Recalled,
        read: (context) =>
          Effect.gen(function* () {
            const of = yield* taskOf(context)
            return yield* recall(of, context, yield* questionOf(of, context.taskId), undefined)
          }),
      }),
    }
    return { tools, sensors: sensor ? sensors : {} }
  })

/** Number of tasks above one: a foreign log may have a circle of parents. */
const MOST_ABOVE = 100

/** Number of guides of one task that prime its agent's memory. */
const MOST_GUIDES = 100

const evidenceOf = ({ query, memories, at, unreadable }: Recollection): Recalled => ({
  query,
  memories: memories.map(({ id, position, text, occurredAt }) => ({
    id,
    position,
    text,
    at: new Date(occurredAt).toISOString(),
  })),
  upTo: at,
  unreadable,
})

/** The newest event of a task that fits; undefined if none does. */
const newest = (view: EventLog.Service, taskId: string, type: CoreName, fits: (event: Event) => boolean) => {
  let found: Event | undefined
  return Effect.map(
    Pages.forEach(view.readPage, { timeline: view.timeline, stream: streamOf(taskId), types: [type] }, (page) => {
      found = page.findLast(fits) ?? found
    }),
    () => found,
  )
}

/** The command's request, as the cause of what it stores. */
const causeOf = (view: EventLog.Service, { taskId, commandId }: Tool.ToolContext) =>
  Effect.map(
    newest(view, taskId, "ActuatorCommanded", ({ payload }) => payload.commandId === commandId),
    (found): { readonly causationId?: string } => (found === undefined ? {} : { causationId: found.id }),
  )

/** The text of the task's newest input, else its goal, at most as long as a question. */
const questionOf = ({ view, opened }: { readonly view: EventLog.Service; readonly opened: Event }, taskId: string) =>
  Effect.map(
    newest(view, taskId, "InputReceived", ({ payload }) => messageText(payload.content).trim() !== ""),
    (input) => {
      const text = input === undefined ? String(opened.payload.goal) : messageText(input.payload.content)
      return text.slice(0, LONGEST_QUERY).toWellFormed()
    },
  )

/** A program that declares memories may not declare tools or sensors of the same names. */
export const takenNames = (options: unknown): ReadonlyArray<Options.Found> =>
  fieldOf(options, "memories") === undefined
    ? []
    : (["tools", "sensors"] as const).flatMap((kind) =>
        [REMEMBER, RECALL, MEMORIES].flatMap((name) =>
          Object.hasOwn(Object(fieldOf(options, kind)), name)
            ? [
                {
                  keys: [kind, name],
                  expected: "another name, because the option memories declares this one",
                  found: JSON.stringify(name),
                },
              ]
            : [],
        ),
      )
