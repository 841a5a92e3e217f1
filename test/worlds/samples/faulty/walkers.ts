/** Walkers between two walls. The option `wrong` names a mistake to make. */
import type { Json, MultiAgentWorld, Step } from "hindcast/plugin"

/** The walls are beyond. */
const FAR = 2

/** The round after which it is dark, and the episode is over. */
const DARK = 20

export const walkers = (): MultiAgentWorld => {
  let wrong = ""
  let round = 0
  let tired = 0
  let at: { readonly [agent: string]: number } = {}

  const isLegal = (agent: string, action: number) => Math.abs((at[agent] ?? 0) + action) <= FAR

  const stepOf = (agent: string): Step => {
    const step = { reward: (at[agent] ?? 0) - tired / 100, terminated: wrong !== "endless" && round >= DARK }
    // What is wrong is so from the second round on, and in no type.
    if (round < 2) return step
    const mistakes: { readonly [name: string]: Json | number } = {
      "reward-nan": { reward: Number.NaN },
      "term-number": { terminated: 0 },
      "info-list": { info: [] },
      "reward-null": { reward: null },
      "no-reward": { reward: undefined as unknown as number },
      surprise: { surprise: true },
    }
    return { ...step, ...(mistakes[wrong] as object | undefined) } as Step
  }

  return {
    mode: "parallel",
    reset: ({ agents }, options) => {
      wrong = String(options.wrong ?? "")
      round = 0
      tired = 0
      at = Object.fromEntries(agents.map((agent) => [agent, 0]))
    },
    observe: ({ agent }) => {
      if (wrong === "observing-tires") tired += 1
      return [at[agent] ?? 0, tired]
    },
    mask: ({ agent }) => {
      if (wrong === "mask-short") return [1, 1]
      if (wrong === "mask-lies") return [1, 1, 1]
      if (wrong === "mask-strict") return [0, 1, isLegal(agent, 1) ? 1 : 0]
      return [-1, 0, 1].map((action) => (isLegal(agent, action) ? 1 : 0))
    },
    step: (_context, actions: { readonly [agent: string]: number }) => {
      if (wrong === "refused-tires") tired += 1
      for (const [agent, action] of Object.entries(actions)) {
        if (!isLegal(agent, action)) throw Object.assign(new Error(`${agent}: there is a wall`), { code: "Wall" })
      }
      round += 1
      tired += 1
      at = {
        ...at,
        ...Object.fromEntries(Object.entries(actions).map(([agent, by]) => [agent, (at[agent] ?? 0) + by])),
      }
      const named = Object.keys(actions)
      const steps = Object.fromEntries(
        (wrong === "reversed" ? named.reverse() : named).map((agent) => [agent, stepOf(agent)]),
      )
      if (wrong === "omitted" && round === 2) delete steps.bob
      return wrong === "stranger" ? { ...steps, eve: { reward: 0 } } : steps
    },
    state: () => ({ wrong, round, at, ...(wrong === "field-lost" ? {} : { tired }) }),
    restore: (_context, _options, state) => {
      wrong = String(state.wrong)
      round = Number(state.round)
      tired = Number(state.tired ?? 0)
      at = state.at as typeof at
      if (wrong === "restored-to-zero") at = Object.fromEntries(Object.keys(at).map((agent) => [agent, 0]))
    },
  }
}
