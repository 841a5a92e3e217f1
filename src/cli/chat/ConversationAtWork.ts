/** A conversation with an agent: on a new task, in a fork after `/undo`, or in another process. */

import { Data, Deferred, Effect, Fiber, Option, type Scope, Stream } from "effect"
import * as Channel from "../../agents/channel/Channel.ts"
import type { Deltas } from "../../agents/channel/Deltas.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import type { RunOptions } from "../../kernel/agents/runAgent.ts"
import type { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import * as Inputs from "../../kernel/tasks/Inputs.ts"
import { defined } from "../../values/defined.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { value } from "../terminal/Text.ts"

export interface Failure {
  readonly _tag: string
  readonly message: string
}

export interface ConversationAtWork {
  readonly channel: Channel.Channel
  readonly after: number
  /** Ends the conversation and closes its task as achieved. */
  readonly end: Effect.Effect<void>
  readonly ended: Effect.Effect<void, Failure>
  /** Returns to the point before the last input, in a fork, and abandons this conversation. */
  readonly undo: (anyway: boolean) => Effect.Effect<readonly [ConversationAtWork, undone: string], Failure>
}

export class NothingToUndo extends Data.TaggedError("NothingToUndo") {
  override get message() {
    return "There is nothing to undo: expected a message of yours that the agent has read, found none."
  }
}

/** Only the process that runs the agent can undo. */
export class WorksElsewhere extends Data.TaggedError("WorksElsewhere") {
  override get message() {
    return "The agent works in another process. Go back there, or fork its task: see `hindcast fork --help`."
  }
}

/** Another kernel took over the log, and now has the task. */
export class ConversationTakenOver extends Data.TaggedError("ConversationTakenOver")<{
  readonly taskId: string
  readonly by: string
}> {
  override get message() {
    return (
      `${this.by} took over the log while this process was silent. This conversation cannot continue here. ` +
      `\`hindcast audit ${quoteWord(this.taskId)}\` shows whether its task was closed. If it is open, talk to its agent with \`hindcast chat --task ${quoteWord(this.taskId)}\` ` +
      `if one works on it, or continue it with \`hindcast resume ${quoteWord(this.taskId)}\` once the log is free.`
    )
  }
}

/** A conversation has practically no step limit: people end it. */
const STEPS = 1_000_000_000

export const begin = (agent: Agent.AdvancingAgent, deltas: Deltas, options: RunOptions) =>
  Effect.gen(function* () {
    const { tasks } = yield* Kernel
    const { position: after } = yield* (yield* EventLog).head
    const id = newId()
    const run = (talking: Agent.AdvancingAgent) => tasks.run(talking, { maxSteps: STEPS, ...options, id })
    return yield* atWork(agent, deltas, { taskId: id, after }, run)
  })

/** Joins a conversation whose agent works in another process. */
export const attach = (taskId: string, timeline: string | undefined) =>
  Effect.map(
    Channel.make({ taskId, ...defined({ timeline }) }),
    (channel): ConversationAtWork => ({
      channel,
      after: 0,
      end: Effect.void,
      ended: Effect.void,
      undo: () => new WorksElsewhere(),
    }),
  )

type Services = EventLog | Kernel | Confirmations | Scope.Scope

/** Starts the agent, and returns once it has begun. */
const atWork = (
  agent: Agent.AdvancingAgent,
  deltas: Deltas,
  { taskId, after, isForked = false }: { readonly taskId: string; readonly after: number; readonly isForked?: boolean },
  run: (talking: Agent.AdvancingAgent) => Effect.Effect<unknown, Failure>,
): Effect.Effect<ConversationAtWork, Failure, Services> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const services = yield* Effect.context<Services>()
    const begun = yield* Deferred.make<void>()
    const ending = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkScoped(run(talkingUntil(agent, begun, ending)))
    const begins = isForked ? forkAfter(taskId, after) : Effect.as(Deferred.await(begun), log.timeline)
    // If it ends before it begins, it failed.
    const timeline = yield* Effect.raceFirst(begins, Effect.zipRight(Fiber.join(fiber), Effect.never))
    const undo = (anyway: boolean) =>
      Effect.gen(function* () {
        const { fork } = yield* Kernel
        const last = yield* lastInput(taskId, timeline)
        const { position } = yield* log.head
        const at = `${timeline}@${last.before}`
        const next = yield* atWork(agent, deltas, { taskId, after: position, isForked: true }, (talking) =>
          fork(talking, { at, task: taskId, maxSteps: STEPS, acceptUnrewound: anyway }),
        )
        yield* Fiber.interrupt(fiber)
        return [next, value(last.content)] as const
      })
    return {
      channel: yield* Channel.make({ taskId, deltas, timeline }),
      after,
      end: Effect.asVoid(Deferred.succeed(ending, undefined)),
      ended: Effect.catchIf(Effect.asVoid(Fiber.join(fiber)), isTakenOver, () =>
        Effect.provide(takenOver(taskId, after), services),
      ),
      undo: (anyway) => Effect.provide(undo(anyway), services),
    }
  })

const isTakenOver = ({ _tag }: Failure): boolean => _tag === "LeaseLost"

const takenOver = (taskId: string, after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const last = yield* Stream.runLast(log.read({ types: ["LeaseTakenOver"], after }))
    const by = Option.match(last, {
      onNone: () => "another kernel",
      onSome: (event) => (is(event, "LeaseTakenOver") ? event.payload.owner : "another kernel"),
    })
    return yield* new ConversationTakenOver({ taskId, by })
  })

/**
 * The timeline of the task's first fork after a position. The kernel records the fork once its agent waits for input.
 */
const forkAfter = (taskId: string, after: number) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow({ types: ["TimelineForked"], taskId, after }).pipe(
      Stream.filterMap((item) =>
        "id" in item && is(item, "TimelineForked") ? Option.some(item.payload.timeline) : Option.none(),
      ),
      Stream.runHead,
      Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
    ),
  )

/** The agent, until people end the conversation: then it closes its task. */
const talkingUntil = (
  agent: Agent.AdvancingAgent,
  begun: Deferred.Deferred<void>,
  ending: Deferred.Deferred<void>,
): Agent.AdvancingAgent => ({
  ...agent,
  advance: (task) =>
    Effect.zipRight(
      Deferred.succeed(begun, undefined),
      Effect.raceFirst(Effect.asSome(agent.advance(task)), Effect.as(Deferred.await(ending), Option.none<boolean>())),
    ).pipe(
      Effect.flatMap(
        Option.match({
          onSome: Effect.succeed,
          onNone: () => Effect.as(task.close("achieved", Inputs.CONVERSATION_ENDED), false),
        }),
      ),
    ),
})

/** The first of the inputs that the agent heard last, and the position of the task's event before it. */
const lastInput = (taskId: string, timeline: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const received = new Map<number, LastInput>()
    let last: LastInput | undefined
    let before = 0
    yield* Pages.forEach(view.readPage, { timeline, taskId }, (page) => {
      for (const event of page) {
        if (is(event, "InputReceived")) received.set(event.position, { content: Inputs.inputOf(event).content, before })
        if (is(event, "InputDelivered")) last = received.get(event.payload.inputs[0] ?? 0) ?? last
        before = event.position
      }
    })
    return last ?? (yield* new NothingToUndo())
  })

interface LastInput {
  readonly content: Inputs.Input["content"]
  readonly before: number
}
