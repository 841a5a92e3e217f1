/** How the worlds for many agents, MiniGrid's levels and the lander draw themselves. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import chatRoom from "../../packages/worlds/chat-room/looper-plugin.json" with { type: "json" }
import chat from "../../packages/worlds/chat-room/world.ts"
import gridWorld from "../../packages/worlds/grid-world/looper-plugin.json" with { type: "json" }
import grid from "../../packages/worlds/grid-world/world.ts"
import minigrid from "../../packages/worlds/minigrid/looper-plugin.json" with { type: "json" }
import level from "../../packages/worlds/minigrid/world.ts"
import physics from "../../packages/worlds/physics/looper-plugin.json" with { type: "json" }
import prisoners from "../../packages/worlds/prisoners-dilemma/looper-plugin.json" with { type: "json" }
import dilemma from "../../packages/worlds/prisoners-dilemma/world.ts"
import publicGoods from "../../packages/worlds/public-goods/looper-plugin.json" with { type: "json" }
import goods from "../../packages/worlds/public-goods/world.ts"
import type { Json } from "../../src/values/Json.ts"
import { drawSvg } from "../../src/views/drawSvg.ts"
import { drawText } from "../../src/views/drawText.ts"
import * as View from "../../src/views/View.ts"
import { play } from "./trial.ts"

const viewOf = (manifest: { readonly peas: { readonly environment: { readonly view: Json } } }) =>
  Either.getOrThrow(View.decode(manifest.peas.environment.view))

const AGENTS = ["ann", "ben"]

describe("the worlds' views in a terminal", () => {
  it("MiniGrid is its room, with the agent as an arrow", () => {
    const played = play(level.environment, minigrid, { options: { size: 5 } })
    played.reset(42)
    expect(drawText(viewOf(minigrid), played.state(), { columns: 60 })).toEqual([
      "use the key to open the door and then get to the goal",
      "",
      "█ █ █ █ █",
      "█ · █ · █",
      "█ ▼ D · █",
      "█ K █ G █",
      "█ █ █ █ █",
      "G goal  K key  D locked door  d closed door  _ open door",
      "",
      "steps  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  0",
      "",
      "carries nothing",
    ])
  })

  it("the grid is its cells with the agents in them, and a table of them", () => {
    const played = play(grid.environment, gridWorld, { agents: AGENTS })
    played.reset(1)
    played.step({ ann: 4 })
    expect(drawText(viewOf(gridWorld), played.state(), { columns: 60 })).toEqual([
      "████████████",
      "█·@··█·····█",
      "█@·a·A··!··█",
      "█····█··!*·█",
      "█····█····G█",
      "████████████",
      "G goal  ! hazard  * thing  ' open door  a keys a to f",
      "A doors A to F  @ agent",
      "",
      "Agents",
      "agent  x  y  carries  blocked  is",
      "ann    2  1                 0  walking",
      "ben    1  2                 0  walking",
      "",
      "Round 1",
    ])
  })

  it("the dilemma and the public goods are tables of the players", () => {
    const two = play(dilemma.environment, prisoners, { agents: AGENTS })
    two.reset(1)
    two.step({ ben: 1 })
    expect(drawText(viewOf(prisoners), two.state(), { columns: 60 })).toEqual([
      "round  ███░░░░░░░░░░░░░░░░░░░░░░░░░░░  1",
      "",
      "agent        last  cooperated  payoff",
      "ann    cooperates           1       0",
      "ben       defects           0       5",
      "",
      "Round 1 of 10",
    ])
    const all = play(goods.environment, publicGoods, { agents: AGENTS })
    all.reset(1)
    all.step({ ben: 5 })
    expect(drawText(viewOf(publicGoods), all.state(), { columns: 60 })).toContain("The pot was 5; each got 4.00.")
  })

  it("the chat room is what was said, and who said how much", () => {
    const played = play(chat.environment, chatRoom, { agents: AGENTS })
    played.reset(1)
    played.step({ ann: "Hello" })
    expect(drawText(viewOf(chatRoom), played.state(), { columns: 60 })).toEqual([
      "Round 1 of 50",
      "",
      "Heard",
      "round  from  to   text",
      "    1  ann   ben  Hello",
      "",
      "Said, but not heard yet",
      "round  from  text",
      "",
      "Agents",
      "agent  said  heard",
      "ann       1      0",
      "ben       0      1",
    ])
  })

  it("the lander is gauges, and a picture where there are pictures", () => {
    const state = {
      status: "flying",
      lander: { x: 1.25, y: 8, vx: -0.5, vy: -1, angle: 0.1, spin: 0, left: false, right: false, hit: false },
      pad: { x: -3, half: 1.5 },
      boulders: [{ x: 6, radius: 0.5 }],
      still: 0,
      steps: 60,
      fuel: { main: 12, side: 3 },
      snapshot: "",
    }
    expect(drawText(viewOf(physics), state, { columns: 60 })).toEqual([
      "to the side   ────────────────●─────────────     1.25 m",
      "pad           ───────────●──────────────────    -3.00 m",
      "height        ███████████████░░░░░░░░░░░░░░░     8.00 m",
      "to the right  ──────────────●───────────────  -0.50 m/s",
      "upwards       ─────────────●────────────────  -1.00 m/s",
      "angle         ───────────────●──────────────       0.10",
      "main engine   █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   12 steps",
      "",
      "Step 60: flying",
    ])
    const picture = drawSvg(viewOf(physics), state)
    expect(picture).toContain('transform="translate(1.25 8) rotate(5.73)"')
    expect(picture).toContain('cx="6" cy="0" r="0.5"')
    expect(picture).not.toContain("∅")
  })
})
