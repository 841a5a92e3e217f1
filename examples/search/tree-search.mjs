/**
 * Monte Carlo tree search (UCT) in any world of `mode: "turn-based"` for two players whose gains are each other's losses.
 * It tries steps in a clone, so the episode stays as it is until the agent acts.
 */

/** Balances between moves that went well and moves that were rarely tried. */
const CURIOSITY = 1.4

/**
 * Returns the action that a search of so many simulations finds best for the player whose turn it is. The same episode,
 * seed and number of simulations give the same action.
 */
export const searched = async (world, { simulations, seed }) => {
  const clone = await world.clone()
  try {
    const root = await nodeOf(clone, null)
    for (let simulation = 0; simulation < simulations; simulation++) {
      await simulate(clone, root, seed + simulation)
    }
    const [best] = [...root.children].sort((a, b) => b.visits - a.visits)
    return best.action
  } finally {
    await clone.close()
  }
}

/** A position: its state, whose turn it is, and the moves that nobody has tried yet. */
const nodeOf = async (clone, action, returns = {}) => {
  const turn = await clone.turn()
  const mask = turn === null ? [] : await clone.mask(turn)
  const untried = mask.flatMap((legal, index) => (legal === 1 ? [index] : []))
  return { action, turn, untried, returns, state: await clone.state(), children: [], visits: 0, won: {} }
}

/** Descends by the upper confidence bound, adds a position, plays the episode out from there, and credits the path. */
const simulate = async (clone, root, seed) => {
  const path = [root]
  let node = root
  while (node.untried.length === 0 && node.children.length > 0) {
    node = bestOf(node)
    path.push(node)
  }
  await clone.restore(node.state)
  if (node.untried.length > 0) {
    const action = node.untried.splice(seed % node.untried.length, 1)[0]
    const results = await clone.stepTogether({ [node.turn]: action })
    const child = await nodeOf(clone, action, rewardsIn(results))
    node.children.push(child)
    path.push(child)
    node = child
  }
  const returns = node.turn === null ? node.returns : (await clone.playOut({ seed })).returns
  for (const visited of path) {
    visited.visits += 1
    for (const [agent, reward] of Object.entries(returns)) visited.won[agent] = (visited.won[agent] ?? 0) + reward
  }
}

const rewardsIn = (results) => Object.fromEntries(Object.entries(results).map(([agent, { reward }]) => [agent, reward]))

/** The child with the highest bound for the player whose turn it is. */
const bestOf = ({ children, visits, turn }) => {
  const bound = (child) =>
    (child.won[turn] ?? 0) / child.visits + CURIOSITY * Math.sqrt(Math.log(visits) / child.visits)
  return children.reduce((best, child) => (bound(child) > bound(best) ? child : best))
}
