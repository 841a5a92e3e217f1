/** Q-learning on the frozen lake from a real log: it learns from the recorded transitions of its rollouts, batch by batch. */
import { afterAll, describe, expect, it } from "vitest"
import { open } from "../../src/promise.ts"
import { hindcast } from "../cli/hindcast.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

/** The best mean return in the lake of 4 × 4 within 100 steps. */
const OPTIMUM = 0.744

const EPISODES = 2000

describe("q-learning on the frozen lake, which learns from the log", { timeout: 1_800_000 }, () => {
  it.each([1, 2, 3])("wins in its last 1,000 episodes as often as the optimum, but for 5 %, seed %i", async (seed) => {
    const { qLearning } = await import(inRepository("examples", "learners", "learners.mjs"))
    const { episodeOf } = await import(inRepository("examples", "learners", "recorded.mjs"))
    const log = place.file(`lake-${seed}.db`)
    const world = "frozen-lake"
    const kernel = await open({ log, plugins: [inRepository("packages", "worlds", world)], gate: { default: "allow" } })
    const read = (query: Parameters<typeof kernel.events.read>[0]) => kernel.events.read(query)
    let knowledge = qLearning.begin()
    for (let first = 0; first < EPISODES; first += qLearning.batch) {
      const known = knowledge
      const { episodes } = await kernel.rollout({
        world,
        episodes: qLearning.batch,
        seed: seed * 10_000_000 + first,
        policy: {
          name: "q-learning",
          version: "1",
          act: ({ observation, random, episode }) =>
            qLearning.act(known, observation, { random, greedy: false, episode: first + episode, episodes: EPISODES }),
        },
      })
      const batch: Array<unknown> = []
      for (const { taskId } of episodes) batch.push(await episodeOf(read, world, taskId))
      knowledge = qLearning.learn(known, batch)
    }
    const { episodes } = await kernel.rollout({
      world,
      episodes: 1000,
      seed: seed * 10_000_000 + 5_000_000,
      policy: {
        name: "q-learning-greedy",
        version: "1",
        act: ({ observation, random }) => qLearning.act(knowledge, observation, { random, greedy: true }),
      },
    })
    await kernel.close()
    const won = episodes.reduce((sum, episode) => sum + episode.return, 0) / episodes.length
    expect(won).toBeGreaterThan(0.95 * OPTIMUM)
    const trend = await hindcast(["audit", "--trend", "--agent", "q-learning", "--scores", "return", "--log", log])
    expect(trend).toMatchObject({ code: 0, stdout: expect.stringContaining("it is getting better") })
  })
})
