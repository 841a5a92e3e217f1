/**
 * The world `connect-four`: two agents drop discs into a grid in turns; the first four in a line win. Observations,
 * actions and rewards follow PettingZoo's `connect_four_v3`.
 */
import type { Json, MultiAgentWorld, Step, WorldPlugin } from "hindcast/plugin"

const ROWS = 6
const COLUMNS = 7
const IN_LINE = 4
const EMPTY = "."
/** In the order of the agents' names. */
const DISCS = ["X", "O"] as const

interface Game {
  /** Rows from the top, as text. */
  readonly board: ReadonlyArray<string>
  readonly players: ReadonlyArray<string>
  /** Index of the player whose turn it is. */
  readonly next: number
  readonly moves: number
  /** The player with four in a line, or the only one left. */
  readonly winner: string | null
  readonly left: ReadonlyArray<string>
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

let current: Game | undefined

const playing = (): Game => {
  if (current === undefined) throw failure("no-game", "There is no game yet: the world was not reset.")
  return current
}

const cellAt = ({ board }: Pick<Game, "board">, row: number, column: number): string | undefined => board[row]?.[column]

const isOver = ({ winner, moves }: Game): boolean => winner !== null || moves === ROWS * COLUMNS

const isFull = (game: Game, column: number): boolean => cellAt(game, 0, column) !== EMPTY

const landing = (game: Game, column: number): number => {
  let row = ROWS - 1
  while (row >= 0 && cellAt(game, row, column) !== EMPTY) row--
  return row
}

const withDisc = ({ board }: Game, row: number, column: number, disc: string): ReadonlyArray<string> =>
  board.map((cells, index) => (index === row ? cells.slice(0, column) + disc + cells.slice(column + 1) : cells))

const DIRECTIONS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
] as const

/** Whether a disc belongs to a line of four. */
const isInLine = (board: ReadonlyArray<string>, row: number, column: number): boolean => {
  const disc = cellAt({ board }, row, column)
  const count = (down: number, right: number): number => {
    let length = 0
    while (cellAt({ board }, row + down * (length + 1), column + right * (length + 1)) === disc) length++
    return length
  }
  return DIRECTIONS.some(([down, right]) => 1 + count(down, right) + count(-down, -right) >= IN_LINE)
}

/** Each player's result of a move. */
const stepsAfter = (game: Game, agent: string): { readonly [agent: string]: Step } => {
  if (!isOver(game)) return { [agent]: { reward: 0 } }
  return Object.fromEntries(
    game.players
      .filter((player) => !game.left.includes(player))
      .map((player): [string, Step] => {
        const reward = game.winner === null ? 0 : player === game.winner ? 1 : -1
        return [player, { reward, terminated: true, outcome: reward < 0 ? "failed" : "achieved" }]
      }),
  )
}

const world: MultiAgentWorld = {
  mode: "turn-based",
  reset: ({ agents }) => {
    if (agents.length !== DISCS.length) {
      throw failure("two-players", `Expected two players, found ${agents.join(", ") || "none"}.`)
    }
    const board = Array.from({ length: ROWS }, () => EMPTY.repeat(COLUMNS))
    current = { board, players: [...agents].sort(), next: 0, moves: 0, winner: null, left: [] }
  },
  observe: ({ agent }) => {
    const { board, players } = playing()
    const own = DISCS[players.indexOf(agent)]
    return board.map((cells) =>
      [...cells].map((cell) => [Number(cell === own), Number(cell !== own && cell !== EMPTY)]),
    )
  },
  mask: ({ agent }) => {
    const game = playing()
    const mayMove = !isOver(game) && game.players[game.next] === agent
    return Array.from({ length: COLUMNS }, (_, column) => Number(mayMove && !isFull(game, column)))
  },
  step: (_context, actions) => {
    const game = playing()
    const [agent = "", column] = Object.entries<Json>(actions)[0] ?? []
    if (isOver(game)) throw failure("game-over", "The game is over.")
    if (game.players[game.next] !== agent) throw failure("not-your-turn", `It is not the turn of ${agent}.`)
    if (typeof column !== "number" || !Number.isInteger(column) || column < 0 || column >= COLUMNS) {
      throw failure("no-such-column", `Expected a column from 0 to ${COLUMNS - 1}, found ${JSON.stringify(column)}.`)
    }
    if (isFull(game, column)) throw failure("column-full", `The column ${column} is full.`)
    const row = landing(game, column)
    const board = withDisc(game, row, column, DISCS[game.next] ?? EMPTY)
    const isAlone = game.left.length > 0
    const winner = isAlone || isInLine(board, row, column) ? agent : null
    current = { ...game, board, next: isAlone ? game.next : 1 - game.next, moves: game.moves + 1, winner }
    return stepsAfter(current, agent)
  },
  turn: () => {
    const game = playing()
    return isOver(game) ? null : (game.players[game.next] ?? null)
  },
  leave: (_context, agent) => {
    const game = playing()
    const next = game.players.findIndex((player) => player !== agent && !game.left.includes(player))
    current = { ...game, left: [...game.left, agent], next: Math.max(next, 0) }
  },
  state: () => {
    const { board, players, next, moves, winner, left } = playing()
    return { board: [...board], players: [...players], next, moves, winner, left: [...left] }
  },
  restore: (_context, _options, { board, players, next, moves, winner, left }) => {
    if (
      !isTexts(board) ||
      !isTexts(players) ||
      !isTexts(left) ||
      typeof next !== "number" ||
      typeof moves !== "number"
    ) {
      throw failure("bad-state", "Expected the state of a game: board, players, next, moves, winner, left.")
    }
    current = { board, players, next, moves, winner: typeof winner === "string" ? winner : null, left }
  },
}

const isTexts = (value: Json | undefined): value is Array<string> =>
  Array.isArray(value) && value.every((text) => typeof text === "string")

export default { environment: world } satisfies WorldPlugin
