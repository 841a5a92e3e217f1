/**
 * What is new in each request to a model. A program sends the whole conversation each time; recorded whole, a log would
 * grow with the square of its turns. A request may go on from any earlier one: programs have several conversations.
 */

import type { AnswerPart, Message } from "../../agents/models/Message.ts"
import { sha256 } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"

/** The new messages of a request, and the event that it goes on from. */
export interface NewMessages {
  /** The id of the request (`ModelCalled`) or the answer (`ModelResponded`) whose conversation comes before the messages. */
  readonly after?: string
  readonly messages: ReadonlyArray<Message>
}

/** The conversations of a program so far. */
export interface Conversations {
  /** What is new in a request, which is recorded as the event `id`. */
  readonly asked: (id: string, messages: ReadonlyArray<Message>) => NewMessages
  /** Takes note of the answer to a request, which is recorded as the event `id`. */
  readonly answered: (request: string, id: string, parts: ReadonlyArray<AnswerPart>) => void
}

/** No conversations. */
export const make = (): Conversations => {
  /** The events after which a conversation stands as its key says. */
  const known = new Map<string, string>()
  const keys = new Map<string, string>()
  const recent = recentKeys()
  return {
    asked: (id, messages) => {
      const standings = recent(messages)
      let [after, told] = [undefined as string | undefined, 0]
      for (let index = standings.length - 1; index >= 0 && after === undefined; index--) {
        after = known.get(standings[index] ?? START)
        if (after !== undefined) told = index + 1
      }
      const key = standings.at(-1) ?? START
      known.set(key, id)
      keys.set(id, key)
      return { ...(after === undefined ? {} : { after }), messages: messages.slice(told) }
    },
    answered: (request, id, parts) => {
      const key = keys.get(request)
      keys.delete(request)
      if (key !== undefined) known.set(next(key, textOf({ role: "assistant", content: parts })), id)
    },
  }
}

const START = ""

/** How many conversations are kept whose texts are compared, and the longest of them, in characters. */
const MOST_RECENT = 4
const LONGEST_RECENT = 256 * 1024

/** The texts of a conversation's messages, and its key after each. */
interface Standing {
  readonly texts: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
}

/**
 * The keys of a conversation after each of its messages. Most requests go on from one of the last: what they share with it is compared,
 * which takes a tenth of the time of hashing it.
 */
const recentKeys = () => {
  let recent: ReadonlyArray<Standing> = []
  return (messages: ReadonlyArray<Message>): ReadonlyArray<string> => {
    const texts = messages.map(textOf)
    const [shared, size] = recent.reduce<readonly [Standing | undefined, number]>(
      (best, one) => {
        const size = sharedBy(one.texts, texts)
        return size > best[1] ? [one, size] : best
      },
      [undefined, 0],
    )
    const keys = shared === undefined ? [] : shared.keys.slice(0, size)
    for (let index = size; index < texts.length; index++) keys.push(next(keys.at(-1) ?? START, texts[index] ?? ""))
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    if (length <= LONGEST_RECENT) {
      recent = [{ texts, keys }, ...recent.filter((one) => one !== shared)].slice(0, MOST_RECENT)
    }
    return keys
  }
}

/** How many of the first texts are the same. */
const sharedBy = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let size = 0
  while (size < one.length && size < other.length && one[size] === other[size]) size++
  return size
}

/** The key of a conversation with one more message. */
const next = (key: string, text: string): string => sha256(`${key}\n${text}`)

const textOf = (message: Message): string => JSON.stringify(essential(message))

/**
 * What makes two messages the same one. A program may leave out what was thought and the ids of calls when it sends an
 * answer back.
 */
const essential = (message: Message) =>
  message.role !== "assistant"
    ? message
    : message.content.flatMap((part): ReadonlyArray<Json> => {
        if (part.type === "text") return [part.text]
        return part.type === "call" ? [{ tool: part.tool, args: part.args }] : []
      })
