/** The scopes of memories as words of the index, which compare scopes without their names. */

import { sha256 } from "../values/Digest.ts"

/** Where a memory belongs. */
export interface RowScope {
  readonly timeline: string
  readonly agent: string | null
  readonly user: string | null
  /** The key of its subject; null without personal data. */
  readonly keyId: string | null
}

/** The memories to look for: absent fields do not filter, and null among the names means memories without one. */
export interface WantedScope {
  readonly agent?: ReadonlyArray<string | null> | undefined
  readonly user?: ReadonlyArray<string | null> | undefined
  readonly keyId?: ReadonlyArray<string | null> | undefined
}

/** The scope of a memory as four words: digests, so that any name is one word. */
export const scopeWords = ({ timeline, agent, user, keyId }: RowScope): string =>
  [scopeWord("t", timeline), scopeWord("a", agent), scopeWord("u", user), scopeWord("k", keyId)].join(" ")

/** Words that a memory in this scope has: at least one of each list. */
export const wordsOf = ({ agent, user, keyId }: WantedScope): ReadonlyArray<ReadonlyArray<string>> =>
  (
    [
      ["a", agent],
      ["u", user],
      ["k", keyId],
    ] as const
  ).flatMap(([kind, names]) => (names === undefined ? [] : [names.map((name) => scopeWord(kind, name))]))

/** A word about the scope: a letter for its kind, and a digest; `0` for none. */
export const scopeWord = (kind: "t" | "a" | "u" | "k", name: string | null): string =>
  name === null ? `${kind}0` : `${kind}${sha256(name).slice(0, 16)}`
