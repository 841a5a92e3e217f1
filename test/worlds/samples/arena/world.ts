/**
 * Agents on a line: an action of 1 goes on by one place, if nobody is there. Who comes to `goal` is done. After `burn`
 * milliseconds, those who still stand at their first place have failed; after `flood` steps, so have all who are not done. With
 * `quarrel`, agents who all go on at once do not. With `swollen`, the state is too large while somebody stands at 1.
 */
import type { Step, WorldPlugin } from "hindcast/plugin"

let places: { [agent: string]: number } = {}
let bumps = 0
let goal = 3
let burn = 0
let quarrel = false
let swollen = false
let time = 0
let flood = 0
let steps = 0

export default {
  actuators: { wave: () => "waved" },
  environment: {
    mode: "parallel",
    reset: ({ agents }, options) => {
      places = Object.fromEntries(agents.map((agent, index) => [agent, index * 10]))
      bumps = 0
      goal = Number(options.goal ?? 3)
      burn = Number(options.burn ?? 0)
      quarrel = options.quarrel === true
      swollen = options.swollen === true
      time = 0
      flood = Number(options.flood ?? 0)
      steps = 0
    },
    observe: ({ agent }) => ({ at: places[agent] ?? 0, others: Object.keys(places).length - 1 }),
    step: (_context, actions: { [agent: string]: number }) => {
      const wanted = Object.values(actions)
      if (quarrel && wanted.length > 1 && wanted.every((action) => action === 1)) {
        throw Object.assign(new Error("nobody gives way"), { code: "Quarrel" })
      }
      steps += 1
      const taken: { [agent: string]: Step } = {}
      for (const agent of Object.keys(actions).sort()) {
        const to = (places[agent] ?? 0) + (actions[agent] ?? 0)
        const isTaken = Object.entries(places).some(([other, place]) => other !== agent && place === to)
        if (isTaken) bumps += 1
        else places[agent] = to
        const isDone = (places[agent] ?? 0) % 10 >= goal
        taken[agent] = { reward: isTaken ? -1 : (actions[agent] ?? 0), terminated: isDone }
      }
      if (steps !== flood) return taken
      const drowned = Object.keys(places).filter((agent) => taken[agent]?.terminated !== true)
      const end: Step = { reward: -1, terminated: true, outcome: "failed" }
      return { ...taken, ...Object.fromEntries(drowned.map((agent) => [agent, end])) }
    },
    join: (_context, agent) => {
      if (agent === "unwanted") throw Object.assign(new Error("the arena is closed to it"), { code: "Closed" })
      places[agent] = Object.keys(places).length * 10
    },
    leave: (_context, agent) => {
      delete places[agent]
    },
    tick: (_context, milliseconds) => {
      const before = time
      time += milliseconds
      if (burn === 0 || before >= burn || time < burn) return
      const burnt = Object.entries(places).filter(([, place]) => place % 10 === 0)
      return Object.fromEntries(
        burnt.map(([agent]): [string, Step] => [agent, { reward: -1, terminated: true, outcome: "failed" }]),
      )
    },
    state: () => ({
      places,
      bumps,
      goal,
      ...(time === 0 ? {} : { time }),
      ...(flood === 0 ? {} : { steps }),
      ...(swollen && Object.values(places).includes(1) ? { text: "x".repeat(5 * 1024 * 1024) } : {}),
    }),
    restore: (_context, options, state) => {
      burn = Number(options.burn ?? 0)
      quarrel = options.quarrel === true
      time = Number(state.time ?? 0)
      flood = Number(options.flood ?? 0)
      steps = Number(state.steps ?? 0)
      places = { ...(state.places as { [agent: string]: number }) }
      bumps = Number(state.bumps)
      goal = Number(state.goal)
    },
  },
} satisfies WorldPlugin
