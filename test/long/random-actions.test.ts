/** Ten thousand rounds of random actions, legal and not, in each world of several agents, MiniGrid's and the lander's. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import type { JsonObject } from "hindcast/plugin"
import { beforeAll, it } from "vitest"
import { inRepository } from "../repository.ts"
import { goesOnIdentically, play, survivesRandomActions } from "../worlds/trial.ts"

const AGENTS = ["ann", "ben", "cat", "dan", "eve"]

const WORLDS: ReadonlyArray<readonly [name: string, agents: ReadonlyArray<string>, options: JsonObject]> = [
  ["minigrid", ["agent"], { level: "DoorKey", size: 5 }],
  ["minigrid", ["agent"], { level: "DoorKey", size: 16 }],
  ["minigrid", ["agent"], { level: "Empty", size: 6, start: "random" }],
  ["grid-world", AGENTS, { slip: 0.2, rows: ["S.a.A.*G", "..#b.B..", "S..!...G"] }],
  ["text-rooms", AGENTS, { rounds: 50 }],
  ["prisoners-dilemma", AGENTS.slice(0, 2), { continuation: 0.9 }],
  ["public-goods", AGENTS, { endowment: 7, multiplier: 1.1 }],
  ["chat-room", AGENTS, { topology: "ring", delay: 3, max_length: 20 }],
  ["bus-stop", AGENTS, { seats: 1, delay: 600, pace: 60 }],
  ["physics", ["agent"], {}],
]

beforeAll(() => {
  execFileSync(process.execPath, [inRepository("packages", "worlds", "vendor.mjs")])
})

it.each(WORLDS)("%s survives them", async (name, agents, options) => {
  const { default: plugin } = await import(inRepository("packages", "worlds", name, "world.ts"))
  const manifest = JSON.parse(fs.readFileSync(inRepository("packages", "worlds", name, "looper-plugin.json"), "utf8"))
  const played = play(plugin.environment, manifest, { agents, options })
  const illegal = name === "chat-room" || name === "text-rooms" ? [-1, 0.5, null, [], {}, true] : undefined
  survivesRandomActions(played, 10_000, illegal)
  // The buses of a short day have gone after three rounds.
  goesOnIdentically(played, 1, 100)
})
