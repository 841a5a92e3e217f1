/**
 * Plays connect four by tree search against a player that moves at random:
 *
 *     node examples/search/connect-four.mjs --games 10 --simulations 100 --log games.db
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { open } from "hindcast/promise"
import { game } from "./game.mjs"

const { values } = parseArgs({
  options: {
    log: { type: "string", default: "games.db" },
    games: { type: "string", default: "10" },
    simulations: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    worlds: { type: "string", default: fileURLToPath(new URL("../../packages/worlds", import.meta.url)) },
  },
})

const whole = (name, least) => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number >= least) return number
  throw new Error(`--${name}: expected a whole number, ${least} or more, found ${values[name]}`)
}

const [games, simulations, seed] = [whole("games", 1), whole("simulations", 1), whole("seed", 0)]
const hindcast = await open({
  log: values.log,
  plugins: [`${values.worlds}/connect-four`],
  gate: { default: "allow" },
})
try {
  const world = await hindcast.world({ world: "connect-four", agents: ["random", "search"] })
  let won = 0
  for (let index = 0; index < games; index++) {
    const { taskId, winner } = await game(world, { seed: seed + index, simulations })
    if (winner === "search") won += 1
    console.log(`${taskId}  ${winner ?? "nobody"} won`)
  }
  console.log(`the search won ${won} of ${games} games`)
} finally {
  await hindcast.close()
}
