/**
 * Asks the editor's person about confirmations. Only an option of a kind that allows approves: an error, a cancelled
 * question and an unknown option reject, and without any answer the confirmation waits.
 */

import { Effect, Fiber, type Scope } from "effect"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as Permission from "../Permission.ts"
import type { Peer } from "./Peer.ts"
import * as ToolCallView from "./ToolCallView.ts"
import { SOURCE } from "./Workbench.ts"

export interface Question {
  readonly confirmationId: string
  readonly commandId?: string
  readonly toolName: string
  readonly args: Json
  readonly shown: JsonObject
  readonly shownDigest?: string
}

export interface Questions {
  /** Asks in the background. */
  readonly ask: (question: Question) => Effect.Effect<void>
  /** Withdraws the editor's question: it was answered elsewhere, or no longer waits. Returns the command's id. */
  readonly settle: (confirmationId: string) => Effect.Effect<string | undefined>
}

export interface QuestionOptions {
  readonly peer: Peer
  readonly sessionId: string
  readonly cwd: string
  readonly user: string
}

const OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
]

export const make = ({
  peer,
  sessionId,
  cwd,
  user,
}: QuestionOptions): Effect.Effect<Questions, never, Confirmations | Scope.Scope> =>
  Effect.gen(function* () {
    const { decide } = yield* Confirmations
    const scope = yield* Effect.scope
    const open = new Map<string, { readonly commandId: string | undefined; readonly fiber: Fiber.Fiber<void> }>()

    const put = (question: Question) =>
      Effect.gen(function* () {
        const { confirmationId, commandId = confirmationId, shown, shownDigest } = question
        const asked = {
          sessionId,
          toolCall: {
            toolCallId: commandId,
            status: "pending",
            ...ToolCallView.viewOf(question, cwd),
            // An approval covers exactly this.
            rawInput: shown,
          },
          options: OPTIONS,
        }
        const chosen = yield* peer.request("session/request_permission", asked).pipe(
          Effect.map((result) => Permission.chosenOf(asked, result)),
          Effect.catchTag("EditorRefused", ({ message }) => Effect.succeed({ approved: false, reason: message })),
        )
        const { approved, reason } = chosen
        const answer = { approved, by: user, channel: SOURCE, ...defined({ shownDigest }) }
        yield* decide(confirmationId, approved ? answer : { ...answer, reason: `in the editor: ${reason}` })
      }).pipe(
        // The first answer counts; the log says whose it was.
        Effect.catchTag("NotPending", () => Effect.void),
        Effect.catchAll(({ message }) => ProgramLog.warning(message)),
      )

    return {
      ask: (question) =>
        Effect.gen(function* () {
          const { confirmationId, commandId } = question
          if (open.has(confirmationId)) return
          const fiber = yield* Effect.forkIn(put(question), scope)
          open.set(confirmationId, { commandId, fiber })
        }),
      settle: (confirmationId) =>
        Effect.gen(function* () {
          const found = open.get(confirmationId)
          if (found === undefined) return undefined
          open.delete(confirmationId)
          yield* Fiber.interruptFork(found.fiber)
          return found.commandId
        }),
    }
  })
