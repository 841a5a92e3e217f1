/**
 * Who wrote a log. A log is this user's own if this user appended every event on this machine, except for events before
 * a moment of trust. Any other log is foreign: it may contain a stranger's plugins, approvals and tasks. Reading a
 * foreign log needs no trust; acting on it does.
 */

import { Data, Effect } from "effect"
import type { Head } from "../vocabulary/Event.ts"
import type { LogError } from "./LogErrors.ts"

/** How a person expressed trust. With `copy`, the log is a verified copy of the person's own. */
export type TrustedBy = "answer" | "option" | "copy"

/** The record about a log in this user's store. */
export type Provenance =
  /** This user appended everything after `foreignUpTo` on this machine. */
  | { readonly kind: "own"; readonly foreignUpTo: number }
  /** `head` is the log's head at that time; `why` is one sentence without a full stop. */
  | { readonly kind: "foreign"; readonly head: Head; readonly why: string }

/** The user's store is unusable. The reason says how to recover. */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{ readonly reason: string }> {
  override get message() {
    return `Your own store cannot be used: ${this.reason}.`
  }
}

/** Code of a plugin that the user installed or trusted with the log, and its grants. */
export interface VouchedCode {
  readonly plugin: string
  readonly digest: string
  /** As JSON. */
  readonly grants: unknown
}

/** Who wrote a log, by the user's store. A log that is this user's own stays so while it is open. */
export interface Ownership {
  readonly provenance: Effect.Effect<Provenance, LogError>
  /**
   * Trusts the log while it is open, and records the trust in this head. The record has no effect on a log with another
   * head. If recording fails, the trust still lasts while the log is open.
   */
  readonly trust: (head: Head, by: TrustedBy) => Effect.Effect<void, StoreUnusable>
  /**
   * Keeps in the user's store which plugin code may start, so that nobody with access to the log's directory can
   * exchange both log and code. If recording fails, it lasts while the log is open.
   */
  readonly vouch: (codes: ReadonlyArray<VouchedCode>) => Effect.Effect<void, StoreUnusable>
  /** All code vouched for since the log is this user's own. */
  readonly vouched: Effect.Effect<ReadonlyArray<VouchedCode>>
}

/** Who wrote a log. A log in memory is this process's own. */
export const provenanceOf = ({ ownership }: { readonly ownership?: Ownership }): Effect.Effect<Provenance, LogError> =>
  ownership?.provenance ?? Effect.succeed({ kind: "own", foreignUpTo: 0 })
