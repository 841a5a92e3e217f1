/**
 * A channel between people and an agent at work: reports events of its task to front ends, and records people's inputs.
 */

import { Effect, Schema, Stream } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import { decider } from "../../events/log/Decider.ts"
import { type AppendError, EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Sha256 } from "../../events/vocabulary/EventType.ts"
import { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import { Confirmations, type NotAsShown, type NotPending } from "../../kernel/gate/Confirmations.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { ContentPart } from "../models/Message.ts"
import * as AgentState from "./AgentState.ts"
import type { ChannelEvent } from "./ChannelEvent.ts"
import * as ChannelEvents from "./ChannelEvents.ts"
import * as Cursor from "./Cursor.ts"
import type { Deltas } from "./Deltas.ts"

/** Options of a channel. */
export interface ChannelOptions {
  readonly taskId: string
  /** The task's timeline. Default: the log's, which is `main`. */
  readonly timeline?: string
  /** Streams answers of agents in this process. Default: none. */
  readonly deltas?: Deltas
  /** The speaker of calls that name none: the actor is `human:<by>`. Default: `channel`. */
  readonly by?: string
}

/** Text, or content parts. */
export type InputContent = string | ReadonlyArray<ContentPart>

/** Options of an input. */
export interface InputOptions {
  /** When the agent receives it. Default: `queued`. */
  readonly delivery?: InputDelivery
  readonly by?: string
  /** The input's route. Default: `channel`. */
  readonly source?: string
}

/** An answer to a question. */
export interface ConfirmationAnswer {
  readonly by?: string
  readonly reason?: string
  /** The digest that came with the question. An approval fails if the waiting question has another one. */
  readonly shownDigest?: string
}

/** A channel to one task. */
export interface Channel {
  readonly taskId: string
  readonly timeline: string
  /**
   * Streams the task's events after a position or a cursor, without gaps or repeats, each after it is recorded. The
   * stream has no end. Default: from the beginning.
   */
  readonly events: (options?: {
    readonly after?: number | string
  }) => Stream.Stream<ChannelEvent, Options.InvalidOptions | LogError>
  /** The agent's current activity. */
  readonly state: Effect.Effect<AgentState.AgentState, LogError>
  /** Records an input for the agent; `delivery` decides when the agent receives it. */
  readonly submitUserInput: (
    content: InputContent,
    options?: InputOptions,
  ) => Effect.Effect<Event, Options.InvalidOptions | TaskClosed | AppendError>
  /** Approves or rejects a waiting question. The first answer counts, from anyone. */
  readonly provideConfirmation: (
    confirmationId: string,
    approved: boolean,
    answer?: ConfirmationAnswer,
  ) => Effect.Effect<Event, Options.InvalidOptions | NotPending | NotAsShown | AppendError>
}

const asChannelOptions = Options.of<ChannelOptions>({
  required: { taskId: Options.Text },
  optional: {
    timeline: Options.Text,
    deltas: Options.kind<Deltas>("a hub of `Deltas.make`", Options.has("piecesOf")),
    by: Options.Name,
  },
})

const Said = Options.of<InputOptions & { readonly content: InputContent }>({
  required: {
    content: Schema.Union(
      Schema.String.pipe(Schema.filter((text) => text.trim() !== "")),
      Schema.Array(ContentPart).pipe(Schema.minItems(1)),
    ).annotations({ description: "text that is not blank, or content parts" }),
  },
  optional: { delivery: InputDelivery, by: Options.Name, source: Options.Name },
})

const asAnswer = Options.of<ConfirmationAnswer>({
  optional: { by: Options.Name, reason: Schema.String, shownDigest: Sha256 },
})

/** A channel to a task of the log, open or closed. */
export const make = (
  options: ChannelOptions,
): Effect.Effect<
  Channel,
  Options.InvalidOptions | TaskNotFound | Timelines.TimelineNotFound | LogError,
  EventLog | Confirmations
> =>
  Effect.gen(function* () {
    const decoded = yield* Options.decode("Channel.make", asChannelOptions, options)
    const { taskId, deltas, by: speaker = "channel" } = decoded
    const root = yield* EventLog
    const confirmations = yield* Confirmations
    const timeline = decoded.timeline ?? root.timeline
    const log = Timelines.view(root, yield* Timelines.named(root, timeline))
    const [opened] = yield* log.readPage({ timeline, taskId, types: ["TaskOpened"] }, 1)
    if (opened === undefined) return yield* new TaskNotFound({ taskId })
    return {
      taskId,
      timeline,
      events: ({ after = 0 } = {}) =>
        Stream.unwrap(
          Effect.map(checkedCursor(after), (cursor) => ChannelEvents.follow({ log, taskId, deltas }, cursor)),
        ),
      state: Stream.runFold(log.read({ timeline, taskId }), AgentState.initial, AgentState.evolve).pipe(
        Effect.map(AgentState.stateOf),
      ),
      submitUserInput: (content, options = {}) =>
        Effect.flatMap(
          Options.decode("submitUserInput", Said, { ...options, content }),
          ({ content, delivery, by = speaker, source = "channel" }) =>
            append(log, taskId, `human:${by}`, {
              source,
              content,
              ...defined({ delivery }),
            }),
        ),
      provideConfirmation: (confirmationId, approved, answer = {}) =>
        Effect.flatMap(Options.decode("provideConfirmation", asAnswer, answer), ({ by = speaker, ...given }) =>
          confirmations.decide(confirmationId, { approved, by, channel: "channel", ...given }),
        ),
    }
  })

export const checkedCursor = (after: number | string): Effect.Effect<Cursor.Cursor, Options.InvalidOptions> =>
  Cursor.parse("Channel.events", after)

const append = (
  log: EventLog.Service,
  taskId: string,
  actor: string,
  payload: { readonly source: string; readonly content: InputContent; readonly delivery?: InputDelivery },
): Effect.Effect<Event, TaskClosed | AppendError> =>
  Effect.gen(function* () {
    const appended = yield* decider(log).decide(`task/${taskId}`, () =>
      Effect.gen(function* () {
        const [closed] = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskClosed"] }, 1)
        if (closed !== undefined) return yield* new TaskClosed({ taskId })
        return { taskId, actor, events: [{ type: "InputReceived", payload }] } as const
      }),
    )
    return yield* appended === undefined ? Effect.dieMessage("nothing was appended") : firstEvent(appended)
  })
