/** Monte Carlo tree search against a random player, over a real log. The long test plays a hundred games. */
import { afterAll, describe, expect, it } from "vitest"
import { open } from "../../src/promise.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

describe("a tree search in clones of connect four", { timeout: 300_000 }, () => {
  it("wins against random moves, and plays the same games again with the same seeds", async () => {
    const { game } = await import(inRepository("examples", "search", "game.mjs"))
    const plugins = [inRepository("packages", "worlds", "connect-four")]
    const played = async (log: string) => {
      const hindcast = await open({ log, plugins, gate: { default: "allow" } })
      const world = await hindcast.world({ world: "connect-four", agents: ["random", "search"] })
      const games = []
      for (let seed = 1; seed <= 2; seed++) {
        const { taskId, winner } = await game(world, { seed, simulations: 100 })
        const moves: Array<unknown> = []
        for await (const { payload } of hindcast.events.read({ taskId, types: ["ActuatorCommanded"] })) {
          moves.push([payload.agentId, payload.args])
        }
        games.push({ winner, moves, taskId, audit: await hindcast.audit(taskId) })
      }
      await hindcast.close()
      return games
    }
    const games = await played(place.file("first.db"))
    expect(games.map(({ winner }) => winner)).toEqual(["search", "search"])
    for (const { audit, moves } of games) expect(audit.acting.succeeded).toBe(moves.length)
    const again = await played(place.file("second.db"))
    expect(again.map(({ moves }) => moves)).toEqual(games.map(({ moves }) => moves))
  })
})
