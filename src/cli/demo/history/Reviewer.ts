import { Effect, Option, Schema, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../events/log/EventLog.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import { Confirmations } from "../../../kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../../kernel/gate/Gate.ts"

/** What the history's kernels let pass, what not, and about what they ask. */
export const GATE: GateConfig = {
  rules: [
    { name: "valves-stay-free", actuator: "boiler/block_valve", decision: "deny", reason: "A valve is never blocked." },
    { name: "little-risk", risk: ["none", "low"], decision: "allow" },
    // Nobody is there to answer it, and nobody waits for long.
    { name: "ask-the-night-watch", actuator: "workspace/run", decision: "confirm", confirmWithinMs: 150 },
    { name: "ask-the-reviewer", decision: "confirm" },
  ],
  default: "deny",
}

/** Answers the questions that come after a position, as a person would who knows what may be written. Never ends by itself. */
export const answer = (after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const confirmations = yield* Confirmations
    yield* log.follow({ after, types: ["ConfirmationRequested"] }).pipe(
      Stream.runForEach((item) => {
        if (item instanceof CaughtUp || !is(item, "ConfirmationRequested")) return Effect.void
        const path = Option.getOrUndefined(Schema.decodeUnknownOption(Shown)(item.payload.shown))?.args.path ?? ""
        const verdict = verdictOn(path)
        if (verdict === undefined) return Effect.void
        const answer = { ...verdict, by: "reviewer", channel: "program" }
        return Effect.asVoid(confirmations.decide(item.payload.confirmationId, answer))
      }),
    )
  })

const Shown = Schema.Struct({ args: Schema.Struct({ path: Schema.String }) })

/** What is said to writing a file; nothing to what nobody is there for. */
const verdictOn = (path: string) => {
  if (path.startsWith("notes/")) return { approved: true, reason: "Notes may be written." }
  if (path.startsWith("rota/")) return { approved: false, reason: "The rota is signed: ask who signed it." }
  return undefined
}
