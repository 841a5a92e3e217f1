/** Memories that outlast a task: stores them as events, and finds them by words and by meaning. */

import { Context, Effect, Layer, Option, type Scope } from "effect"
import { type AppendError, EventLog, type LogError } from "../events/log/EventLog.ts"
import { PersonalData } from "../events/payload/PersonalData.ts"
import * as Moment from "../events/read/Moment.ts"
import * as Timelines from "../events/read/Timelines.ts"
import { newId } from "../events/vocabulary/Event.ts"
import { idOf } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"
import { type EmbeddingFailed, type EmbeddingMismatch, embedderOf, encoded } from "./Embedding.ts"
import {
  LIMIT,
  LIST_LIMIT,
  ListOptions,
  MemoriesOptions,
  type MemoryScope,
  type Names,
  RecallOptions,
  RememberOptions,
} from "./MemoryOptions.ts"
import type { MemoriesUnavailable } from "./MemoryParts.ts"
import * as MemoryParts from "./MemoryParts.ts"
import type { VisibleSpan } from "./MemoryVectors.ts"
import * as Recalling from "./Recalling.ts"
import * as Reembedding from "./Reembedding.ts"
import type { WantedScope } from "./ScopeWords.ts"

export {
  type AiSdkEmbedding,
  Embedding,
  EmbeddingFailed,
  type EmbeddingFunction,
  EmbeddingMismatch,
} from "./Embedding.ts"
export {
  ListOptions,
  MemoriesOptions,
  type MemoryScope,
  type Names,
  type RecallMoment,
  RecallOptions,
  type RememberingTask,
  RememberOptions,
} from "./MemoryOptions.ts"
export { fileOf, MemoriesUnavailable } from "./MemoryParts.ts"
export type { Memory, RecalledMemory } from "./Recalling.ts"

/** The result of a recall. */
export interface Recollection {
  readonly query: string
  /** The best first. */
  readonly memories: ReadonlyArray<Recalling.RecalledMemory>
  /** Up to which position the recall looked. */
  readonly at: number
  readonly timeline: string
  /** The number of memories in this scope that cannot be read here: their keys are destroyed or missing. */
  readonly unreadable: number
}

/** The result of a list. */
export interface MemoryList {
  /** The newest first. */
  readonly memories: ReadonlyArray<Recalling.Memory>
  readonly at: number
  readonly timeline: string
  readonly unreadable: number
}

/** The result of a rebuild. */
export interface Rebuilt {
  /** The number of readable memories, on all timelines. */
  readonly memories: number
  /** The number of memories that got a new vector. */
  readonly embedded: number
  readonly unreadable: number
}

/** Reasons why a memory cannot be stored. */
export type RememberError =
  | Options.InvalidOptions
  | EmbeddingFailed
  | EmbeddingMismatch
  | MemoriesUnavailable
  | Timelines.TimelineNotFound
  | AppendError

/** Reasons why a recall fails. */
export type RecallError =
  | Options.InvalidOptions
  | EmbeddingFailed
  | EmbeddingMismatch
  | MemoriesUnavailable
  | Moment.LocateError

/**
 * Memories of agents and programs. Each is an event (`MemoryStored`). The index next to the log (`<log>.memories`) can
 * be built again from the log at any time, and has no text and no personal data.
 */
export class Memories extends Context.Tag("hindcast/Memories")<Memories, Memories.Service>() {}

/** The type of the service: `Memories.Service`. */
export declare namespace Memories {
  /** The memories of one log. */
  export interface Service {
    /** Stores a memory. Returns it once it is in the log. */
    readonly remember: (options: RememberOptions) => Effect.Effect<Recalling.Memory, RememberError>
    /**
     * Finds memories that share words with the question and, with an embedding model, those that are near in meaning.
     * Reads only: a tool or a sensor records what an agent recalled.
     */
    readonly recall: (options: RecallOptions) => Effect.Effect<Recollection, RecallError>
    /** Lists memories, the newest first. */
    readonly list: (options?: ListOptions) => Effect.Effect<MemoryList, RecallError>
    /**
     * Builds the index again from the log. With an embedding model, also embeds the memories that lack a vector of it,
     * and records the vectors (`MemoryEmbedded`). After an interrupt, the next call continues.
     */
    readonly rebuild: Effect.Effect<Rebuilt, Exclude<RememberError, Options.InvalidOptions>>
  }
}

/** Alias of `Memories.Service` for namespace imports. */
export type Service = Memories.Service

/** The stream of memories. */
export const STREAM = "memories"

/** The index is opened at the first use. */
export const make = (
  input: MemoriesOptions = {},
): Effect.Effect<Memories.Service, Options.InvalidOptions, EventLog | PersonalData | Scope.Scope> =>
  Effect.gen(function* () {
    const { embedding } = yield* Options.decode("memories", MemoriesOptions, input)
    const log = yield* EventLog
    const personal = yield* PersonalData
    const embedder = embedding === undefined ? undefined : embedderOf(embedding)
    const { built, clear } = yield* MemoryParts.open(log)

    const timelines = new Map<string, Timelines.Timeline>()
    const viewOf = (name: string) =>
      Effect.gen(function* () {
        if (name === log.timeline) return log
        const found = timelines.get(name) ?? (yield* Timelines.named(log, name))
        timelines.set(name, found)
        return Timelines.view(log, found)
      })

    /** The visible spans of a timeline's history up to a moment. */
    const spansAt = (moment: Moment.Moment | undefined) =>
      Effect.gen(function* () {
        const { timeline, position } =
          moment === undefined
            ? { timeline: log.timeline, position: (yield* log.head).position }
            : yield* Effect.provideService(Moment.locate(moment), EventLog, log)
        const { spans } = yield* viewOf(timeline)
        const visible = spans.map((span): VisibleSpan => ({ ...span, until: Math.min(span.until, position) }))
        return { at: position, timeline, spans: visible }
      })

    /** A subject without a key has no readable memories, so no memory is of it. */
    const wantedOf = ({ agent, user, subject }: MemoryScope): Effect.Effect<WantedScope, LogError> =>
      Effect.gen(function* () {
        const others = { agent: listOf(agent), user: listOf(user) }
        const subjects = listOf(subject)
        if (subjects === undefined) return others
        const known = yield* personal.subjects
        const keyIds = subjects.flatMap((name) => {
          if (name === null) return [null]
          return known.find((one) => one.subject === name && !one.shredding)?.keyId ?? []
        })
        return { ...others, keyId: keyIds }
      })

    const unreadableIn = (
      parts: ReadonlyArray<Recalling.MemoryPart>,
      spans: ReadonlyArray<VisibleSpan>,
      wanted: WantedScope,
    ) =>
      Effect.map(
        Effect.forEach(parts, ({ index }) =>
          index.use((of) => spans.reduce((sum, span) => sum + of.unreadable(span, wanted), 0)),
        ),
        (counts) => counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      )

    const remember = (input: RememberOptions) =>
      Effect.gen(function* () {
        const options = yield* Options.decode("memories.remember", RememberOptions, input)
        const {
          text,
          agent,
          user,
          subject,
          taskId,
          key,
          timeline = log.timeline,
          source = "program",
          causationId,
        } = options
        const view = yield* viewOf(timeline)
        const id = key === undefined ? newId() : idOf("hindcast/memory", timeline, key)
        const before = key === undefined ? undefined : yield* stored(id, options)
        if (before !== undefined) return before
        const vector = embedder === undefined ? undefined : (yield* embedder.embed([text]))[0]
        const embeddedBy =
          embedder === undefined || vector === undefined
            ? undefined
            : { model: embedder.model, dimensions: vector.length }
        if (embeddedBy !== undefined) {
          yield* Recalling.assertComparable(yield* Recalling.modelsOf(yield* built), embeddedBy)
        }
        const payload = {
          text,
          ...defined({ agent, user }),
          source,
          ...(embeddedBy === undefined || vector === undefined
            ? {}
            : { embedding: embeddedBy, vector: encoded(vector) }),
        }
        const event = yield* view
          .append({
            stream: STREAM,
            taskId: taskId ?? null,
            actor: `agent:${agent ?? "program"}`,
            ...defined({ subject }),
            events: [{ id, type: "MemoryStored", payload, ...defined({ causationId }) }],
          })
          .pipe(Effect.map(({ events: [event] }) => event))
        const memory = event === undefined ? undefined : Recalling.memoryOf(event)
        return memory ?? (yield* Effect.dieMessage("an append answered without a memory"))
      }).pipe(
        // Two calls with one key at the same moment: an embedding model need not repeat its vectors exactly.
        Effect.catchTag("IdReused", (reused) =>
          Effect.flatMap(stored(reused.id, input), (memory) =>
            memory === undefined ? Effect.fail(reused) : Effect.succeed(memory),
          ),
        ),
      )

    /** The memory that a key has stored. Fails if it belongs to others, whose text the caller must not get. */
    const stored = (id: string, { agent, user, subject, taskId }: RememberOptions) =>
      Effect.gen(function* () {
        const event = Option.getOrUndefined(yield* log.find(id))
        const memory = event === undefined ? undefined : Recalling.memoryOf(event)
        if (memory === undefined) return undefined
        const [keyId] = (yield* wantedOf({ subject: subject ?? null })).keyId ?? []
        // Without a subject of its own, a memory has that of its task.
        const isOfSubject =
          (event?.personal?.keyId ?? null) === keyId || (subject === undefined && taskId !== undefined)
        const isOfOthers = memory.agent !== (agent ?? null) || memory.user !== (user ?? null) || !isOfSubject
        return isOfOthers ? yield* KEY_TAKEN : memory
      })

    const service: Memories.Service = {
      remember,
      recall: (input) =>
        Effect.gen(function* () {
          const options = yield* Options.decode("memories.recall", RecallOptions, input)
          const { query, limit = LIMIT } = options
          const wanted = yield* wantedOf(options)
          const { at, timeline, spans } = yield* spansAt(options.at)
          const parts = yield* built
          const memories = yield* Recalling.recall(log, embedder, query, { parts, spans, wanted, limit })
          return { query, memories, at, timeline, unreadable: yield* unreadableIn(parts, spans, wanted) }
        }),
      list: (input = {}) =>
        Effect.gen(function* () {
          const options = yield* Options.decode("memories.list", ListOptions, input)
          const { limit = LIST_LIMIT } = options
          const wanted = yield* wantedOf(options)
          const { at, timeline, spans } = yield* spansAt(options.at)
          const parts = yield* built
          const positions: Array<number> = []
          for (const { index } of parts) {
            for (const span of spans)
              positions.push(...((yield* index.use((of) => of.positions(span, wanted, limit))) ?? []))
          }
          positions.sort((a, b) => b - a)
          const read = yield* Effect.forEach(positions.slice(0, limit), (position) => Recalling.read(log, position))
          const memories = read.filter((memory) => memory !== undefined)
          return { memories, at, timeline, unreadable: yield* unreadableIn(parts, spans, wanted) }
        }),
      rebuild: Effect.gen(function* () {
        yield* clear
        const parts = yield* built
        const embedded = embedder === undefined ? 0 : yield* Reembedding.run({ log, personal, parts, embedder, viewOf })
        const counted = yield* Effect.forEach(yield* built, ({ index }) => index.use((of) => of.counts))
        const sum = (of: "memories" | "unreadable") => counted.reduce((all, one) => all + (one?.[of] ?? 0), 0)
        return { memories: sum("memories"), embedded, unreadable: sum("unreadable") }
      }),
    }
    return service
  })

/** The service, with an index that opens at the first use. */
export const layer = (
  options: MemoriesOptions = {},
): Layer.Layer<Memories, Options.InvalidOptions, EventLog | PersonalData> => Layer.scoped(Memories, make(options))

const KEY_TAKEN = new Options.InvalidOptions({
  of: "memories.remember",
  problems: [
    { path: "key", expected: "a key of this agent, user and subject alone", found: "one of a memory of others" },
  ],
})

const listOf = (names: Names | undefined): ReadonlyArray<string | null> | undefined =>
  names === null || typeof names === "string" ? [names] : names
