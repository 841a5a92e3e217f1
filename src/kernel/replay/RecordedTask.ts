/** A task that answers from its recording, as long as it is asked the same. */

import { Effect } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import { copied } from "../acting/Command.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import * as Deadline from "../sensing/Deadline.ts"
import type { Task } from "../tasks/Task.ts"
import { between, choiceOf, type Divergence, Stopped } from "./Divergence.ts"
import type { Recording, Request } from "./Recording.ts"

/** A recorded task that can be worked on again. */
export interface RecordedTask {
  /** The task. An agent cannot tell it from a live one, until it asks for something else. */
  readonly task: Task
  /** The first request that differs from the recording. After it, nothing is answered. */
  readonly divergence: () => Divergence | undefined
  /** The request that has no answer: the recorded one has none, or the recording has ended. */
  readonly exhausted: () => JsonObject | undefined
  /** The next recorded request; undefined at the end. */
  readonly next: () => Request | undefined
  /** Number of recorded requests that are left. */
  readonly left: () => number
  /** How the agent itself closed the task. */
  readonly closed: () => { readonly outcome: TaskOutcome; readonly reason?: string } | undefined
  /** Number of decisions whose rationale differs, which is no divergence. */
  readonly rationales: () => number
}

/**
 * Makes a task that answers each request from the recording, in the recorded order. Nothing is read, executed or
 * appended.
 */
export const make = (recording: Recording): RecordedTask => {
  const { taskId, requests, opened, instructions } = recording
  const decides = requests.some(({ kind }) => kind === "decide")
  let cursor = 0
  let divergence: Divergence | undefined
  let exhausted: JsonObject | undefined
  let closed: { readonly outcome: TaskOutcome; readonly reason?: string } | undefined
  let rationales = 0

  /**
   * The recorded request that is due. An agent that advances by itself makes no decisions here, so recorded ones are
   * skipped.
   */
  const next = (kind: Request["kind"]): Request | undefined => {
    if (kind !== "decide") while (requests[cursor]?.kind === "decide") cursor++
    return requests[cursor]
  }

  const stop = Effect.suspend(() => Effect.die(new Stopped()))

  const diverge = (found: Divergence | undefined) => {
    divergence ??= found
    return stop
  }

  /** Returns the recorded answer, if the request has the kind that is due and equals the recorded one. */
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
      // One of two equal choices is a decision, and the other one is the end of a run.
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
    ...instructions,
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

/**
 * The position of the event that identifies a request. A perception without readings is identified by the decision
 * after it.
 */
export const positionOf = (request: Request): number => Math.ceil(request.position)
