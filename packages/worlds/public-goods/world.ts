/**
 * The world `public-goods`: in each round, every agent puts some of its endowment into a pot. The pot is multiplied and
 * shared equally among all agents, givers or not.
 */
import type { Json, JsonObject, MultiAgentWorld, Spaces, WorldPlugin } from "hindcast/plugin"

/** Options of a reset. */
interface Settings {
  readonly rounds: number
  readonly endowment: number
  readonly multiplier: number
}

type Player = {
  /** In the last round, and in all rounds. */
  readonly gave: number
  readonly given: number
  readonly payoff: number
}

interface Game {
  readonly settings: Settings
  readonly round: number
  /** Gifts of the last round before multiplication. */
  readonly pot: number
  /** Each agent's share of it. */
  readonly share: number
  /** By name, without agents that left. */
  readonly players: { readonly [agent: string]: Player }
  readonly over: boolean
}

const NEWCOMER: Player = { gave: 0, given: 0, payoff: 0 }
const MOST_ROUNDS = 10_000
const MOST_PLAYERS = 1000
/** The limit of the manifest's action space. */
const MOST_ENDOWMENT = 100

let current: Game | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const playing = (): Game => {
  if (current === undefined) throw failure("no-game", "There is no game yet: the world was not reset.")
  return current
}

const settingsOf = (options: JsonObject): Settings => {
  const { rounds = 10, endowment = 10, multiplier = 1.6 } = options
  if (!isNumber(rounds, 1, MOST_ROUNDS) || !Number.isInteger(rounds))
    throw failure("bad-option", `The option rounds: expected a whole number from 1 to ${MOST_ROUNDS}.`)
  if (!isNumber(endowment, 1, MOST_ENDOWMENT) || !Number.isInteger(endowment))
    throw failure("bad-option", `The option endowment: expected a whole number from 1 to ${MOST_ENDOWMENT}.`)
  if (!isNumber(multiplier, 0, 1000))
    throw failure("bad-option", "The option multiplier: expected a number from 0 to 1000.")
  return { rounds, endowment, multiplier }
}

const isNumber = (value: Json | undefined, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const spacesFor = ({ rounds, endowment, multiplier }: Settings): Spaces => ({
  observation: {
    type: "Dict",
    subspaces: {
      round: { type: "Discrete", n: rounds + 1 },
      players: { type: "Discrete", n: MOST_PLAYERS + 1 },
      gave: { type: "Discrete", n: endowment + 1 },
      pot: { type: "Discrete", n: MOST_PLAYERS * endowment + 1 },
      share: { type: "Box", dtype: "float64", shape: [1], low: 0, high: endowment * multiplier },
    },
  },
  action: { type: "Discrete", n: endowment + 1 },
})

/** Gifts by agent. An agent that does not act gives nothing. */
const giftsOf = ({ players, settings }: Game, actions: JsonObject): ReadonlyArray<readonly [string, number]> => {
  for (const [agent, action] of Object.entries(actions)) {
    if (!Object.hasOwn(players, agent)) throw failure("no-such-player", `${agent} does not play.`)
    if (!isNumber(action, 0, settings.endowment) || !Number.isInteger(action))
      throw failure(
        "no-such-action",
        `Expected a whole number from 0 to ${settings.endowment}, found ${JSON.stringify(action)}.`,
      )
  }
  return Object.keys(players).map((agent) => [agent, Number(actions[agent] ?? 0)])
}

const world: MultiAgentWorld = {
  mode: "parallel",
  spaces: (options) => spacesFor(settingsOf(options)),
  reset: ({ agents }, options) => {
    if (agents.length > MOST_PLAYERS) throw failure("too-many-players", `At most ${MOST_PLAYERS} can play.`)
    const players = Object.fromEntries([...agents].sort().map((agent) => [agent, NEWCOMER]))
    current = { settings: settingsOf(options), round: 0, pot: 0, share: 0, players, over: false }
  },
  observe: ({ agent }) => {
    const { round, players, pot, share } = playing()
    const own = Object.hasOwn(players, agent) ? players[agent] : undefined
    return { round, players: Object.keys(players).length, gave: own?.gave ?? 0, pot, share: [share] }
  },
  step: (_context, actions) => {
    const game = playing()
    if (game.over) throw failure("game-over", `The game ended after round ${game.round}.`)
    const gifts = giftsOf(game, actions)
    const { rounds, endowment, multiplier } = game.settings
    const pot = gifts.reduce((sum, [, gift]) => sum + gift, 0)
    // Rounding must not exceed the share when everybody gives everything.
    const share = Math.min((pot * multiplier) / Math.max(gifts.length, 1), endowment * multiplier)
    const round = game.round + 1
    const over = round >= rounds
    const players = gifts.map(([agent, gave]) => {
      const before = game.players[agent] ?? NEWCOMER
      return [agent, { gave, given: before.given + gave, payoff: before.payoff + endowment - gave + share }]
    })
    current = { ...game, round, pot, share, players: Object.fromEntries(players), over }
    return Object.fromEntries(
      gifts.map(([agent, gave]) => [agent, { reward: { kept: endowment - gave, share }, terminated: over }]),
    )
  },
  join: (_context, agent) => {
    const game = playing()
    if (Object.hasOwn(game.players, agent)) throw failure("plays-already", `${agent} plays already.`)
    if (Object.keys(game.players).length === MOST_PLAYERS)
      throw failure("too-many-players", `At most ${MOST_PLAYERS} can play.`)
    const players = Object.entries({ ...game.players, [agent]: NEWCOMER }).sort(byName)
    current = { ...game, players: Object.fromEntries(players) }
  },
  leave: (_context, agent) => {
    const { [agent]: _gone, ...players } = playing().players
    current = { ...playing(), players }
  },
  state: () => {
    const { round, pot, share, players, over, settings } = playing()
    return { round, rounds: settings.rounds, pot, share, over, players: players }
  },
  restore: (_context, options, { round, pot, share, players, over }) => {
    if (!isNumber(round, 0, MOST_ROUNDS) || typeof pot !== "number" || typeof share !== "number" || !isRecord(players))
      throw failure("bad-state", "Expected the state of a game: round, pot, share, players, over.")
    const settings = settingsOf(options)
    const restored = Object.entries(players).map(([agent, player]) => [agent, playerOf(player)])
    current = { settings, round, pot, share, players: Object.fromEntries(restored), over: over === true }
  },
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

const playerOf = (value: Json | undefined): Player => {
  const { gave, given, payoff } = isRecord(value) ? value : {}
  if (typeof gave !== "number" || typeof given !== "number" || typeof payoff !== "number")
    throw failure("bad-state", "Expected the state of a player: gave, given, payoff.")
  return { gave, given, payoff }
}

export default { environment: world } satisfies WorldPlugin
