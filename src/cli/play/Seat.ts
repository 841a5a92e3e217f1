/** Shows positions and asks for moves, in a terminal or through pipes. */
import { Effect, Either, type Scope } from "effect"
import type { Json } from "../../values/Json.ts"
import * as ChatTerminal from "../chat/ChatTerminal.ts"
import { BadInput } from "../command/BadInput.ts"
import * as Output from "../command/Output.ts"
import * as FullScreen from "../terminal/FullScreen.ts"
import * as Question from "../terminal/Question.ts"
import * as Moves from "./Moves.ts"
import type { Position } from "./Position.ts"
import * as PositionLines from "./PositionLines.ts"
import * as Table from "./TableScreen.ts"
import type { WorldToPlay } from "./WorldToPlay.ts"

export type Move = { readonly action: Json } | "quit"

export interface PlayerTurn {
  readonly taskId: string
  readonly position: Position
  readonly readings: PositionLines.Readings
}

export interface Seat {
  readonly move: (turn: PlayerTurn, moves: Moves.Moves) => Effect.Effect<Move, BadInput>
  /** Shows the last position after the screen has closed. */
  readonly end: (turn: PlayerTurn) => Effect.Effect<void>
}

/**
 * A seat at the terminal if there is one and the output is for people, else at pipes. The scope's end closes the
 * screen.
 */
export const take = (world: WorldToPlay, json: boolean): Effect.Effect<Seat, FullScreen.TerminalNeeded, Scope.Scope> =>
  !json && Question.isPossible() ? atTerminal(world) : atPipes(world, json)

/**
 * Reads one action a line. The end of the input or a line `q` ends the game; in a Text space only the end of the input
 * does.
 */
const atPipes = (world: WorldToPlay, json: boolean): Effect.Effect<Seat, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { next, style, columns } = yield* ChatTerminal.piped
    let line = 0
    const show = ({ taskId, position, readings }: PlayerTurn) => {
      if (json) return Output.writeWhole(PositionLines.document(world, taskId, position, readings))
      const refusal = PositionLines.refusal(position)
      const shown = [
        ...PositionLines.lines(style, world, position, readings, Math.min(columns, PIPE_COLUMNS)),
        ...(refusal === null ? [] : [refusal]),
      ]
      return Effect.forEach([...shown, ""], Output.write, { discard: true })
    }
    return {
      move: (turn, moves) =>
        Effect.gen(function* () {
          yield* show(turn)
          const typed = yield* next
          line += 1
          if (typed === undefined || (typed.trim() === "q" && moves.space.type !== "Text")) return "quit"
          return yield* Either.match(Moves.ofLine(moves, typed), {
            onRight: (action) => Effect.succeed({ action }),
            onLeft: (bad) => new BadInput({ input: `line ${line} of the input`, ...bad }),
          })
        }),
      end: show,
    }
  })

/** Maximum columns without a terminal. */
const PIPE_COLUMNS = 120

const atTerminal = (world: WorldToPlay): Effect.Effect<Seat, FullScreen.TerminalNeeded, Scope.Scope> =>
  Effect.gen(function* () {
    const screen = yield* FullScreen.open("play", "Without one, it reads one action per line.")
    const style = Output.styleOf(process.stdout)
    return {
      move: (turn, moves) =>
        Effect.gen(function* () {
          let table: Table.Table = { ...turn, world, moves, typed: "", message: PositionLines.refusal(turn.position) }
          for (;;) {
            yield* screen.draw(Table.rows(style, table, screen.size()))
            const key = yield* screen.next
            if (key === "resized") continue
            const pressed = Table.press(table, key)
            if (pressed.do !== "show") return pressed.do === "quit" ? "quit" : { action: pressed.action }
            table = pressed.table
          }
        }),
      end: ({ position, readings }) =>
        Effect.forEach(
          PositionLines.lines(style, world, position, readings, Output.columnsOf(process.stdout)),
          Output.write,
          { discard: true },
        ),
    }
  })
