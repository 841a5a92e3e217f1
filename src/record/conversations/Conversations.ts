/**
 * Finds the run that a request belongs to and its new messages. Programs send the whole conversation each time, or name
 * the answer they continue; recording it whole each time would make the log grow quadratically.
 *
 * A request continues an answer by the server's thread, else by its messages, else by the ids of calls that it sends
 * back. If several runs match word for word, the one waiting longest is continued: their histories are equal, so
 * nothing leaks. If even that is uncertain, the request begins a run of its own.
 */

import type { AnswerPart, Message } from "../../agents/models/Message.ts"
import type { ContinuingRule } from "../../events/vocabulary/Inference.ts"
import type { ModelRequest } from "../../providers/WireFormat.ts"
import * as BoundedMap from "./BoundedMap.ts"
import * as NormalizedMessage from "./NormalizedMessage.ts"
import * as Standings from "./Standings.ts"

/** The parts of a request that identify its conversation. */
export type Asked = Pick<ModelRequest, "messages" | "thread">

export interface NewMessages {
  /** Id of the request (`ModelCalled`) or answer (`ModelResponded`) whose conversation precedes the messages. */
  readonly after?: string
  readonly messages: ReadonlyArray<Message>
  /** The rule that found `after`. */
  readonly by?: ContinuingRule
}

export interface ContinuedRun {
  readonly run: string
  readonly by: ContinuingRule
}

export interface GivenAnswer {
  /** The event that records it, and the event of its request. */
  readonly id: string
  readonly request: string
  readonly parts: ReadonlyArray<AnswerPart>
  /** The provider's id of the answer. */
  readonly answerId?: string | undefined
}

export interface RunConversations {
  /** Returns the new part of a request, which is recorded as event `id`. */
  readonly asked: (id: string, asked: Asked) => NewMessages
  /** Registers an earlier recorded request, of which `asked` holds only the new part. */
  readonly recalled: (id: string, asked: Asked & { readonly after: string | undefined }) => void
  /** Registers the answer to a request. */
  readonly answered: (answer: GivenAnswer) => void
  /** Registers that a request failed, so that the same one may come again. */
  readonly failed: (request: string) => void
}

export interface Conversations {
  /** The run that a request continues; undefined if it begins a conversation. */
  readonly runOf: (asked: Asked) => ContinuedRun | undefined
  readonly of: (run: string) => RunConversations
  readonly forget: (run: string) => void
}

/** A point in a run's conversation: after a request or after an answer. */
interface Place {
  readonly run: string
  readonly event: string
  readonly key: string
  readonly at: "asked" | "failed" | "answered"
  /** Whether no later request of the run continued it. */
  isHead: boolean
  /** The server's id of the conversation. */
  readonly conversation: string | undefined
  readonly callIds: ReadonlySet<string>
  readonly number: number
}

/** Maximum number of remembered places; the least recently used are evicted. */
const MOST_PLACES = 100_000

const NO_CALLS: ReadonlySet<string> = new Set()

export const make = (): Conversations => {
  const keysOf = Standings.remembering()
  /** Places with equal conversations, by key; at most one per run. */
  const standing = BoundedMap.make<ReadonlyArray<Place>>(MOST_PLACES)
  const events = BoundedMap.make<Place>(MOST_PLACES)
  const answers = BoundedMap.make<Place>(MOST_PLACES)
  const threads = BoundedMap.make<Place>(MOST_PLACES)
  /** The run that received a call, by the call's id and meaning; null if several did. */
  const calls = BoundedMap.make<string | null>(MOST_PLACES)
  const forgotten = BoundedMap.make<true>(MOST_PLACES)
  const isForgotten = (run: string) => forgotten.get(run) === true

  let reached = 0
  const place = (reaching: Omit<Place, "number">): Place => {
    const one = { ...reaching, number: reached++ }
    const others = (standing.get(one.key) ?? []).filter(({ run }) => run !== one.run && !isForgotten(run))
    standing.set(one.key, [...others, one])
    events.set(one.event, one)
    return one
  }
  const placesAt = (key: string): ReadonlyArray<Place> =>
    (standing.get(key) ?? []).filter(({ run }) => !isForgotten(run))

  const byThread = ({ thread }: Asked): Place | undefined => {
    const after = thread?.after === undefined ? undefined : answers.get(thread.after)
    const found = after ?? (thread?.conversation === undefined ? undefined : threads.get(thread.conversation))
    return found === undefined || isForgotten(found.run) ? undefined : found
  }

  const stand = (run: string, id: string, key: string, before: Place | undefined, conversation: string | undefined) => {
    if (before !== undefined) before.isHead = false
    const own = place({ run, event: id, key, at: "asked", isHead: true, conversation, callIds: NO_CALLS })
    if (conversation !== undefined) threads.set(conversation, own)
  }
  /** For a request that holds only the messages after a place. */
  const goOn = (run: string, id: string, { messages, thread }: Asked, base: Place | undefined) =>
    stand(run, id, messages.reduce(Standings.next, base?.key ?? Standings.START), base, thread?.conversation)

  return {
    runOf: (asked) => {
      const { messages } = asked
      const thread = byThread(asked)
      if (thread !== undefined) return { run: thread.run, by: "thread" }
      // Only the retry of a failed request has no messages at all.
      if (messages.length === 0) {
        const failed = placesAt(Standings.START).find(({ at }) => at === "failed")
        return failed === undefined ? undefined : { run: failed.run, by: "messages" }
      }
      const keys = keysOf(messages)
      const sent = callsIn(messages)
      for (let index = keys.length - 1; index >= 0; index--) {
        const found = placesAt(keys[index] ?? "")
        if (found.length === 0) continue
        const left = messages.slice(index + 1)
        const chosen = chosenOf(found, left, sent)
        if (chosen !== undefined) return { run: chosen.run, by: "messages" }
      }
      const runs = new Set(sent.flatMap((part) => calls.get(NormalizedMessage.ofCall(part)) ?? []))
      const [only, ...others] = runs
      return only === undefined || others.length > 0 || isForgotten(only) ? undefined : { run: only, by: "sent-calls" }
    },
    of: (run) => ({
      asked: (id, asked) => {
        const { messages, thread } = asked
        const base = byThread(asked)
        if (base?.run === run) {
          goOn(run, id, asked, base)
          return { after: base.event, messages, by: "thread" }
        }
        const keys = keysOf(messages)
        let [before, told]: [Place | undefined, number] = [undefined, 0]
        for (let index = keys.length - 1; index >= 0; index--) {
          const found = placesAt(keys[index] ?? "").find((one) => one.run === run)
          if (found === undefined) continue
          // The whole conversation was asked before. If an answer that nobody continued came since, this one runs a
          // second time.
          const isAgain =
            before !== undefined && found.at === "answered" && found.isHead && found.number > before.number
          if (before === undefined || isAgain) [before, told] = [found, index + 1]
          if (told < keys.length || before.at === "failed") break
        }
        stand(run, id, keys.at(-1) ?? Standings.START, before, thread?.conversation)
        const continued = before === undefined ? {} : ({ after: before.event, by: "messages" } as const)
        return { ...continued, messages: messages.slice(told) }
      },
      recalled: (id, { after, ...asked }) => goOn(run, id, asked, after === undefined ? undefined : events.get(after)),
      answered: ({ id, request, parts, answerId }) => {
        const asked = events.get(request)
        if (asked === undefined) return
        const given = parts.filter((part) => part.type === "call")
        const key = Standings.next(asked.key, { role: "assistant", content: parts })
        const { conversation } = asked
        asked.isHead = false
        const callIds = new Set(given.map(({ callId }) => callId))
        const own = place({ run, event: id, key, at: "answered", isHead: true, conversation, callIds })
        if (answerId !== undefined) answers.set(answerId, own)
        if (conversation !== undefined) threads.set(conversation, own)
        for (const part of given) {
          const meaning = NormalizedMessage.ofCall(part)
          const known = calls.get(meaning)
          calls.set(meaning, known === undefined || known === run ? run : null)
        }
      },
      failed: (request) => {
        const asked = events.get(request)
        if (asked !== undefined) place({ ...asked, at: "failed" })
      },
    }),
    forget: (run) => forgotten.set(run, true),
  }
}

type Call = Extract<AnswerPart, { readonly type: "call" }>

const callsIn = (messages: ReadonlyArray<Message>): ReadonlyArray<Call> =>
  messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "call") : [],
  )

/**
 * The place that a request continues, among places with equal conversations; undefined if it continues none.
 *
 * @param left the messages of the request after the place
 * @param sent the calls that the request sends back
 */
const chosenOf = (
  places: ReadonlyArray<Place>,
  left: ReadonlyArray<Message>,
  sent: ReadonlyArray<Call>,
): Place | undefined => {
  const [first] = left
  const isOwn = ({ at }: Place) =>
    // Anything can follow an answer. Only the answer can follow a request (reworded by the client), unless the request
    // failed.
    at === "answered" || (at === "asked" ? first?.role === "assistant" : true)
  const own = places.filter(isOwn)
  const ids = new Set(sent.map(({ callId }) => callId))
  const named = own.filter(({ callIds }) => [...callIds].some((id) => ids.has(id)))
  const heads = (named.length > 0 ? named : own).filter(({ isHead }) => isHead)
  const candidates = heads.length > 0 ? heads : named.length > 0 ? named : own
  const [oldest, ...others] = candidates
  // Otherwise ambiguous: clients may have reworded the answers of several runs.
  const isCertain = others.length === 0 || oldest?.at === "answered" || oldest?.at === "failed"
  return isCertain ? oldest : undefined
}
