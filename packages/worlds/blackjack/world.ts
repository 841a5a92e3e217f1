/**
 * The world `blackjack`: a player draws cards against a dealer. The rules, the order of the draws and the rewards follow
 * Gymnasium's Blackjack-v1, which is example 5.1 of Sutton and Barto's "Reinforcement Learning: An Introduction".
 */
import type { Json, JsonObject, Step, World, WorldContext, WorldPlugin } from "hindcast/plugin"

/** 1 is an ace; the jack, queen and king count as 10. */
const DECK = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
const MOST = 21
/** The dealer stops at this sum. */
const DEALER_STOPS = 17
const SUITS = 4
/** Jack, queen, king. */
const FACES = 3

type Hand = ReadonlyArray<number>
type Result = "open" | "won" | "lost" | "drawn"

/** An episode's settings, from the options. */
interface Setting {
  readonly sab: boolean
  readonly natural: boolean
}

interface State {
  readonly dealer: Hand
  readonly player: Hand
  readonly result: Result
}

const settingOf = (options: JsonObject): Setting => ({ sab: options.sab !== false, natural: options.natural === true })

let setting: Setting = settingOf({})
let state: State = { dealer: [1, 1], player: [1, 1], result: "open" }

const sumOf = (hand: Hand): number => hand.reduce((sum, card) => sum + card, 0)

/** Whether an ace counts as 11. */
const hasUsableAce = (hand: Hand): boolean => hand.includes(1) && sumOf(hand) + 10 <= MOST

const totalOf = (hand: Hand): number => sumOf(hand) + (hasUsableAce(hand) ? 10 : 0)

/** 0 for a hand over 21. */
const scoreOf = (hand: Hand): number => (totalOf(hand) > MOST ? 0 : totalOf(hand))

/** An ace and a ten. */
const isNatural = (hand: Hand): boolean => hand.length === 2 && hand.includes(1) && hand.includes(10)

const drawn = ({ rng }: WorldContext): number => rng.choice(DECK)

const hit = (context: WorldContext): Step => {
  const player = [...state.player, drawn(context)]
  const isOver = totalOf(player) > MOST
  state = { ...state, player, result: isOver ? "lost" : "open" }
  return isOver ? { reward: -1, terminated: true, outcome: "failed" } : { reward: 0 }
}

const stick = (context: WorldContext): Step => {
  const dealer = [...state.dealer]
  while (totalOf(dealer) < DEALER_STOPS) dealer.push(drawn(context))
  const reward = rewardFor(state.player, dealer)
  state = { ...state, dealer, result: reward > 0 ? "won" : reward < 0 ? "lost" : "drawn" }
  return { reward, terminated: true, ...(reward < 0 ? { outcome: "failed" } : {}) }
}

const rewardFor = (player: Hand, dealer: Hand): number => {
  const { sab, natural } = setting
  const reward = Math.sign(scoreOf(player) - scoreOf(dealer))
  if (sab) return isNatural(player) && !isNatural(dealer) ? 1 : reward
  return natural && isNatural(player) && reward === 1 ? 1.5 : reward
}

const handIn = (document: JsonObject, name: string): Hand => {
  const cards: Json | undefined = document[name]
  if (!Array.isArray(cards)) throw new TypeError(`${name}: expected a list of numbers, found ${JSON.stringify(cards)}`)
  return cards.map((card, index) => {
    if (typeof card !== "number")
      throw new TypeError(`${name}/${index}: expected a number, found ${JSON.stringify(card)}`)
    return card
  })
}

const environment: World = {
  reset: (context, options) => {
    setting = settingOf(options)
    const { rng } = context
    const dealer = [drawn(context), drawn(context)]
    const player = [drawn(context), drawn(context)]
    // Gymnasium chooses the suit and the face of the open card, which it shows in its pictures only.
    rng.choice(SUITS)
    if (dealer[0] === 10) rng.choice(FACES)
    state = { dealer, player, result: "open" }
  },
  observe: () => [totalOf(state.player), state.dealer[0] ?? 0, hasUsableAce(state.player) ? 1 : 0],
  step: (context, action: 0 | 1) => (action === 1 ? hit(context) : stick(context)),
  // The sums are for drawing the world and for rules.
  state: () => ({
    ...state,
    shown: state.dealer[0] ?? 0,
    total: totalOf(state.player),
    usable_ace: hasUsableAce(state.player) ? 1 : 0,
  }),
  restore: (_context, options, document) => {
    setting = settingOf(options)
    const [dealer, player] = [handIn(document, "dealer"), handIn(document, "player")]
    const { result } = document
    if (result !== "open" && result !== "won" && result !== "lost" && result !== "drawn")
      throw new TypeError(`result: expected open, won, lost or drawn, found ${JSON.stringify(result)}`)
    state = { dealer, player, result }
  },
}

export default { environment } satisfies WorldPlugin
