/** A conversation at a terminal: shows the agent's words and actions, and submits the user's lines. */

import { Deferred, Effect, Fiber, Ref, Stream, SubscriptionRef } from "effect"
import type { ChannelEvent } from "../../agents/channel/ChannelEvent.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import { json } from "../terminal/Text.ts"
import * as ChatLine from "./ChatLine.ts"
import * as ChatPages from "./ChatPages.ts"
import * as ChatQuestions from "./ChatQuestions.ts"
import type { ChatTerminal } from "./ChatTerminal.ts"
import * as ChatTranscript from "./ChatTranscript.ts"
import type { ConversationAtWork, Failure } from "./ConversationAtWork.ts"

export interface ChatOptions {
  readonly terminal: ChatTerminal
  readonly json: boolean
  readonly user: string
}

/** The recorded source of inputs that are typed here. */
const SOURCE = "chat"

/**
 * Talks until the user ends the conversation, the task is closed, or piped input has ended and the agent waits. Fails
 * as soon as the agent's work fails, even while nobody types. Returns the last conversation: `/undo` replaces it.
 */
export const talk = (first: ConversationAtWork, { terminal, json: asJson, user }: ChatOptions) =>
  Effect.gen(function* () {
    const { style } = terminal
    const { position: began } = yield* (yield* EventLog).head
    const current = yield* Ref.make(first)
    const told = yield* SubscriptionRef.make({ isReady: false, position: 0 })
    const done = yield* Deferred.make<void, Failure>()
    const questions = yield* ChatQuestions.make(terminal, user)
    const say = (lines: ReadonlyArray<string>) =>
      asJson ? Effect.void : Effect.forEach(lines, (line) => terminal.write(`${line}\n`), { discard: true })

    const show = (event: ChannelEvent, transcript: ChatTranscript.ChatTranscript) =>
      Effect.gen(function* () {
        const text = asJson ? `${json(event)}\n` : transcript.of(event)
        if (text !== "") yield* terminal.write(text)
        if (event.type === "onToolCallSettled") yield* questions.settle(event.confirmationId)
        if (event.type === "onToolCallRequest" && terminal.isInteractive && !asJson) yield* questions.ask(event)
        const isReady = event.type === "onAgentStateChange" ? event.state === "ready" : undefined
        yield* SubscriptionRef.update(told, (before) => ({
          isReady: isReady ?? before.isReady,
          position: event.position,
        }))
        if (event.type === "onAgentStateChange" && event.state === "done") yield* Deferred.succeed(done, undefined)
      })

    /** Shows the conversation's events in the background. Fails `done` if the agent's work fails. */
    const tell = ({ channel, after, ended }: ConversationAtWork) => {
      const isOwn = (event: { readonly by: string; readonly source: string; readonly position: number }) =>
        terminal.isInteractive && event.position > began && event.by === `human:${user}` && event.source === SOURCE
      const transcript = ChatTranscript.make(style, user, isOwn)
      const telling = Stream.runForEach(channel.events({ after }), (event) => show(event, transcript))
      return Effect.all([telling, ended], { concurrency: 2, discard: true }).pipe(
        Effect.tapError((failure) => Deferred.fail(done, failure)),
        Effect.forkScoped,
      )
    }
    const telling = yield* Ref.make(yield* tell(first))

    const undo = (anyway: boolean) =>
      Effect.gen(function* () {
        const before = yield* Ref.get(current)
        yield* Fiber.interrupt(yield* Ref.get(telling))
        const undone = yield* Effect.either(before.undo(anyway))
        if (undone._tag === "Left") {
          const { position } = yield* SubscriptionRef.get(told)
          yield* Ref.set(telling, yield* tell({ ...before, after: position }))
          return [undone.left.message, ...(undone.left._tag === "WorldNotRewound" ? [UNDO_ANYWAY] : [])]
        }
        const [next, words] = undone.right
        yield* Ref.set(current, next)
        yield* Ref.set(telling, yield* tell(next))
        return [style.dim(`Back before ${words}, on ${next.channel.timeline}.`)]
      })

    const run = (name: ChatLine.CommandName, argument: string) =>
      Effect.gen(function* () {
        const { channel } = yield* Ref.get(current)
        switch (name) {
          case "help":
            return ChatPages.help(style)
          case "why":
            return yield* ChatPages.why(style, channel)
          case "state":
            return yield* ChatPages.state(style, channel)
          case "cost":
            return yield* ChatPages.cost(channel)
          case "undo":
            return yield* undo(argument === "anyway")
          case "quit":
            return []
        }
      })

    let last = 0
    /** Handles a line. Returns false to end the conversation. */
    const take = (line: string) =>
      Effect.gen(function* () {
        const typed = ChatLine.parse(line)
        if (typed.kind === "unknown") yield* say([typed.message])
        if (typed.kind === "say") {
          const { channel } = yield* Ref.get(current)
          const { text, delivery } = typed
          const submitted = yield* Effect.either(channel.submitUserInput(text, { delivery, by: user, source: SOURCE }))
          if (submitted._tag === "Left") yield* say([submitted.left.message])
          else last = submitted.right.position
        }
        if (typed.kind !== "command") return true
        yield* Effect.flatMap(run(typed.name, typed.argument), say).pipe(
          Effect.catchAll(({ message }) => say([message])),
        )
        return typed.name !== "quit"
      })

    /** Waits until the agent has heard everything and waits for more. */
    const idle = told.changes.pipe(
      Stream.takeUntil(({ isReady, position }) => isReady && position >= last),
      Stream.runDrain,
    )
    const typing = Effect.gen(function* () {
      let line = yield* terminal.next
      while (line !== undefined && (yield* take(line))) line = yield* terminal.next
      if (line === undefined && !terminal.isInteractive) yield* idle
      yield* Effect.flatMap(Ref.get(current), ({ end }) => end)
    })

    const working = Effect.flatMap(Ref.get(current), ({ ended }) => ended)
    yield* Effect.raceFirst(typing, Deferred.await(done))
    return yield* Effect.zipRight(working, Ref.get(current))
  }).pipe(Effect.scoped)

const UNDO_ANYWAY = "`/undo anyway` goes back anyway, and leaves that world as it is now."
