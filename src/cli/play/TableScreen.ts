/** The screen of a person who plays: its rows, and the pure function from a key to the next screen or a move. */
import { Either } from "effect"
import type { Json } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { Key, Size } from "../terminal/FullScreen.ts"
import type { Style } from "../terminal/Style.ts"
import * as Width from "../terminal/Width.ts"
import * as Moves from "./Moves.ts"
import type { Position } from "./Position.ts"
import * as PositionLines from "./PositionLines.ts"
import type { WorldToPlay } from "./WorldToPlay.ts"

export interface Table {
  readonly world: WorldToPlay
  readonly position: Position
  readonly readings: PositionLines.Readings
  readonly moves: Moves.Moves
  readonly typed: string
  readonly message: string | null
}

export type Pressed =
  | { readonly do: "show"; readonly table: Table }
  | { readonly do: "act"; readonly action: Json }
  | { readonly do: "quit" }

/** Applies a key. Ctrl-C and Ctrl-D end the game; so does `q`, except within typed text. */
export const press = (table: Table, key: Key): Pressed => {
  const { moves, typed } = table
  if (key.ctrl) return key.name === "c" || key.name === "d" ? { do: "quit" } : { do: "show", table }
  if (key.text === "q" && typed === "" && moves.space.type !== "Text") return { do: "quit" }
  if (!moves.byKeys) return edit(table, key)
  const action = Moves.ofKey(moves, key)
  if (action !== undefined) return { do: "act", action }
  const name = key.text.trim() === "" ? key.name : key.text
  return { do: "show", table: { ...table, message: `The key ${oneLine(name)} is not an action.` } }
}

const edit = (table: Table, key: Key): Pressed => {
  const { moves, typed } = table
  const show = (change: Partial<Table>): Pressed => ({ do: "show", table: { ...table, message: null, ...change } })
  if (key.name === "return" || key.name === "enter") {
    return Either.match(Moves.ofLine(moves, typed), {
      onRight: (action): Pressed => ({ do: "act", action }),
      onLeft: ({ expected, found }) => show({ message: `Expected ${expected}, found ${oneLine(found)}.` }),
    })
  }
  if (key.name === "escape") return show({ typed: "" })
  return show({ typed: key.name === "backspace" ? [...typed].slice(0, -1).join("") : typed + key.text })
}

/**
 * Exactly `rows` rows of at most `columns` columns: the world above; the message, the typed line and the keys below.
 */
export const rows = (style: Style, table: Table, { columns, rows }: Size): ReadonlyArray<string> => {
  const { world, position, readings, moves, message } = table
  const quit = moves.space.type === "Text" ? "Ctrl-D ends" : "q ends"
  const below = [
    ...Width.wrap(message ?? "", columns)
      .slice(0, MESSAGE_ROWS)
      .map(style.bad),
    ...(moves.byKeys ? [] : [prompt(style, table.typed, columns)]),
    ...Width.wrap(`${Moves.legend(moves)}   ${quit}`, columns).map(style.dim),
  ]
  const above = [style.name(oneLine(world.title)), ...PositionLines.lines(style, world, position, readings, columns)]
  const room = Math.max(0, rows - below.length)
  const shown = above.slice(0, room)
  const all = [...shown, ...Array<string>(room - shown.length).fill(""), ...below]
  return all.slice(Math.max(0, all.length - rows)).map((line) => Width.cut(line, columns))
}

const MESSAGE_ROWS = 3

const prompt = (style: Style, typed: string, columns: number): string =>
  `${style.bold("> ")}${[...oneLine(typed)].slice(-Math.max(1, columns - 4)).join("")}█`
