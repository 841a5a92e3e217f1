/**
 * Who wrote a log. A log is this user's own if every event in it was appended by this user on this machine, or came
 * before a moment at which the user trusted the log. Any other log is foreign: it may bring plugins, approvals and
 * tasks that a stranger put there. Reading a foreign log needs no trust; acting on it does.
 */

import { Data, Effect } from "effect"
import type { Head } from "../vocabulary/Event.ts"
import type { LogError } from "./LogErrors.ts"

/** How a person gave trust. */
export type TrustedBy = "answer" | "option"

/** What this user's store says about a log. */
export type Provenance =
  /** Everything after `foreignUpTo` was appended by this user on this machine. */
  | { readonly kind: "own"; readonly foreignUpTo: number }
  /** `head` is the log's head when this was found; `why` is one sentence without a full stop. */
  | { readonly kind: "foreign"; readonly head: Head; readonly why: string }

/** The user's store cannot be used. To recover, follow the reason. */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{ readonly reason: string }> {
  override get message() {
    return `Your own store cannot be used: ${this.reason}.`
  }
}

/** Code of a plugin that the user installed, or trusted with the log, and what it may do. */
export interface VouchedCode {
  readonly plugin: string
  readonly digest: string
  /** The grants, as JSON. */
  readonly grants: unknown
}

/** Who wrote a log, by the user's store. A log that was found to be this user's own stays so while it is open. */
export interface Ownership {
  readonly provenance: Effect.Effect<Provenance, LogError>
  /**
   * Trusts the log as it is at this head, and records it. The record has no effect on a log that has another head
   * meanwhile. If it fails, the trust holds while the log is open.
   */
  readonly trust: (head: Head, by: TrustedBy) => Effect.Effect<void, StoreUnusable>
  /**
   * Keeps in the user's store which code of plugins may be started, so that whoever can write the log's directory cannot
   * exchange both. If it fails, it holds while the log is open.
   */
  readonly vouch: (codes: ReadonlyArray<VouchedCode>) => Effect.Effect<void, StoreUnusable>
  /** All code that was vouched for since the log is this user's own. */
  readonly vouched: Effect.Effect<ReadonlyArray<VouchedCode>>
}

/** Who wrote a log. A log in memory is this process's own. */
export const provenanceOf = ({ ownership }: { readonly ownership?: Ownership }): Effect.Effect<Provenance, LogError> =>
  ownership?.provenance ?? Effect.succeed({ kind: "own", foreignUpTo: 0 })
