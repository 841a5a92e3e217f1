/**
 * The world `prisoners-dilemma`: two agents repeatedly choose, at the same time, to cooperate or to defect. The payoffs
 * are those of Melting Pot's matrix games (Leibo et al., 2021).
 */
import type { Json, JsonObject, MultiAgentWorld, Spaces, Step, WorldPlugin } from "hindcast/plugin"

const COOPERATE = 0
const DEFECT = 1
/** The observed choice before the first round. */
const NOTHING_YET = 2

type Choice = typeof COOPERATE | typeof DEFECT

/** Options of a reset. */
interface Settings {
  readonly rounds: number
  /** The probability of another round. */
  readonly continuation: number
  /** By an agent's own choice and the other's. */
  readonly payoffs: readonly [readonly [number, number], readonly [number, number]]
}

type Player = {
  /** The choice in the last round; null before the first. */
  readonly last: Choice | null
  readonly cooperated: number
  readonly payoff: number
}

interface Game {
  readonly settings: Settings
  readonly round: number
  /** By name, without agents that left. */
  readonly players: { readonly [agent: string]: Player }
  readonly over: boolean
}

const PLAYERS = 2
const NEWCOMER: Player = { last: null, cooperated: 0, payoff: 0 }
const MOST_ROUNDS = 10_000

let current: Game | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const playing = (): Game => {
  if (current === undefined) throw failure("no-game", "There is no game yet: the world was not reset.")
  return current
}

const settingsOf = (options: JsonObject): Settings => {
  const { rounds = 10, continuation = 1, payoffs = {} } = options
  if (!isNumber(rounds, 1, MOST_ROUNDS) || !Number.isInteger(rounds))
    throw failure("bad-option", `The option rounds: expected a whole number from 1 to ${MOST_ROUNDS}.`)
  if (!isNumber(continuation, 0, 1))
    throw failure("bad-option", "The option continuation: expected a probability, from 0 to 1.")
  const { both_cooperate = 3, betrayed = 0, betrays = 5, both_defect = 1 } = isRecord(payoffs) ? payoffs : {}
  if (![both_cooperate, betrayed, betrays, both_defect].every((payoff) => isNumber(payoff, -1e6, 1e6)))
    throw failure("bad-option", "The option payoffs: expected a number from -1000000 to 1000000 for each.")
  return {
    rounds,
    continuation,
    payoffs: [
      [Number(both_cooperate), Number(betrayed)],
      [Number(betrays), Number(both_defect)],
    ],
  }
}

const isNumber = (value: Json | undefined, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const spacesFor = ({ rounds }: Settings): Spaces => ({
  observation: {
    type: "Dict",
    subspaces: {
      own: { type: "Discrete", n: 3 },
      other: { type: "Discrete", n: 3 },
      round: { type: "Discrete", n: rounds + 1 },
    },
  },
  action: { type: "Discrete", n: 2 },
})

/** The choices of a round. An agent that does not choose repeats its last choice, and cooperates in the first round. */
const choicesOf = ({ players }: Game, actions: JsonObject): ReadonlyArray<readonly [string, Choice]> => {
  for (const [agent, action] of Object.entries(actions)) {
    if (!Object.hasOwn(players, agent)) throw failure("no-such-player", `${agent} does not play.`)
    if (action !== COOPERATE && action !== DEFECT)
      throw failure("no-such-action", `Expected 0 (cooperate) or 1 (defect), found ${JSON.stringify(action)}.`)
  }
  return Object.entries(players).map(([agent, { last }]) => {
    const action = actions[agent]
    return [agent, action === COOPERATE || action === DEFECT ? action : (last ?? COOPERATE)]
  })
}

/** An agent without a partner: its episode ends. */
const alone = (players: Game["players"]): { readonly [agent: string]: Step } =>
  Object.fromEntries(Object.keys(players).map((agent) => [agent, { reward: { payoff: 0 }, truncated: true }]))

const world: MultiAgentWorld = {
  mode: "parallel",
  spaces: (options) => spacesFor(settingsOf(options)),
  reset: ({ agents }, options) => {
    if (agents.length > PLAYERS) throw failure("too-many-players", `Two can play, found ${agents.join(", ")}.`)
    const players = Object.fromEntries([...agents].sort().map((agent) => [agent, NEWCOMER]))
    current = { settings: settingsOf(options), round: 0, players, over: false }
  },
  observe: ({ agent }) => {
    const { players, round } = playing()
    const other = Object.keys(players).find((name) => name !== agent)
    const lastOf = (name: string | undefined) =>
      (name !== undefined && Object.hasOwn(players, name) ? players[name]?.last : null) ?? NOTHING_YET
    return { own: lastOf(agent), other: lastOf(other), round }
  },
  step: ({ rng }, actions) => {
    const game = playing()
    if (game.over) throw failure("game-over", `The game ended after round ${game.round}.`)
    const choices = choicesOf(game, actions)
    if (choices.length < PLAYERS) {
      current = { ...game, over: true }
      return alone(game.players)
    }
    const { settings } = game
    const round = game.round + 1
    const over = round >= settings.rounds || (settings.continuation < 1 && rng.random() >= settings.continuation)
    const payoffs = choices.map(([agent, own]) => {
      const other = choices.find(([name]) => name !== agent)?.[1] ?? COOPERATE
      return [agent, own, settings.payoffs[own][other]] as const
    })
    const players = payoffs.map(([agent, own, payoff]) => {
      const before = game.players[agent] ?? NEWCOMER
      const cooperated = before.cooperated + (own === COOPERATE ? 1 : 0)
      return [agent, { last: own, cooperated, payoff: before.payoff + payoff }] as const
    })
    current = { settings, round, players: Object.fromEntries(players), over }
    return Object.fromEntries(payoffs.map(([agent, , payoff]) => [agent, { reward: { payoff }, terminated: over }]))
  },
  join: (_context, agent) => {
    const game = playing()
    if (Object.hasOwn(game.players, agent)) throw failure("plays-already", `${agent} plays already.`)
    if (Object.keys(game.players).length === PLAYERS) throw failure("too-many-players", "Two play already.")
    const players = Object.entries({ ...game.players, [agent]: NEWCOMER }).sort(byName)
    current = { ...game, players: Object.fromEntries(players) }
  },
  leave: (_context, agent) => {
    const { [agent]: _gone, ...players } = playing().players
    current = { ...playing(), players }
  },
  state: () => {
    const { round, players, over, settings } = playing()
    return { round, rounds: settings.rounds, over, players: players }
  },
  restore: (_context, options, { round, players, over }) => {
    if (!isNumber(round, 0, MOST_ROUNDS) || !isRecord(players))
      throw failure("bad-state", "Expected the state of a game: round, players, over.")
    const settings = settingsOf(options)
    const restored = Object.entries(players).map(([agent, player]) => [agent, playerOf(player)])
    current = { settings, round, players: Object.fromEntries(restored), over: over === true }
  },
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

const playerOf = (value: Json | undefined): Player => {
  const { last, cooperated, payoff } = isRecord(value) ? value : {}
  if (typeof cooperated !== "number" || typeof payoff !== "number")
    throw failure("bad-state", "Expected the state of a player: last, cooperated, payoff.")
  return { last: last === COOPERATE || last === DEFECT ? last : null, cooperated, payoff }
}

export default { environment: world } satisfies WorldPlugin
