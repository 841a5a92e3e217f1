/** Agents on a line: an action of 1 goes on by one place, if nobody is there. Who comes to `goal` is done. */
import type { Step, WorldPlugin } from "hindcast/plugin"

let places: { [agent: string]: number } = {}
let bumps = 0
let goal = 3

export default {
  actuators: { wave: () => "waved" },
  environment: {
    mode: "parallel",
    reset: ({ agents }, options) => {
      places = Object.fromEntries(agents.map((agent, index) => [agent, index * 10]))
      bumps = 0
      goal = Number(options.goal ?? 3)
    },
    observe: ({ agent }) => ({ at: places[agent] ?? 0, others: Object.keys(places).length - 1 }),
    step: (_context, actions: { [agent: string]: number }) => {
      const steps: { [agent: string]: Step } = {}
      for (const agent of Object.keys(actions).sort()) {
        const to = (places[agent] ?? 0) + (actions[agent] ?? 0)
        const isTaken = Object.entries(places).some(([other, place]) => other !== agent && place === to)
        if (isTaken) bumps += 1
        else places[agent] = to
        const isDone = (places[agent] ?? 0) % 10 >= goal
        steps[agent] = { reward: isTaken ? -1 : (actions[agent] ?? 0), terminated: isDone }
      }
      return steps
    },
    join: (_context, agent) => {
      if (agent === "unwanted") throw Object.assign(new Error("the arena is closed to it"), { code: "Closed" })
      places[agent] = Object.keys(places).length * 10
    },
    leave: (_context, agent) => {
      delete places[agent]
    },
    state: () => ({ places, bumps, goal }),
    restore: (_context, _options, state) => {
      places = { ...(state.places as { [agent: string]: number }) }
      bumps = Number(state.bumps)
      goal = Number(state.goal)
    },
  },
} satisfies WorldPlugin
