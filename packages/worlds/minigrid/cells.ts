/** A cell's content: glyphs of a level's rows, and MiniGrid's numbers. */

/** `.` empty, `#` wall, `G` goal, `K` key, `D` locked door, `d` closed door, `_` open door. Doors and keys are yellow. */
export type Cell = "." | "#" | "G" | "K" | "D" | "d" | "_"

/** MiniGrid's object, colour and state by glyph. `?` is a cell that the agent does not see. */
export const CODES: { readonly [glyph in Cell | "?"]: readonly [object: number, colour: number, state: number] } = {
  "?": [0, 0, 0],
  ".": [1, 0, 0],
  "#": [2, 5, 0],
  _: [4, 4, 0],
  d: [4, 4, 1],
  D: [4, 4, 2],
  K: [5, 4, 0],
  G: [8, 1, 0],
}

export const isCell = (glyph: string): glyph is Cell => glyph !== "?" && Object.hasOwn(CODES, glyph)

/** Whether the agent can stand there. */
export const isOpen = (cell: Cell): boolean => cell === "." || cell === "G" || cell === "_"

/** Whether the agent sees what lies behind. */
export const isTransparent = (cell: Cell): boolean => cell !== "#" && cell !== "d" && cell !== "D"

/** Right, down, left, up: MiniGrid's directions 0 to 3. y grows downwards. */
export const DIRECTIONS = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
] as const
