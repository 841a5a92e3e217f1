/** The keys of conversations after each of their messages: where a conversation stands by what was said in it. */

import type { Message } from "../../agents/models/Message.ts"
import { sha256 } from "../../values/Digest.ts"
import * as Meaning from "./Meaning.ts"

/** The key of a conversation of which nothing was said. */
export const START = ""

/** The key of a conversation with one more message. */
export const next = (key: string, message: Message): string => after(key, Meaning.of(message))

const after = (key: string, meaning: string): string => sha256(`${key}\n${meaning}`)

/** The keys of a conversation after each of its messages. */
export type Keys = (messages: ReadonlyArray<Message>) => ReadonlyArray<string>

/** How many conversations are kept whose texts are compared, and the most that all of them take, in characters. */
const MOST_RECENT = 16
const LONGEST_RECENT = 2 * 1024 * 1024

/** The meanings of a conversation's messages, and its key after each. */
interface Standing {
  readonly messages: ReadonlyArray<Message>
  readonly meanings: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly length: number
}

/** Most requests continue one of the last: what they share with it is compared, which takes a tenth of the time of hashing it. */
export const remembering = (): Keys => {
  let recent: ReadonlyArray<Standing> = []
  let last: { readonly messages: ReadonlyArray<Message>; readonly keys: ReadonlyArray<string> } | undefined
  return (messages) => {
    // A request is asked for its run first, and then for what is new in it.
    if (last?.messages === messages) return last.keys
    const meanings = meaningsOf(messages, recent)
    const [shared, size] = recent.reduce<readonly [Standing | undefined, number]>(
      (best, one) => {
        const size = sharedBy(one.meanings, meanings)
        return size > best[1] ? [one, size] : best
      },
      [undefined, 0],
    )
    const keys = shared === undefined ? [] : shared.keys.slice(0, size)
    for (let index = size; index < meanings.length; index++)
      keys.push(after(keys.at(-1) ?? START, meanings[index] ?? ""))
    const length = meanings.reduce((sum, text) => sum + text.length, 0)
    const others = recent.filter((one) => one !== shared || size < one.meanings.length)
    recent = fitting([{ messages, meanings, keys, length }, ...others])
    last = { messages, keys }
    return keys
  }
}

/** Most messages come as they came before: to compare them takes a tenth of the time of saying what they mean. */
const meaningsOf = (messages: ReadonlyArray<Message>, recent: ReadonlyArray<Standing>): ReadonlyArray<string> => {
  let [known, size]: [ReadonlyArray<string>, number] = [[], 0]
  for (const one of recent) {
    const same = sameIn(one.messages, messages)
    if (same > size) [known, size] = [one.meanings, same]
  }
  return messages.map((message, index) => (index < size ? known[index] : undefined) ?? Meaning.of(message))
}

/** How many of the first messages are the same, to the letter. */
const sameIn = (one: ReadonlyArray<Message>, other: ReadonlyArray<Message>): number => {
  let size = 0
  while (size < one.length && size < other.length && isSame(one[size], other[size], 0)) size++
  return size
}

/** Deeper values are said to differ: what they mean tells. */
const DEEPEST = 32

/** Whether two values of JSON are the same, with their keys in the same order. */
const isSame = (one: unknown, other: unknown, depth: number): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (depth === DEEPEST || Array.isArray(one) !== Array.isArray(other)) return false
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    names.length === others.length &&
    names.every(
      (name, index) => name === others[index] && isSame(Reflect.get(one, name), Reflect.get(other, name), depth + 1),
    )
  )
}

const fitting = (standings: ReadonlyArray<Standing>): ReadonlyArray<Standing> => {
  let left = LONGEST_RECENT
  return standings.slice(0, MOST_RECENT).filter(({ length }) => {
    left -= length
    return left >= 0
  })
}

/** How many of the first texts are the same. */
const sharedBy = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let size = 0
  while (size < one.length && size < other.length && one[size] === other[size]) size++
  return size
}
