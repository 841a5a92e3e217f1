import { describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/public-goods/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/public-goods/world.ts"
import { goesOnIdentically, play, refuses, spacesOf, survivesRandomActions } from "./trial.ts"

const agents = ["ann", "ben", "cat", "dan"]

const game = (options = {}) => {
  const played = play(plugin.environment, manifest, { agents, options })
  played.reset(1)
  return played
}

describe("the public goods game", () => {
  it("shares the multiplied pot among all, and lets each keep what it did not give", () => {
    const played = game()
    expect(played.step({ ann: 10, ben: 10, cat: 0, dan: 0 })).toEqual({
      ann: { reward: { kept: 0, share: 8 }, terminated: false },
      ben: { reward: { kept: 0, share: 8 }, terminated: false },
      cat: { reward: { kept: 10, share: 8 }, terminated: false },
      dan: { reward: { kept: 10, share: 8 }, terminated: false },
    })
    expect(played.observe("ann")).toEqual({ round: 1, players: 4, gave: 10, pot: 20, share: [8] })
    expect(played.observe("dan")).toEqual({ round: 1, players: 4, gave: 0, pot: 20, share: [8] })
  })

  it("who does not act gives nothing, and the game ends after its rounds", () => {
    const played = game({ rounds: 1, endowment: 4, multiplier: 2 })
    expect(played.step({ ann: 4 }).ben).toEqual({ reward: { kept: 4, share: 2 }, terminated: true })
    refuses(played, { ann: 4 })
  })

  it("agents come and go: the pot is shared by those who are there", () => {
    const played = game()
    played.leave("dan")
    played.leave("cat")
    played.join("eve")
    expect(Object.keys(played.step({ ann: 10, ben: 10, eve: 10 }))).toEqual(["ann", "ben", "eve"])
    expect(played.observe("eve")).toEqual({ round: 1, players: 3, gave: 10, pot: 30, share: [16] })
    refuses(played, { dan: 1 })
  })

  it("goes on from a state, survives random actions and has the manifest's spaces", () => {
    goesOnIdentically(game({ rounds: 100 }), 20, 40)
    survivesRandomActions(game(), 2000)
    survivesRandomActions(game({ endowment: 7, multiplier: 1.1, rounds: 3 }), 1000)
    // The manifest has room for the largest endowment.
    expect(game().spaces("ann")).toEqual({ ...spacesOf(manifest), action: { type: "Discrete", n: 11 } })
  })

  it("refuses options that no game has", () => {
    for (const options of [{ rounds: 2.5 }, { endowment: 0 }, { multiplier: -1 }])
      expect(() => game(options)).toThrowError(/The option .*: expected/)
  })
})
