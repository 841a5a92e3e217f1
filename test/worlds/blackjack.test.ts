import { describe, expect, it } from "vitest"
import blackjack from "../../packages/worlds/blackjack/world.ts"
import { begin, meanReturn, numbersOf, type Policy, played, restored } from "./Episode.ts"
import { followsGymnasium, hasNoAction, keepsItsPromises } from "./promises.ts"

const game = played("blackjack", blackjack)

const hitBelow = (total: number) => (): Policy => (observation) => ((numbersOf(observation)[0] ?? 0) < total ? 1 : 0)

/** What stopping earns with a hand against a dealer's hand. */
const stoppedWith = async (options: object, player: ReadonlyArray<number>, dealer: ReadonlyArray<number>) => {
  const { episode = null } = (await begin(game, 1)).state()
  const dealt = { player: [...player], dealer: [...dealer], result: "open", episode }
  const { reward, outcome } = await (await restored(game, { ...options }, dealt)).step(0)
  return outcome === undefined ? reward : [reward, outcome]
}

describe("blackjack", () => {
  followsGymnasium(game)
  keepsItsPromises(game, [{}, { sab: false, natural: true }])
  hasNoAction(game, [-1, 2, 0.5, "hit", null, [1]])

  it("costs a player who stops at 17 about 0.08 of each bet", async () => {
    expect(Math.abs((await meanReturn(game, 20_000, hitBelow(17))) + 0.08)).toBeLessThan(0.03)
  })

  it.each([
    [{}, [1, 10], [10, 6, 5], 1],
    [{}, [1, 10], [1, 10], 0],
    [{}, [5, 6, 10], [1, 10], 0],
    [{}, [10, 8], [10, 9], [-1, "failed"]],
    [{ sab: false }, [1, 10], [10, 6, 5], 0],
    [{ sab: false, natural: true }, [1, 10], [10, 9], 1.5],
    [{ sab: false, natural: true }, [1, 10], [10, 6, 5], 0],
    [{ sab: false, natural: true }, [1, 3, 7], [10, 9], 1],
    [{ sab: true, natural: true }, [1, 10], [10, 9], 1],
  ])("with the options %j, %j against %j earns %j", async (options, player, dealer, expected) => {
    expect(await stoppedWith(options, player, dealer)).toEqual(expected)
  })

  it.each([
    [{ player: [1, "queen"], dealer: [1, 2], result: "open" }, "player/1: expected a number"],
    [{ player: [1, 2], dealer: [1, 2], result: "tied" }, "result: expected open, won, lost or drawn"],
  ])("refuses to continue from the hands %j", async (dealt, message) => {
    const { episode = null } = (await begin(game, 1)).state()
    await expect(restored(game, {}, { ...dealt, episode })).rejects.toThrow(message)
  })
})
