/** How a server's host asks a person: through the confirmations of the log. */
import type { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"

/** A question of a server for a person. */
export interface PersonsQuestion {
  readonly argsDigest: string
  readonly shown: JsonObject
  /** The event that the question is about. */
  readonly causationId: string
  /** The task, as in `RecordEvent`. */
  readonly taskId?: string | null | undefined
}

/** A decision, and the event of it. */
export type PersonsAnswer =
  | {
      readonly approved: true
      readonly confirmationId: string
      readonly causationId: string
      readonly reason: string | undefined
    }
  /** `isRejected`: a person said no. Otherwise nobody decided in time. */
  | { readonly approved: false; readonly isRejected: boolean; readonly causationId: string }

/** Waits for a decision. Interruption withdraws the question. */
export type AskPerson = (question: PersonsQuestion) => Effect.Effect<PersonsAnswer, unknown>
