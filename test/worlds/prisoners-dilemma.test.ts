import type { Step } from "hindcast/plugin"
import { describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/prisoners-dilemma/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/prisoners-dilemma/world.ts"
import { goesOnIdentically, play, refuses, spacesOf, survivesRandomActions } from "./trial.ts"

const [COOPERATE, DEFECT, NOTHING_YET] = [0, 1, 2] as const
const agents = ["ann", "ben"]

/** The reward of a step, by the name that the manifest declares. */
const payoff = (step: Step | undefined): unknown => {
  const [name = ""] = manifest.peas.environment.rewards
  return typeof step?.reward === "object" ? step.reward[name] : undefined
}

const game = (options = {}) => {
  const played = play(plugin.environment, manifest, { agents, options })
  played.reset(1)
  return played
}

describe("the iterated prisoners' dilemma", () => {
  it("has the payoffs of Melting Pot", () => {
    const payoffs = [COOPERATE, DEFECT].map((ann) =>
      [COOPERATE, DEFECT].map((ben) => {
        const steps = game().step({ ann, ben })
        return [payoff(steps.ann), payoff(steps.ben)]
      }),
    )
    expect(payoffs).toEqual([
      [
        [3, 3],
        [0, 5],
      ],
      [
        [5, 0],
        [1, 1],
      ],
    ])
  })

  it("each sees what both chose after the round, and the game ends after the last", () => {
    const played = game({ rounds: 2 })
    expect(played.observe("ann")).toEqual({ own: NOTHING_YET, other: NOTHING_YET, round: 0 })
    expect(played.step({ ann: COOPERATE, ben: DEFECT }).ann?.terminated).toBe(false)
    expect(played.observe("ann")).toEqual({ own: COOPERATE, other: DEFECT, round: 1 })
    expect(played.observe("ben")).toEqual({ own: DEFECT, other: COOPERATE, round: 1 })
    const last = played.step({ ann: DEFECT, ben: DEFECT })
    expect([last.ann?.terminated, last.ben?.terminated]).toEqual([true, true])
    refuses(played, { ann: DEFECT, ben: DEFECT })
  })

  it("who does not choose repeats its last choice, and cooperates at first", () => {
    const played = game()
    expect(payoff(played.step({ ann: DEFECT }).ben)).toBe(0)
    expect(payoff(played.step({ ben: DEFECT }).ann)).toBe(1)
  })

  it("ends by chance where it may, after as many rounds as the probability says", () => {
    const lengths = Array.from({ length: 400 }, (_, seed) => {
      const played = play(plugin.environment, manifest, { agents, options: { rounds: 1000, continuation: 0.8 } })
      played.reset(seed)
      for (let round = 1; ; round++) if (played.step({}).ann?.terminated) return round
    })
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    expect(mean).toBeGreaterThan(4.4)
    expect(mean).toBeLessThan(5.6)
  })

  it("an agent that is left alone is truncated, and another can take the place of one that left", () => {
    const played = game()
    played.step({ ann: DEFECT, ben: COOPERATE })
    played.leave("ben")
    played.join("cat")
    expect(played.observe("ann")).toEqual({ own: DEFECT, other: NOTHING_YET, round: 1 })
    expect(() => played.join("dan")).toThrowError("Two play already.")
    expect(payoff(played.step({ ann: DEFECT }).cat)).toBe(0)
    played.leave("cat")
    expect(played.step({ ann: DEFECT })).toEqual({ ann: { reward: { payoff: 0 }, truncated: true } })
  })

  it("goes on from a state, survives random actions and has the manifest's spaces", () => {
    goesOnIdentically(
      play(plugin.environment, manifest, { agents, options: { rounds: 90, continuation: 0.99 } }),
      5,
      40,
    )
    survivesRandomActions(game(), 2000)
    expect(game().spaces("ann")).toEqual(spacesOf(manifest))
  })

  it("refuses options that no game has, and a third player", () => {
    for (const options of [{ rounds: 0 }, { continuation: 1.5 }, { payoffs: { betrays: "much" } }])
      expect(() => game(options)).toThrowError(/The option .*: expected/)
    expect(() => play(plugin.environment, manifest, { agents: ["a", "b", "c"] }).reset(1)).toThrowError("Two can play")
  })
})
