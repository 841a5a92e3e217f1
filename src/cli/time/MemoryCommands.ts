/** The commands `hindcast memory recall`, `ls` and `rebuild`: memories that outlast a task. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Memories from "../../memories/Memories.ts"
import { defined } from "../../values/defined.ts"
import { oneLine } from "../../values/PlainText.ts"
import { NothingListed } from "../command/BadInput.ts"
import { argument, common, MOMENT, optionalText } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as MemoryPage from "../pages/events/MemoryPage.ts"

const scope = {
  agent: optionalText("agent", "Only memories of this agent"),
  user: optionalText("user", "Only memories about this user"),
  subject: optionalText("subject", "Only memories with the personal data of this subject, as `log subjects` lists it"),
  at: optionalText("at", `What was remembered at this moment: ${MOMENT}`),
}

type Scope = { readonly [Name in keyof typeof scope]: Option.Option<string> }

const given = ({ agent, user, subject, at }: Scope) =>
  defined({
    agent: Option.getOrUndefined(agent),
    user: Option.getOrUndefined(user),
    subject: Option.getOrUndefined(subject),
    at: Option.getOrUndefined(at),
  })

/**
 * Shows memories. If there are none of the named agent, user or subject, an error says so. A question that no memory
 * answers is no error, as for `search`.
 *
 * @param none says that there are memories, but none that answers
 */
const shown = (
  json: boolean,
  found: Memories.MemoryList | Memories.Recollection,
  { agent, user, subject }: Scope,
  none?: string,
) =>
  Effect.gen(function* () {
    const named = Object.entries({ agent, user, subject }).flatMap(([kind, name]) =>
      Option.isNone(name) ? [] : [`${kind} ${oneLine(name.value)}`],
    )
    const isNone = found.memories.length === 0 && found.unreadable === 0 && none === undefined && named.length > 0
    if (json || !isNone) yield* Output.show(json, found, (style) => MemoryPage.lines(style, found, none))
    if (isNone) return yield* new NothingListed({ expected: `a memory of ${named.join(", ")}`, found: "none" })
  })

export const recall = Command.make(
  "recall",
  {
    ...common,
    words: argument("words", "The question, in words").pipe(Args.atLeast(1)),
    ...scope,
    limit: LimitOption.limit("Show at most this many", 8),
  },
  ({ log, json, words, limit, ...of }) =>
    Effect.gen(function* () {
      const memories = yield* Memories.make()
      const query = words.join(" ")
      const found = yield* memories.recall({ query, limit, ...given(of) })
      const known = found.memories.length === 0 ? yield* memories.list({ limit: 1, ...given(of) }) : found
      const none = known.memories.length === 0 ? undefined : MemoryPage.noHit(query)
      yield* shown(json, found, of, none)
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Find memories by their words, now or at an earlier moment"))

export const ls = Command.make(
  "ls",
  { ...common, ...scope, limit: LimitOption.limit("Show at most this many: the newest") },
  ({ log, json, limit, ...of }) =>
    Effect.gen(function* () {
      const found = yield* (yield* Memories.make()).list({ limit, ...given(of) })
      yield* shown(json, found, of)
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List memories, the newest first"))

export const rebuild = Command.make("rebuild", common, ({ log, json }) =>
  Effect.gen(function* () {
    const rebuilt = yield* (yield* Memories.make()).rebuild
    yield* Output.show(json, rebuilt, (style) => MemoryPage.rebuilt(style, rebuilt))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Build the index of the memories again from the log"))
