/** A session of an editor: one conversation, which is one task. At most one prompt is in progress. */

import { Deferred, Effect, ExecutionStrategy, Exit, FiberId, Scope } from "effect"
import { Kernel } from "../../kernel/Kernel.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as AgentRun from "./AgentRun.ts"
import * as History from "./History.ts"
import type { Block } from "./Params.ts"
import type { Peer } from "./Peer.ts"
import * as PromptContent from "./PromptContent.ts"
import { failed, type Refused, refused } from "./Refused.ts"
import type { Services, Workbench } from "./Workbench.ts"

/** - `new`: no prompt yet, so no task - `recorded`: its task is in the log, and no agent works on it here */
type Origin = "new" | "recorded"

export interface EditorSession {
  /**
   * Begins a prompt; the inner effect completes with the reason why the turn ended. Refuses a second one. From then on
   * `cancel` reaches it.
   */
  readonly prompt: (blocks: ReadonlyArray<Block>) => Effect.Effect<Effect.Effect<AgentRun.StopReason, Refused>, Refused>
  /** Cancels the prompt in progress, if any. */
  readonly cancel: Effect.Effect<void>
  /** Shows the session's past to the editor. */
  readonly replay: Effect.Effect<void, Refused>
}

export interface SessionOptions {
  readonly sessionId: string
  readonly origin: Origin
  readonly peer: Peer
  readonly bench: Workbench
}

interface Prompt {
  isCancelled: boolean
  readonly cancelled: Deferred.Deferred<void>
}

/** A conversation has practically no step limit: people end it. */
const STEPS = 1_000_000_000

export const make = ({
  sessionId,
  origin,
  peer,
  bench,
}: SessionOptions): Effect.Effect<EditorSession, never, Services | Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Services>()
    const scope = yield* Effect.scope
    const { tasks } = yield* Kernel
    let run: AgentRun.AgentRun | undefined
    let isRecorded = origin === "recorded"
    let closing: Effect.Effect<void> = Effect.void
    let openPrompt: Prompt | undefined

    /** Starts the agent in a scope of its own, which ends with its work. */
    const started = (begin: Pick<AgentRun.Begin, "first" | "run">): Effect.Effect<number, Refused, Services> =>
      Effect.gen(function* () {
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        closing = Effect.suspend(() => {
          run = undefined
          return Scope.close(own, Exit.void)
        })
        run = yield* AgentRun.begin({ taskId: sessionId, peer, bench, ...begin }).pipe(
          Scope.extend(own),
          Effect.tapError(() => closing),
        )
        return run.began
      })

    const begun = (content: PromptContent.PromptContent): Effect.Effect<number, Refused> =>
      Effect.gen(function* () {
        if (run !== undefined) return yield* run.say(content)
        if (isRecorded) return yield* started({ first: content, run: (agent) => tasks.resume(sessionId, agent) })
        const { text, files } = content
        const goal = text.trim() === "" ? FILES_ALONE : text
        const options = { maxSteps: STEPS, ...bench.options, goal, id: sessionId }
        const first = files.length === 0 ? undefined : { text: "", files }
        const position = yield* started({ first, run: (agent) => tasks.run(agent, options) })
        isRecorded = true
        return position
      }).pipe(Effect.provide(services))

    const work = (blocks: ReadonlyArray<Block>, mine: Prompt): Effect.Effect<AgentRun.StopReason, Refused> =>
      Effect.gen(function* () {
        const content = PromptContent.of(blocks)
        if (content.text.trim() === "" && content.files.length === 0) {
          return yield* refused("params", "session/prompt: expected a prompt that says something, found an empty one.")
        }
        const position = yield* begun(content)
        const working = run
        if (working === undefined) return yield* Effect.dieMessage("no agent works")
        const cancelled = Effect.as(Effect.zipRight(Deferred.await(mine.cancelled), working.stop), "cancelled" as const)
        const idle = Effect.as(working.idleAfter(position), "end_turn" as const)
        const reason = yield* Effect.raceFirst(cancelled, Effect.raceFirst(idle, working.ended)).pipe(
          // The agent's work is over. The next prompt continues the task, or tells why it cannot.
          Effect.tapError(() => closing),
        )
        // The agent waited already when the cancellation came: it is the answer all the same.
        return mine.isCancelled ? "cancelled" : reason
      })

    return {
      prompt: (blocks) =>
        Effect.suspend(() => {
          if (openPrompt !== undefined) return refused("request", BUSY)
          const mine: Prompt = { isCancelled: false, cancelled: Deferred.unsafeMake(FiberId.none) }
          openPrompt = mine
          return Effect.succeed(
            Effect.ensuring(
              work(blocks, mine),
              Effect.sync(() => {
                openPrompt = undefined
              }),
            ),
          )
        }),
      cancel: Effect.suspend(() => {
        if (openPrompt === undefined) return Effect.void
        openPrompt.isCancelled = true
        return Effect.asVoid(Deferred.succeed(openPrompt.cancelled, undefined))
      }),
      replay: Effect.suspend(() => {
        if (openPrompt !== undefined) return refused("request", BUSY)
        const tell = (update: JsonObject) => peer.notify("session/update", { sessionId, update })
        return Effect.mapError(History.replay(sessionId, bench.cwd, tell), failed)
      }).pipe(Effect.provide(services)),
    }
  })

const FILES_ALONE = "See the attached files."

const BUSY =
  "Expected no prompt in progress in this session, found one. Cancel it, or wait for its end. Nothing was recorded."
