/** Keys that identify a conversation by its messages: one key after each message, chained by hash. */

import type { Message } from "../../agents/models/Message.ts"
import { sha256 } from "../../values/Digest.ts"
import * as NormalizedMessage from "./NormalizedMessage.ts"

/** The key of an empty conversation. */
export const START = ""

export const next = (key: string, message: Message): string => after(key, NormalizedMessage.of(message))

const after = (key: string, meaning: string): string => sha256(`${key}\n${meaning}`)

export type Keys = (messages: ReadonlyArray<Message>) => ReadonlyArray<string>

/** Recent conversations kept for comparison: maximum number, and maximum total length in characters. */
const MOST_RECENT = 16
const LONGEST_RECENT = 2 * 1024 * 1024

interface Standing {
  readonly messages: ReadonlyArray<Message>
  readonly meanings: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly length: number
}

/**
 * Caches keys: most requests extend a recent one, and comparing the shared part takes a tenth of the time of hashing
 * it.
 */
export const remembering = (): Keys => {
  let recent: ReadonlyArray<Standing> = []
  let last: { readonly messages: ReadonlyArray<Message>; readonly keys: ReadonlyArray<string> } | undefined
  return (messages) => {
    // Each request is looked up twice: for its run, then for its new messages.
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

/** Reuses the meanings of messages that are unchanged; comparing takes a tenth of the time of normalizing. */
const meaningsOf = (messages: ReadonlyArray<Message>, recent: ReadonlyArray<Standing>): ReadonlyArray<string> => {
  let [known, size]: [ReadonlyArray<string>, number] = [[], 0]
  for (const one of recent) {
    if (size === messages.length) break
    // It shares more only if it shares the next message. Conversations with a common beginning mostly differ there.
    if (!isSame(one.messages[size], messages[size], 0)) continue
    const same = sameIn(one.messages, messages)
    if (same > size) [known, size] = [one.meanings, same]
  }
  return messages.map((message, index) => (index < size ? known[index] : undefined) ?? NormalizedMessage.of(message))
}

const sameIn = (one: ReadonlyArray<Message>, other: ReadonlyArray<Message>): number => {
  let size = 0
  while (size < one.length && size < other.length && isSame(one[size], other[size], 0)) size++
  return size
}

/** Deeper values count as different; their meanings are compared instead. */
const DEEPEST = 32

/** Whether two JSON values are equal, including the order of keys. */
const isSame = (one: unknown, other: unknown, depth: number): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (depth === DEEPEST || Array.isArray(one) !== Array.isArray(other)) return false
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return false
    for (let index = 0; index < one.length; index++) if (!isSame(one[index], other[index], depth + 1)) return false
    return true
  }
  const others = Object.keys(other)
  let count = 0
  // Without a list of names for each object of a conversation, in which most are equal.
  for (const name in one) {
    if (name !== others[count++]) return false
    if (!isSame(Reflect.get(one, name), Reflect.get(other, name), depth + 1)) return false
  }
  return count === others.length
}

const fitting = (standings: ReadonlyArray<Standing>): ReadonlyArray<Standing> => {
  let left = LONGEST_RECENT
  return standings.slice(0, MOST_RECENT).filter(({ length }) => {
    left -= length
    return left >= 0
  })
}

const sharedBy = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let size = 0
  while (size < one.length && size < other.length && one[size] === other[size]) size++
  return size
}
