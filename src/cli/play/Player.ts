/** A person as an agent: each move is a decision. */
import { Effect, Either, Ref } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import { STEP } from "../../plugins/manifest/world.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import type { BadInput } from "../command/BadInput.ts"
import * as Moves from "./Moves.ts"
import * as Position from "./Position.ts"
import type { Seat } from "./Seat.ts"
import type { WorldToPlay } from "./WorldToPlay.ts"

export interface Player {
  readonly agent: Agent.DecidingAgent
  /** The last position read; undefined before the first move. */
  readonly last: Effect.Effect<Position.Position | undefined>
  /** The error in the move that ended the game, if one did. */
  readonly mistake: Effect.Effect<BadInput | undefined>
}

const VERSION = "1"

/**
 * The agent `human:<user>`. It abandons the task when the person ends the game, or when a line of the input is not a
 * move.
 */
export const make = (world: WorldToPlay, user: string, seat: Seat) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<EventLog | Projector>()
    const last = yield* Ref.make<Position.Position | undefined>(undefined)
    const mistake = yield* Ref.make<BadInput | undefined>(undefined)
    const decide = ({ taskId, readings }: Agent.DecisionContext) =>
      Effect.gen(function* () {
        const position = yield* Position.read(world, taskId, yield* Ref.get(last))
        yield* Ref.set(last, position)
        const moves = Moves.of(position.action ?? world.action, world.actions)
        const moved = yield* Effect.either(seat.move({ taskId, position, readings }, moves))
        if (Either.isLeft(moved)) yield* Ref.set(mistake, moved.left)
        const choice: Agent.Choice = Either.match(moved, {
          onLeft: ({ message }) => ({ done: "abandoned", reason: message }),
          onRight: (move) =>
            move === "quit"
              ? { done: "abandoned", reason: "the player ended the game" }
              : { act: `${world.plugin}/${STEP}`, args: { action: move.action } },
        })
        return choice
      }).pipe(Effect.provide(services))
    const player: Player = {
      agent: { name: `human:${user}`, version: VERSION, decide },
      last: Ref.get(last),
      mistake: Ref.get(mistake),
    }
    return player
  })
