import * as crypto from "node:crypto"
import { newId } from "../vocabulary/Event.ts"

/** What personal fields are encrypted with (AES-256). */
export interface Key {
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

/** Someone whose personal data a log holds. */
export interface Subject {
  readonly subject: string
  readonly keyId: string
  /** When the key was made, in epoch milliseconds. */
  readonly since: number
  /** Whether the key is destroyed already, and only the event that says so is still to be appended. */
  readonly shredding: boolean
}

/** A key that was destroyed, and the id of the event that is to record it. */
export interface Destroyed {
  readonly keyId: string
  readonly eventId: string
}

/**
 * The keys of a log, kept apart from it: one a subject, and one for all snapshots. Its methods throw what their storage
 * throws; whoever calls them names it.
 */
export interface Keys {
  /** Where they are kept, for messages. */
  readonly name: string
  /** The subject's key, made where it has none; undefined where it was destroyed and that is not recorded yet. */
  readonly of: (subject: string) => Key | undefined
  /** The key of this id; undefined where it was destroyed, or is not here. */
  readonly find: (id: string) => Key | undefined
  readonly subjects: () => ReadonlyArray<Subject>
  /**
   * Destroys a subject's key, and with it the key of all snapshots, which gets a successor: what was folded from the
   * subject's data is unreadable as well. Undefined where the subject has no key. Answers the same until `settle`.
   */
  readonly destroy: (subject: string) => Destroyed | undefined
  /** Forgets the subject of a key that was destroyed and recorded. */
  readonly settle: (keyId: string) => void
  /** The key that snapshots are encrypted with; undefined while there is no key at all. */
  readonly ofSnapshots: () => Key | undefined
}

/** Bytes of a secret. */
export const SECRET_BYTES = 32

/** A new key with a new secret. */
export const newKey = (): Key => ({ id: newId(), secret: crypto.randomBytes(SECRET_BYTES) })

/** Keys in plain memory, for a log in plain memory. */
export const memory = (): Keys => {
  interface Kept extends Key {
    readonly since: number
  }
  const kept = new Map<string, Kept>()
  const destroyed = new Map<string, Destroyed & { readonly since: number }>()
  let ofSnapshots: Key | undefined
  return {
    name: "memory",
    of: (subject) => {
      if (destroyed.has(subject)) return undefined
      const known = kept.get(subject)
      if (known !== undefined) return known
      ofSnapshots ??= newKey()
      const made = { ...newKey(), since: Date.now() }
      kept.set(subject, made)
      return made
    },
    find: (id) => [...kept.values()].find((key) => key.id === id),
    subjects: () => [
      ...[...kept].map(([subject, { id, since }]) => ({ subject, keyId: id, since, shredding: false })),
      ...[...destroyed].map(([subject, { keyId, since }]) => ({ subject, keyId, since, shredding: true })),
    ],
    destroy: (subject) => {
      const key = kept.get(subject)
      if (key !== undefined) {
        kept.delete(subject)
        destroyed.set(subject, { keyId: key.id, eventId: newId(), since: key.since })
        ofSnapshots = newKey()
      }
      return destroyed.get(subject)
    },
    settle: (keyId) => {
      for (const [subject, { keyId: id }] of destroyed) if (id === keyId) destroyed.delete(subject)
    },
    ofSnapshots: () => ofSnapshots,
  }
}
