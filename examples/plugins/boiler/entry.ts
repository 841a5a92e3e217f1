import type { JsonObject, Plugin } from "hindcast/plugin"

/** The state of the vessel, to a tenth. Its sensors are less exact. */
type Vessel = {
  readonly celsius: number
  readonly bar: number
  readonly valve: "free" | "stuck" | "blocked"
  readonly steps: number
}

/** This process serves one task with one vessel, from its last reset. */
let current: Vessel | undefined

const vessel = (): Vessel => {
  if (current === undefined) throw failure("cold", "There is no boiler yet: the environment was not reset.")
  return current
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const tenth = (value: number): number => Math.round(value * 10) / 10

/** Heat of a step at full power, in degrees. */
const FULL = 16

/** Loss of a step: a share of the difference to the cellar's 15 °C. */
const LOSS = 0.06

const OPENS_AT = 4
const BURSTS_AT = 5

/** One step: heat from the flame, loss to the cellar, and the pressure for the new temperature. */
const step = (gain: number): JsonObject => {
  const before = vessel()
  const celsius = before.celsius + gain - LOSS * (before.celsius - 15)
  const bar = celsius <= 50 ? 1 : 1 + (celsius - 50) / 12
  const opens = bar > OPENS_AT && before.valve === "free"
  if (bar > BURSTS_AT && before.valve !== "free") {
    // A burst vessel answers no more.
    Deno.exit(70)
  }
  current = {
    ...before,
    celsius: tenth(opens ? celsius - 12 : celsius),
    bar: tenth(opens ? bar - 1 : bar),
    steps: before.steps + 1,
  }
  return { opened: opens }
}

declare const Deno: { readonly exit: (code: number) => never }

export default {
  sensors: {
    temperature: ({ random }) => ({ celsius: tenth(vessel().celsius + random() - 0.5) }),
    pressure: ({ random }) => {
      if (random() < 0.15) throw failure("no-signal", "The gauge gave no signal. Read it again.")
      return { bar: tenth(vessel().bar) }
    },
  },
  actuators: {
    heat: (_context, { power }: { readonly power: number }) => step(FULL * power),
    vent: () => step(-10),
    simmer: async ({ signal }, { seconds }: { readonly seconds: number }) => {
      await new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, seconds * 1000)
        signal.addEventListener("abort", () => {
          clearTimeout(timer)
          reject(failure("cancelled", "The flame was turned off."))
        })
      })
      return step(FULL * 0.2)
    },
    block_valve: () => {
      current = { ...vessel(), valve: "blocked" }
      return {}
    },
  },
  environment: {
    reset: (_context, { celsius = 40, valve = "free" }) => {
      if (typeof celsius !== "number" || celsius < 0 || celsius > 100) {
        throw failure("bad-options", `celsius: expected a number from 0 to 100, found ${JSON.stringify(celsius)}`)
      }
      if (valve !== "free" && valve !== "stuck") {
        throw failure("bad-options", `valve: expected "free" or "stuck", found ${JSON.stringify(valve)}`)
      }
      current = { celsius, bar: 1, valve, steps: 0 }
    },
    state: () => vessel(),
  },
} satisfies Plugin
