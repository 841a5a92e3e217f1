/**
 * The conversations that pass a recorder: which run a request belongs to, and what is new in it. A program sends the whole conversation
 * each time, or names the answer that it continues; recorded whole, a log would grow with the square of its turns.
 *
 * A request continues an answer: by the server's own thread, otherwise by what its messages say, otherwise by the ids of calls that it
 * sends back. Where two runs stand alike word for word, the one that waits longest is continued: nothing of one run gets into the other, since
 * what they have said so far is the same. Where that cannot be told, nothing is guessed: the request begins a run of its own.
 */

import type { AnswerPart, Message } from "../../agents/models/Message.ts"
import type { ContinuingRule } from "../../events/vocabulary/Inference.ts"
import type { ModelRequest } from "../../providers/Wire.ts"
import * as Bounded from "./Bounded.ts"
import * as Meaning from "./Meaning.ts"
import * as Standings from "./Standings.ts"

/** What of a request tells where it belongs. */
export type Asked = Pick<ModelRequest, "messages" | "thread">

/** The new messages of a request, and the event that it goes on from. */
export interface NewMessages {
  /** The id of the request (`ModelCalled`) or the answer (`ModelResponded`) whose conversation comes before the messages. */
  readonly after?: string
  readonly messages: ReadonlyArray<Message>
  /** By which rule `after` was found. */
  readonly by?: ContinuingRule
}

/** The run that a request continues, and by which rule that was found. */
export interface ContinuedRun {
  readonly run: string
  readonly by: ContinuingRule
}

/** An answer to a request. */
export interface GivenAnswer {
  /** The event that records it, and that of its request. */
  readonly id: string
  readonly request: string
  readonly parts: ReadonlyArray<AnswerPart>
  /** The provider's id of the answer. */
  readonly answerId?: string | undefined
}

/** The conversations of one run. */
export interface RunConversations {
  /** What is new in a request, which is recorded as the event `id`. */
  readonly asked: (id: string, asked: Asked) => NewMessages
  /** Takes note of a request that was recorded earlier, with what was new in it. */
  readonly recalled: (id: string, asked: Asked & { readonly after: string | undefined }) => void
  /** Takes note of the answer to a request. */
  readonly answered: (answer: GivenAnswer) => void
  /** Takes note that a request has no answer: the same one may come again. */
  readonly failed: (request: string) => void
}

/** The conversations of all runs of a recorder. */
export interface Conversations {
  /** The run that a request continues; undefined if it begins a conversation. */
  readonly runOf: (asked: Asked) => ContinuedRun | undefined
  readonly of: (run: string) => RunConversations
  /** Forgets a run. */
  readonly forget: (run: string) => void
}

/** Where a run stands: after a request, or after an answer. */
interface Place {
  readonly run: string
  /** The event that recorded it. */
  readonly event: string
  readonly key: string
  readonly at: "asked" | "failed" | "answered"
  /** Whether no later request of the run continued it. */
  isHead: boolean
  /** The server's id of the conversation. */
  readonly conversation: string | undefined
  /** The ids of the calls in the answer. */
  readonly callIds: ReadonlySet<string>
  /** How many places were reached before. */
  readonly number: number
}

/** Maximum number of places that are known: beyond it, those that were not reached for longest are forgotten. */
const MOST_PLACES = 100_000

const NO_CALLS: ReadonlySet<string> = new Set()

/** No conversations. */
export const make = (): Conversations => {
  const keysOf = Standings.remembering()
  /** The places that conversations with a key stand at: one of each run. */
  const standing = Bounded.make<ReadonlyArray<Place>>(MOST_PLACES)
  /** The places of requests and answers, by their events. */
  const events = Bounded.make<Place>(MOST_PLACES)
  const answers = Bounded.make<Place>(MOST_PLACES)
  const threads = Bounded.make<Place>(MOST_PLACES)
  /** Who was given a call, by its id and meaning; null where several runs were. */
  const calls = Bounded.make<string | null>(MOST_PLACES)
  const forgotten = Bounded.make<true>(MOST_PLACES)
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

  /** What a server's own thread says: the place that is continued. */
  const byThread = ({ thread }: Asked): Place | undefined => {
    const after = thread?.after === undefined ? undefined : answers.get(thread.after)
    const found = after ?? (thread?.conversation === undefined ? undefined : threads.get(thread.conversation))
    return found === undefined || isForgotten(found.run) ? undefined : found
  }

  /** A request continues a place. */
  const stand = (run: string, id: string, key: string, before: Place | undefined, conversation: string | undefined) => {
    if (before !== undefined) before.isHead = false
    const own = place({ run, event: id, key, at: "asked", isHead: true, conversation, callIds: NO_CALLS })
    if (conversation !== undefined) threads.set(conversation, own)
  }
  /** A request has only what comes after a place. */
  const goOn = (run: string, id: string, { messages, thread }: Asked, base: Place | undefined) =>
    stand(run, id, messages.reduce(Standings.next, base?.key ?? Standings.START), base, thread?.conversation)

  return {
    runOf: (asked) => {
      const { messages } = asked
      const thread = byThread(asked)
      if (thread !== undefined) return { run: thread.run, by: "thread" }
      // Only the repetition of a request that failed says nothing at all.
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
      const runs = new Set(sent.flatMap((part) => calls.get(Meaning.ofCall(part)) ?? []))
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
          // All of it was asked before. Where an answer came since that no request continued, the conversation is held once more.
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
          const meaning = Meaning.ofCall(part)
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
 * The place, of those at which conversations stand alike, that a request continues; undefined if it continues none of them.
 *
 * @param left the messages of the request that come after the place
 * @param sent the calls that the request sends back
 */
const chosenOf = (
  places: ReadonlyArray<Place>,
  left: ReadonlyArray<Message>,
  sent: ReadonlyArray<Call>,
): Place | undefined => {
  const [first] = left
  const isOwn = ({ at }: Place) =>
    // After an answer anything may follow. After a request its answer has to, in other words than it was given, unless there was none.
    at === "answered" || (at === "asked" ? first?.role === "assistant" : true)
  const own = places.filter(isOwn)
  const ids = new Set(sent.map(({ callId }) => callId))
  const named = own.filter(({ callIds }) => [...callIds].some((id) => ids.has(id)))
  const heads = (named.length > 0 ? named : own).filter(({ isHead }) => isHead)
  const candidates = heads.length > 0 ? heads : named.length > 0 ? named : own
  const [oldest, ...others] = candidates
  // The answers of several runs may have come back in other words.
  const isCertain = others.length === 0 || oldest?.at === "answered" || oldest?.at === "failed"
  return isCertain ? oldest : undefined
}
