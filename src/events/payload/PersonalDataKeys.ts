/**
 * Keys of personal data, one per subject, and their storage in memory. They are apart from the log, so that destroying
 * a key erases the data in every copy of the log.
 */

import * as crypto from "node:crypto"
import { newId } from "../vocabulary/Event.ts"

/** A key for personal fields (AES-256). */
export interface Key {
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

/** A person whose personal data a log holds. */
export interface Subject {
  readonly subject: string
  readonly keyId: string
  /** Creation time of the key, in epoch milliseconds. */
  readonly since: number
  /** True if the key is destroyed, but the event that records it is missing. */
  readonly shredding: boolean
}

/** A destroyed key, and the id of the event that records it. */
export interface DestroyedKey {
  readonly keyId: string
  readonly eventId: string
}

/**
 * The keys of a log: one per subject, and one for all snapshots. Methods throw the errors of their storage; callers
 * turn them into typed errors.
 */
export interface Keys {
  /** Location of the keys, for messages. */
  readonly name: string
  /** The subject's key; creates one if there is none. Undefined if it was destroyed and that is not recorded yet. */
  readonly of: (subject: string) => Key | undefined
  /** The key with this id; undefined if it was destroyed or is stored elsewhere. */
  readonly find: (id: string) => Key | undefined
  /** Subjects with a key, and those whose shredding was interrupted. */
  readonly subjects: () => ReadonlyArray<Subject>
  /**
   * Destroys a subject's key, and replaces the snapshots' key, so that states folded from the subject's data become
   * unreadable. Undefined if the subject has no key. Repeated calls return the same until `settle`.
   */
  readonly destroy: (subject: string) => DestroyedKey | undefined
  /** Deletes the record of a destroyed key. Call it after the event that records the destruction is appended. */
  readonly settle: (keyId: string) => void
  /** The key of snapshots; undefined while there is no key at all. */
  readonly ofSnapshots: () => Key | undefined
}

/** In bytes. */
export const SECRET_BYTES = 32

export const newKey = (): Key => ({ id: newId(), secret: crypto.randomBytes(SECRET_BYTES) })

/** Keys in memory, for a log in memory. */
export const memory = (): Keys => {
  interface StoredKey extends Key {
    readonly since: number
  }
  const bySubject = new Map<string, StoredKey>()
  const destroyed = new Map<string, DestroyedKey & { readonly since: number }>()
  let ofSnapshots: Key | undefined
  return {
    name: "memory",
    of: (subject) => {
      if (destroyed.has(subject)) return undefined
      const known = bySubject.get(subject)
      if (known !== undefined) return known
      ofSnapshots ??= newKey()
      const made = { ...newKey(), since: Date.now() }
      bySubject.set(subject, made)
      return made
    },
    find: (id) => [...bySubject.values()].find((key) => key.id === id),
    subjects: () => [
      ...[...bySubject].map(([subject, { id, since }]) => ({ subject, keyId: id, since, shredding: false })),
      ...[...destroyed].map(([subject, { keyId, since }]) => ({ subject, keyId, since, shredding: true })),
    ],
    destroy: (subject) => {
      const key = bySubject.get(subject)
      if (key !== undefined) {
        bySubject.delete(subject)
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
