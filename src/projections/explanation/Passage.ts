/**
 * The passage of a conversation that a command follows from: what the model was told last, what it reasoned, and what it
 * said as it requested the command.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import { type Answered, answerOf } from "../conversation/Parts.ts"
import { isAside } from "../request/accounts/OwnRequests.ts"
import { messageLines } from "../request/MessageText.ts"
import { listOf, messagesIn } from "../request/RequestMessage.ts"
import type { Passage } from "./FollowedPassage.ts"

export type { Passage } from "./FollowedPassage.ts"

/** Maximum length of a text in a passage, in characters. */
export const LONGEST = 2_000

/**
 * The passage behind the first command or decision of a model in a chain of causes; undefined if the chain has none, or
 * if no recorded answer requested it.
 */
export const of = (log: EventLog.Service, chain: ReadonlyArray<Event>): Effect.Effect<Passage | undefined, LogError> =>
  Effect.gen(function* () {
    // An answer of a model, and a request to it, have causes of their own.
    const own = chain.slice(0, chain.findIndex(({ type }) => OF_MODELS.has(type)) + 1 || chain.length)
    const follower = own.find((event) => requestedIn(event) !== undefined)
    if (follower === undefined || follower.taskId === null) return undefined
    const { timeline, taskId, position: until } = follower
    const wanted = requestedIn(follower) ?? []
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const agent = agentOf(follower)
    // Recorded programs name the agent in some events only. The ids of calls tell whose answer it is.
    const isOthers = (called: string | undefined) =>
      called !== agent && (wanted.length === 0 || (called !== undefined && agent !== undefined))
    const asked = new Map<string, Asked>()
    const others = new Set<string>()
    const told = new Map<string | undefined, Passage["told"]>()
    let found: (Pick<Passage, "model" | "told"> & { readonly at: number; readonly answered: Answered }) | undefined
    const types = ["ModelCalled", "ModelResponded"]
    yield* Pages.forEach(view.readPage, { timeline, taskId, until, types }, (page) => {
      for (const event of page) {
        if (is(event, "ModelCalled") && (isOthers(agentOf(event)) || isAside(event.payload.request))) {
          others.add(event.id)
        } else if (is(event, "ModelCalled")) {
          const { provider, model } = event.payload
          // A retry records no messages: they are those of the request before it.
          const last = lastTold(event) ?? told.get(agentOf(event)) ?? null
          told.set(agentOf(event), last)
          asked.set(event.id, { model: `${provider}/${model}`, told: last })
        } else if (is(event, "ModelResponded") && !others.delete(event.causationId ?? "")) {
          const answered = answerOf(event.payload.response)
          const { model = null, told = null } = asked.get(event.causationId ?? "") ?? {}
          if (answered !== undefined && requests(answered, wanted))
            found = { at: event.position, answered, model, told }
          asked.delete(event.causationId ?? "")
        }
      }
    })
    if (found === undefined) return undefined
    const { at, answered, model } = found
    return {
      of: follower.position,
      answer: at,
      model,
      told: found.told,
      reasoning: cut(answered.reasoning),
      said: cut(answered.text),
    }
    // The timeline of a recorded event is in its log, unless that is damaged.
  }).pipe(Effect.catchTag("TimelineNotFound", () => Effect.succeed(undefined)))

const OF_MODELS: ReadonlySet<string> = new Set(["ModelCalled", "ModelResponded", "ModelFailed"])

type Asked = Pick<Passage, "model" | "told">

/** The agent among several; undefined for a task with one. */
const agentOf = (event: Event): string | undefined => textOf(fieldOf(event.payload, "agentId"))

/** The ids of the calls that a model's decision or command is about; undefined for other events. */
const requestedIn = (event: Event): ReadonlyArray<string> | undefined => {
  if (is(event, "ActuatorCommanded")) {
    const { callId } = event.payload
    return callId === undefined ? undefined : [callId]
  }
  const calls = is(event, "DecisionMade") ? event.payload.choice.calls : undefined
  return calls === undefined ? undefined : listOf(calls).flatMap((call) => textOf(fieldOf(call, "callId")) ?? [])
}

/** Whether an answer requested one of these calls. A decision without calls follows from the answer before it. */
const requests = ({ wanted }: Answered, calls: ReadonlyArray<string>): boolean =>
  calls.length === 0 || wanted.some(({ callId }) => calls.includes(callId))

const lastTold = (event: Event): Passage["told"] | undefined => {
  const last = messagesIn(fieldOf(event.payload.request, "messages"), event.position).at(-1)
  const text = last === undefined ? null : cut(messageLines(last))
  return last === undefined || text === null ? undefined : { role: last.role, text }
}

const cut = (text: string): string | null => {
  const trimmed = text.trim()
  if (trimmed === "") return null
  return trimmed.length <= LONGEST ? trimmed : `${trimmed.slice(0, LONGEST - 1)}…`.toWellFormed()
}
