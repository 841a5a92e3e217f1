/** A game between `search`, which looks ahead, and `random`, which does not. */

import { searched } from "./tree-search.mjs"

/** Plays one game in a world for these two agents. Returns its task and the winner; null for a draw. */
export const game = async (world, { seed, simulations }) => {
  await world.reset({ seed })
  const taskId = await world.taskId()
  const random = generator(seed)
  for (let move = 0; ; move++) {
    const turn = await world.turn()
    if (turn === null) break
    const action =
      turn === "search"
        ? await searched(world, { simulations, seed: seed * 1_000_000 + move * 10_000 })
        : anyOf(await world.mask(turn), random)
    await world.step(action, turn)
  }
  const { winner } = await world.state()
  await world.close()
  return { taskId, winner }
}

const anyOf = (mask, random) => {
  const legal = mask.flatMap((allowed, index) => (allowed === 1 ? [index] : []))
  return legal[Math.floor(random() * legal.length)]
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
const generator = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
