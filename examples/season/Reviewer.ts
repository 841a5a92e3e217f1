/** The gate rules of the season's kernels, and the simulated person who answers their confirmations. */
import { Effect, Option, Schema, Stream } from "effect"
import { Confirmations, EventLog, type Gate, Vocabulary } from "hindcast"

/** The gate of the season's kernels. */
export const GATE: Gate.GateConfig = {
  rules: [
    { name: "valves-stay-free", actuator: "boiler/block_valve", decision: "deny", reason: "A valve is never blocked." },
    { name: "little-risk", risk: ["none", "low"], decision: "allow" },
    // These confirmations expire: nobody answers them.
    { name: "ask-the-night-watch", actuator: "workspace/run", decision: "confirm", confirmWithinMs: 150 },
    { name: "ask-the-reviewer", decision: "confirm" },
  ],
  default: "deny",
}

/** Answers the confirmations that are requested after a position. Runs until interrupted. */
export const answer = (after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const confirmations = yield* Confirmations.Confirmations
    yield* log.follow({ after, types: ["ConfirmationRequested"] }).pipe(
      Stream.runForEach((item) => {
        if (item instanceof EventLog.CaughtUp || !Vocabulary.is(item, "ConfirmationRequested")) return Effect.void
        const path = Option.getOrUndefined(Schema.decodeUnknownOption(Shown)(item.payload.shown))?.args.path ?? ""
        const verdict = answerFor(path)
        if (verdict === undefined) return Effect.void
        const answer = { ...verdict, by: "reviewer", channel: "program" }
        return Effect.asVoid(confirmations.decide(item.payload.confirmationId, answer))
      }),
    )
  })

const Shown = Schema.Struct({ args: Schema.Struct({ path: Schema.String }) })

const answerFor = (path: string) => {
  if (path.startsWith("notes/")) return { approved: true, reason: "Notes may be written." }
  if (path.startsWith("rota/")) return { approved: false, reason: "The rota is signed: ask who signed it." }
  return undefined
}
