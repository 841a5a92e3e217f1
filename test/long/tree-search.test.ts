/** A hundred seeded games of connect four by tree search against a player that moves at random. */
import { afterAll, describe, expect, it } from "vitest"
import { open } from "../../src/promise.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

/** Worlds at a time. A game depends on its seed alone. */
const LANES = 4

describe("a tree search in clones of connect four", { timeout: 3_600_000 }, () => {
  it("wins at least 95 of 100 games against random moves", async () => {
    const { game } = await import(inRepository("examples", "search", "game.mjs"))
    const plugins = [inRepository("packages", "worlds", "connect-four")]
    const hindcast = await open({ log: place.file("games.db"), plugins, gate: { default: "allow" } })
    const seeds = Array.from({ length: 100 }, (_, index) => index + 1)
    const lanes = Array.from({ length: LANES }, async () => {
      const world = await hindcast.world({ world: "connect-four", agents: ["random", "search"] })
      let won = 0
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        if ((await game(world, { seed, simulations: 100 })).winner === "search") won += 1
      }
      return won
    })
    const won = (await Promise.all(lanes)).reduce((sum, each) => sum + each, 0)
    await hindcast.close()
    expect(won).toBeGreaterThanOrEqual(95)
  })
})
