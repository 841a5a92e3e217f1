/**
 * An agent at work on a session's task. The editor sees each event once the log has it. The agent's work outlives a
 * prompt; between prompts it waits.
 */

import { Cause, Effect, Exit, Fiber, type Scope, Stream, SubscriptionRef } from "effect"
import type { AgentState } from "../../agents/channel/AgentState.ts"
import * as Channel from "../../agents/channel/Channel.ts"
import type { ChannelEvent } from "../../agents/channel/ChannelEvent.ts"
import { CaughtUp, EventLog } from "../../events/log/EventLog.ts"
import type { AdvancingAgent } from "../../kernel/agents/Agent.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { Peer } from "./Peer.ts"
import * as PromptContent from "./PromptContent.ts"
import * as PromptGate from "./PromptGate.ts"
import * as Questions from "./Questions.ts"
import { failed, type Refused } from "./Refused.ts"
import * as Updates from "./Updates.ts"
import { type Services, SOURCE, type Workbench } from "./Workbench.ts"

export type StopReason = "end_turn" | "max_tokens" | "cancelled"

export interface AgentRun {
  /** The position of the first words; 0 if the task's goal has them. */
  readonly began: number
  /** Records a person's words. Returns their position. */
  readonly say: (content: PromptContent.PromptContent) => Effect.Effect<number, Refused>
  /** Completes when the agent has heard everything up to a position, and waits for more. */
  readonly idleAfter: (position: number) => Effect.Effect<void, Refused>
  /**
   * Stops the agent: ends the answer in progress, a command in progress and waiting questions. Completes once the agent
   * is held. It stays held until the next `say`.
   */
  readonly stop: Effect.Effect<void, Refused>
  /** Completes when the task is closed, or fails when the agent's work failed. */
  readonly ended: Effect.Effect<StopReason, Refused>
}

export interface Begin {
  readonly taskId: string
  readonly peer: Peer
  readonly bench: Workbench
  /** Words to record before the agent's first step. */
  readonly first?: PromptContent.PromptContent | undefined
  /** Runs the agent on the task: opens the task, or continues it. */
  readonly run: (agent: AdvancingAgent) => Effect.Effect<{ readonly outcome: string | null }, unknown, Services>
}

/** The words that a cancelled turn leaves for the model. */
const STOPPED = "[The person stopped you here. What they say next follows.]"

/** Starts the agent, and returns once its task is in the log. The agent works until the scope closes. */
export const begin = ({
  taskId,
  peer,
  bench,
  first,
  run,
}: Begin): Effect.Effect<AgentRun, Refused, Services | Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const confirmations = yield* Confirmations
    const { position: after } = yield* log.head
    const questions = yield* Questions.make({ peer, sessionId: taskId, cwd: bench.cwd, user: bench.user })
    const gate = yield* PromptGate.make
    const told = yield* SubscriptionRef.make<Told>({ state: "thinking", position: after })
    if (first !== undefined) yield* gate.close

    const fiber = yield* Effect.forkScoped(run(gate.behind(bench.agent)))
    // If it ends before its task is open, it failed.
    yield* Effect.raceFirst(opened(taskId), Effect.zipRight(Fiber.join(fiber), Effect.never))
    const channel = yield* Channel.make({ taskId, deltas: bench.deltas, by: bench.user })

    let shown: Updates.Shown = { streamed: "", inProgress: new Set(), cwd: bench.cwd }
    const update = (told: JsonObject) => peer.notify("session/update", { sessionId: taskId, update: told })
    const show = (event: ChannelEvent) =>
      Effect.gen(function* () {
        const [next, updates] = Updates.of(shown, event, isElsewhere(event))
        shown = next
        yield* Effect.forEach(updates, update, { discard: true })
        if (event.type === "onToolCallRequest") yield* questions.ask(event)
        if (event.type === "onToolCallSettled") {
          const commandId = yield* questions.settle(event.confirmationId)
          if (commandId !== undefined && event.answer === "approved") yield* update(Updates.inProgress(commandId))
        }
        const state = event.type === "onAgentStateChange" ? event.state : undefined
        yield* SubscriptionRef.update(told, (before) => ({ state: state ?? before.state, position: event.position }))
      })
    const showing = yield* Effect.forkScoped(Stream.runForEach(channel.events({ after }), show))
    // Questions of an earlier kernel still wait.
    for (const [confirmationId, asked] of Object.entries(yield* confirmations.pending)) {
      const { shown, taskId: of, position } = asked
      if (of !== taskId || position > after) continue
      const { actuator, args = null } = shown
      const toolName = typeof actuator === "string" ? actuator : "a plugin's request"
      yield* questions.ask({ ...asked, confirmationId, toolName, args })
    }

    // A log that fails ends every wait.
    const unread = Effect.zipRight(Fiber.join(showing), Effect.never)
    const until = (fits: (now: Told) => boolean) =>
      Effect.raceFirst(Stream.runDrain(Stream.takeUntil(told.changes, fits)), unread).pipe(Effect.mapError(failed))

    const say: AgentRun["say"] = (content) =>
      channel.submitUserInput(PromptContent.inputOf(content), { delivery: "steering", source: SOURCE }).pipe(
        Effect.map(({ position }) => position),
        Effect.zipLeft(gate.open),
        Effect.mapError(failed),
      )
    const began = first === undefined ? 0 : yield* say(first)

    const stop = Effect.gen(function* () {
      yield* gate.close
      const input = yield* channel.submitUserInput(STOPPED, { delivery: "interrupting", source: SOURCE })
      yield* gate.holds
      yield* until(({ state, position }) => position >= input.position && !ACTS.has(state))
    }).pipe(Effect.mapError(failed))

    const ended = Effect.gen(function* () {
      const exit = yield* Fiber.await(fiber)
      if (Exit.isFailure(exit)) return yield* failed(Cause.squash(exit.cause))
      yield* until(({ state }) => state === "done")
      return exit.value.outcome === "truncated" ? "max_tokens" : "end_turn"
    })

    return {
      began,
      say,
      idleAfter: (position) => until((now) => now.state === "ready" && now.position >= position),
      stop,
      ended,
    } satisfies AgentRun
  }).pipe(Effect.mapError(failed))

interface Told {
  readonly state: AgentState
  readonly position: number
}

const ACTS: ReadonlySet<AgentState> = new Set(["executing_tool", "waiting_for_confirmation"])

/** Words that did not come through this connection's prompts. */
const isElsewhere = (event: ChannelEvent): boolean => event.type === "onInputReceived" && event.source !== SOURCE

const opened = (taskId: string) =>
  Effect.flatMap(EventLog, (log) =>
    Stream.runHead(Stream.filter(log.follow({ types: ["TaskOpened"], taskId }), (item) => !(item instanceof CaughtUp))),
  )
