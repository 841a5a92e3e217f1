/**
 * Finds the gate rule that asks a person about a command. The question does not name the rule, but the log has the
 * gate's configuration.
 */

import { Effect, Either, Option, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Gate from "../../kernel/gate/Gate.ts"
import { LEVELS } from "../../plugins/manifest/Risk.ts"
import type { Json } from "../../values/Json.ts"

interface Asked {
  readonly position: number
  readonly actuator: string
  readonly risk: Json | undefined
  readonly args: Json | undefined
}

/** The rule; null if the log lacks the gate (before 0.3.0), or if that gate would not have asked. */
export const of = (asked: Asked) =>
  Effect.map(gateAt(asked.position), (gate) => (gate === undefined ? null : askingIn(gate, asked)))

/** The gate at a position: that of the last started kernel. */
const gateAt = (position: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const last = yield* Stream.runLast(log.read({ types: ["KernelStarted"], until: position }))
    const started = Option.getOrUndefined(last)
    return started !== undefined && is(started, "KernelStarted") ? started.payload.gate : undefined
  })

const askingIn = (gate: Json, { actuator, risk: shown, args }: Omit<Asked, "position">): string | null => {
  const decoded = Gate.decode(gate)
  if (Either.isLeft(decoded)) return null
  const { decision, rule } = Gate.decide(decoded.right, {
    actuator,
    risk: LEVELS.find((level) => level === shown),
    args,
  })
  return decision === "confirm" ? rule : null
}
