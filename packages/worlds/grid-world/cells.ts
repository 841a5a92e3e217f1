/**
 * The glyphs of a level: `.` floor, `#` wall, `G` goal, `!` hazard, `*` thing to fetch, `a` to `f` keys, `A` to `F`
 * their locked doors, `'` an open door. `S` marks a floor where an agent starts.
 */

/** Glyphs that occur during an episode. */
export const CELLS = ".#G!*abcdefABCDEF'"

export const FLOOR = "."
export const HAZARD = "!"
export const GOAL = "G"
export const START = "S"
const OPEN_DOOR = "'"

/** Number of different keys. */
export const LETTERS = 6

/** 1 to 6 for keys `a` to `f` and doors `A` to `F`; otherwise 0. */
export const letterOf = (cell: string): number => "abcdef".indexOf(cell) + 1 || "ABCDEF".indexOf(cell) + 1

export const isKey = (cell: string): boolean => cell >= "a" && cell <= "f"

export const isThing = (cell: string): boolean => cell === "*"

/** Whether an agent can pick it up. */
export const isItem = (cell: string): boolean => isThing(cell) || isKey(cell)

export const isLocked = (cell: string): boolean => cell >= "A" && cell <= "F"

/** Whether an agent can enter it. */
export const isPassable = (cell: string): boolean => cell !== "#" && !isLocked(cell)

/** An unlocked door. */
export const opened = (): string => OPEN_DOOR

/** The number that agents see; 0 is outside the level. */
export const codeOf = (cell: string): number => {
  if (isLocked(cell)) return 5
  if (isKey(cell)) return 7
  return CODES[cell] ?? 0
}

const CODES: { readonly [cell: string]: number } = {
  [FLOOR]: 1,
  "#": 2,
  [GOAL]: 3,
  [HAZARD]: 4,
  [OPEN_DOOR]: 6,
  "*": 8,
}
