import { Effect } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import { copied } from "../acting/Command.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import * as Deadline from "../sensing/Deadline.ts"
import type { Task } from "../tasks/Task.ts"
import { between, choiceOf, type Divergence, Stopped } from "./Divergence.ts"
import type { Recording, Request } from "./Recording.ts"

/** A recorded task that answers as it did, as far as it is asked the same. */
export interface RecordedTask {
  /** The task: whoever works on it cannot tell it from a live one, until it asks for something else. */
  readonly task: Task
  /** The first thing that was asked otherwise. From then on nothing is answered. */
  readonly divergence: () => Divergence | undefined
  /** What was asked for and has no answer: the recorded request has none, or there is none left. */
  readonly exhausted: () => JsonObject | undefined
  /** The recorded request that was not asked for yet; nothing at the end. */
  readonly next: () => Request | undefined
  /** How many recorded requests are left. */
  readonly left: () => number
  /** How the task was closed by the agent itself. */
  readonly closed: () => { readonly outcome: TaskOutcome; readonly reason?: string } | undefined
  /** Decisions whose rationale reads otherwise, which changes nothing. */
  readonly rationales: () => number
}

/**
 * Puts a recording on a tape. Everything that a task can be asked is answered from what was recorded, in the order in which
 * it was recorded: nothing is read, executed or appended.
 */
export const make = (recording: Recording): RecordedTask => {
  const { taskId, requests, opened, told } = recording
  const decides = requests.some(({ kind }) => kind === "decide")
  let cursor = 0
  let divergence: Divergence | undefined
  let exhausted: JsonObject | undefined
  let closed: { readonly outcome: TaskOutcome; readonly reason?: string } | undefined
  let rationales = 0

  /** The recorded request that an agent's one has to be; who perceives and acts by itself decides nothing on the tape. */
  const next = (kind: Request["kind"]): Request | undefined => {
    if (kind !== "decide") while (requests[cursor]?.kind === "decide") cursor++
    return requests[cursor]
  }

  const stop = Effect.suspend(() => Effect.die(new Stopped()))

  const diverge = (found: Divergence | undefined) => {
    divergence ??= found
    return stop
  }

  /** Answers what was recorded, where the request is of the kind that comes next and does not differ from it. */
  const answer = <Kind extends Request["kind"], A>(
    kind: Kind,
    found: JsonObject,
    take: (request: Extract<Request, { readonly kind: Kind }>) => A | undefined,
  ): Effect.Effect<A, TaskClosed> =>
    Effect.suspend((): Effect.Effect<A, TaskClosed> => {
      if (closed !== undefined) return new TaskClosed({ taskId })
      if (divergence !== undefined || exhausted !== undefined) return stop
      const request = next(kind)
      if (request === undefined) {
        exhausted = found
        return stop
      }
      const expected = choiceOf(request)
      const position = positionOf(request)
      const different = between(position, expected, found)
      if (different !== undefined) return diverge(different)
      // Decided, or done without a word: the same choice, of which only one is a decision.
      if (request.kind !== kind) return diverge({ kind: "another-request", position, path: "", expected, found })
      const answered = take(request as Extract<Request, { readonly kind: Kind }>)
      if (answered === undefined) {
        exhausted = found
        return stop
      }
      cursor++
      return Effect.succeed(answered)
    })

  const task: Task = {
    id: taskId,
    ...told,
    capabilities: () => Effect.sync(() => recording.capabilitiesAt(requests[cursor]?.position ?? Number.MAX_VALUE)),
    perceive: ({ deadlineMs } = {}) =>
      Effect.zipRight(
        deadlineMs === undefined ? Effect.void : Deadline.after(deadlineMs),
        answer("perceive", { perceive: true }, ({ readings }) => readings),
      ),
    act: (actuator, args = {}) =>
      Effect.flatMap(copied(actuator, args), (args) =>
        answer("act", { act: actuator, args }, ({ outcome }) => outcome ?? undefined),
      ),
    say: (content) => answer("say", { say: plainText(content) }, ({ event }) => event),
    consult: ({ provider, model, request }) =>
      answer("consult", { consult: { provider, model, request } }, ({ answer }) => answer?.response),
    decided: ({ choice, rationale }) =>
      decides
        ? answer("decide", choice, ({ event, decision }) => {
            if (decision.rationale !== rationale) rationales++
            return event
          })
        : Effect.succeed(opened),
    close: (outcome, reason) =>
      Effect.suspend(() => {
        if (closed !== undefined) return new TaskClosed({ taskId })
        closed = { outcome, ...(reason === undefined ? {} : { reason: plainText(reason) }) }
        return Effect.void
      }),
  }
  return {
    task,
    divergence: () => divergence,
    exhausted: () => exhausted,
    next: () => next("act"),
    left: () => requests.length - cursor,
    closed: () => closed,
    rationales: () => rationales,
  }
}

/** The event that a request is known by; what was perceived without a reading is known by the decision after it. */
export const positionOf = (request: Request): number => Math.ceil(request.position)
