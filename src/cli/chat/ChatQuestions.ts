/** Asks the person at the terminal to approve or reject pending confirmations, one at a time. */

import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { ChannelEvent } from "../../agents/channel/ChannelEvent.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as ConfirmationPage from "../pages/events/ConfirmationPage.ts"
import * as Prompter from "../task/Prompter.ts"
import { duration, moment } from "../terminal/Text.ts"
import type { ChatTerminal } from "./ChatTerminal.ts"

type Asked = Extract<ChannelEvent, { readonly type: "onToolCallRequest" }>

export interface ChatQuestions {
  /** Asks as soon as no other question is open. */
  readonly ask: (question: Asked) => Effect.Effect<void>
  /** Withdraws a question that was answered elsewhere or no longer waits. */
  readonly settle: (confirmationId: string) => Effect.Effect<void>
}

/** Each answer carries the digest of the displayed request, so it approves exactly that. */
export const make = (
  terminal: ChatTerminal,
  user: string,
): Effect.Effect<ChatQuestions, never, Confirmations | Scope.Scope> =>
  Effect.gen(function* () {
    const { decide, pending } = yield* Confirmations
    const scope = yield* Effect.scope
    const inTurn = Effect.unsafeMakeSemaphore(1).withPermits(1)
    const settled = new Map<string, Deferred.Deferred<void>>()

    const settling = (confirmationId: string) => {
      const known = settled.get(confirmationId) ?? Deferred.unsafeMake<void, never>(FiberId.none)
      settled.set(confirmationId, known)
      return known
    }

    const put = ({ confirmationId, shown, shownDigest, expiresAt, timeline, position }: Asked) =>
      Effect.gen(function* () {
        const { style, columns } = terminal
        const isSettled = settling(confirmationId)
        const waits = yield* Effect.map(pending, (all) => SafeRecord.get(all, confirmationId) !== undefined)
        if (!waits || (yield* Deferred.isDone(isSettled))) return
        const { lines, hidden } = ConfirmationPage.page(style, shown, { width: columns })
        const left = duration(Math.max(0, expiresAt - Date.now()))
        const heading = `The agent asks (${moment(timeline, position)}, ${left} left):`
        const unseen = ConfirmationPage.unseen(
          style,
          hidden,
          CommandHints.shellCommand(CommandHints.written("confirm", "show", confirmationId, "--all")),
        )
        yield* terminal.write(`${[heading, ...lines, ...unseen].join("\n")}\n`)
        const answer = yield* Effect.raceFirst(
          terminal.ask(Prompter.questionOf(hidden)),
          Effect.as(Deferred.await(isSettled), undefined),
        )
        if (answer === undefined) return yield* terminal.write("It no longer waits for an answer.\n")
        const approved = Prompter.isApproval(answer, hidden)
        const reason = answer.trim()
        const decision = {
          approved,
          by: user,
          channel: "terminal",
          ...defined({ shownDigest }),
          ...(approved || /^(n|no)?$/i.test(reason) ? {} : { reason }),
        }
        yield* decide(confirmationId, decision)
      }).pipe(Effect.catchAll(({ message }) => terminal.write(`${message}\n`)))

    return {
      ask: (question) => Effect.asVoid(Effect.forkIn(inTurn(put(question)), scope)),
      settle: (confirmationId) => Effect.asVoid(Deferred.succeed(settling(confirmationId), undefined)),
    }
  })
