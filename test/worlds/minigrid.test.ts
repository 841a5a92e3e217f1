import type { Json } from "hindcast/plugin"
import { describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/minigrid/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/minigrid/world.ts"
import golden from "../golden/worlds/minigrid.json" with { type: "json" }
import { goesOnIdentically, play, refuses, survivesRandomActions } from "./trial.ts"

/** The level that an entry of `minigrid.json` is about, which `minigrid.py` beside it has written. */
const level = (of: { level: string; size: number; start: string }) =>
  play(plugin.environment, manifest, { options: { level: of.level, size: of.size, start: of.start } })

const textOf = (image: Json): string =>
  Array.isArray(image)
    ? image
        .flat()
        .map(([object, colour, state]) => `${object.toString(16)}${colour}${state}`)
        .join("")
    : ""

const observed = (played: ReturnType<typeof level>) => {
  const observation = played.observe("agent")
  if (
    typeof observation !== "object" ||
    observation === null ||
    Array.isArray(observation) ||
    !("image" in observation)
  )
    return expect.fail("an observation is an image, a direction and a mission")
  return { image: textOf(observation.image ?? null), direction: observation.direction }
}

/** A state's rows as MiniGrid prints them. */
const printed = ({ rows, agent }: { rows?: Json; agent?: Json } & object): ReadonlyArray<string> => {
  const print: { readonly [cell: string]: string } = {
    "#": "WG",
    ".": "  ",
    G: "GG",
    K: "KY",
    D: "LY",
    d: "DY",
    _: "__",
  }
  const { x, y, direction } = JSON.parse(JSON.stringify(agent))
  return JSON.parse(JSON.stringify(rows)).map((row: string, at: number) =>
    [...row]
      .map((cell, column) => (at === y && column === x ? ">V<^".charAt(direction).repeat(2) : print[cell]))
      .join(""),
  )
}

describe("MiniGrid's levels", () => {
  it("a seed gives the level and the first view that MiniGrid gives", () => {
    for (const reset of golden.resets) {
      const played = level(reset)
      played.reset(reset.seed)
      const found = { ...observed(played), grid: printed(played.state()) }
      const { image, direction, grid } = reset
      expect(found, `${reset.level} ${reset.size}, seed ${reset.seed}`).toEqual({ image, direction, grid })
    }
  })

  it("actions give the views, rewards and ends that MiniGrid gives", () => {
    for (const episode of golden.episodes) {
      const played = level(episode)
      played.reset(episode.seed)
      for (const [index, [action, image, direction, reward, terminated, truncated]] of episode.steps.entries()) {
        const { agent: step } = played.step({ agent: Number(action) })
        const seen = observed(played)
        const at = `${episode.level} ${episode.size}, step ${index + 1}`
        expect({ ...seen, ...step }, at).toEqual({
          image: image ?? seen.image,
          direction,
          reward,
          terminated,
          truncated,
        })
      }
    }
  })

  it("goes on from a state as if nothing had happened", () => {
    goesOnIdentically(play(plugin.environment, manifest), 40, 60)
  })

  it("survives random actions, legal and not, with every view in its space", () => {
    survivesRandomActions(play(plugin.environment, manifest, { options: { size: 5 } }), 2000)
  })

  it("is truncated where the options say, and refuses options that no level has", () => {
    const short = play(plugin.environment, manifest, { options: { level: "Empty", size: 5, max_steps: 2 } })
    short.reset(1)
    expect([short.step({ agent: 0 }).agent?.truncated, short.step({ agent: 0 }).agent?.truncated]).toEqual([
      false,
      true,
    ])
    refuses(short, { agent: 7 })
    for (const options of [{ level: "Maze" }, { size: 4 }, { size: 6.5 }, { start: "middle" }, { max_steps: 0 }])
      expect(() => play(plugin.environment, manifest, { options }).reset(1)).toThrowError(/The option .*: expected/)
  })

  it("refuses a state that is none of its level's", () => {
    const played = play(plugin.environment, manifest, { options: { size: 6 } })
    played.reset(1)
    const { rows: _, ...state } = played.state()
    expect(() => played.restore(state, played.rng())).toThrowError("Expected the state of a level of 6 by 6 cells.")
  })
})
