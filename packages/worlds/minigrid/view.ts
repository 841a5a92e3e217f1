/** The agent's view: seven by seven cells in front of it, in MiniGrid's encoding. */
import { type Cell, CODES, DIRECTIONS, isTransparent } from "./cells.ts"

/** The view's side in cells. The agent is in the middle of the last row, and looks towards the first. */
const SIZE = 7
const MIDDLE = 3
const LAST = SIZE - 1

/** The agent's place, direction and load. */
export interface Viewer {
  readonly x: number
  readonly y: number
  readonly direction: number
  readonly carrying: Cell | null
}

/**
 * `image[i][j]` holds object, colour and state of the cell in column i and row j. Walls surround the level. Unless the
 * agent sees through walls, cells behind walls and closed doors are unseen.
 */
export const imageOf = (
  cells: ReadonlyArray<ReadonlyArray<Cell>>,
  viewer: Viewer,
  throughWalls: boolean,
): ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>> => {
  const seen = throughWalls ? undefined : visible((i, j) => cellAt(cells, viewer, i, j))
  const image = []
  for (let i = 0; i < SIZE; i++) {
    const column = []
    for (let j = 0; j < SIZE; j++) {
      const carried = i === MIDDLE && j === LAST ? (viewer.carrying ?? ".") : undefined
      const isSeen = seen === undefined || seen[i * SIZE + j] === true
      column.push([...CODES[isSeen ? (carried ?? cellAt(cells, viewer, i, j)) : "?"]])
    }
    image.push(column)
  }
  return image
}

const cellAt = (cells: ReadonlyArray<ReadonlyArray<Cell>>, viewer: Viewer, i: number, j: number): Cell => {
  const { x: dx, y: dy } = DIRECTIONS[viewer.direction] ?? DIRECTIONS[0]
  const ahead = LAST - j
  const aside = i - MIDDLE
  return cells[viewer.y + dy * ahead + dx * aside]?.[viewer.x + dx * ahead - dy * aside] ?? "#"
}

/** MiniGrid's `process_vis`: light spreads from the agent row by row, sideways and ahead, until something blocks it. */
const visible = (at: (i: number, j: number) => Cell): ReadonlyArray<boolean> => {
  const seen = new Array<boolean>(SIZE * SIZE).fill(false)
  seen[MIDDLE * SIZE + LAST] = true
  const spread = (i: number, j: number, aside: 1 | -1) => {
    if (!seen[i * SIZE + j] || !isTransparent(at(i, j))) return
    seen[(i + aside) * SIZE + j] = true
    if (j === 0) return
    seen[(i + aside) * SIZE + j - 1] = true
    seen[i * SIZE + j - 1] = true
  }
  for (let j = LAST; j >= 0; j--) {
    for (let i = 0; i < LAST; i++) spread(i, j, 1)
    for (let i = LAST; i > 0; i--) spread(i, j, -1)
  }
  return seen
}
