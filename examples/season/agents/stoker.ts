/** The agents that heat the boiler: well, recklessly, or until a command hangs. */
import { Option, Schema } from "effect"
import type { Agent } from "hindcast"

const Temperature = Schema.Struct({ celsius: Schema.Number })
const Pressure = Schema.Struct({ bar: Schema.Number })

const celsiusOf = ({ readings }: Agent.DecisionContext) =>
  Option.map(Schema.decodeUnknownOption(Temperature)(readings["boiler/temperature"]), ({ celsius }) => celsius)

const barOf = ({ readings }: Agent.DecisionContext) =>
  Option.map(Schema.decodeUnknownOption(Pressure)(readings["boiler/pressure"]), ({ bar }) => bar)

const STEPS = 7

/**
 * An agent that keeps a boiler at 70 °C. Without a pressure reading it uses the temperature alone, at reduced power.
 */
export const stoker = (): Agent.DecidingAgent => ({
  name: "stoker",
  version: "2.1.0",
  decide: (context): Agent.Choice => {
    const celsius = Option.getOrUndefined(celsiusOf(context))
    if (celsius === undefined) return { done: "abandoned", reason: "The thermometer is gone." }
    if (context.step >= STEPS) return { done: "achieved", reason: `The watch is over, at ${celsius} °C.` }
    const bar = Option.getOrUndefined(barOf(context))
    if ((bar ?? 0) > 3.2 || celsius > 80) return { act: "boiler/vent", args: {} }
    // The loss of one step, and half of the difference to the target.
    const wanted = (0.06 * (celsius - 15) + (70 - celsius) / 2) / 16
    const most = bar === undefined ? 0.6 : 1
    return {
      act: "boiler/heat",
      args: { power: Math.round(Math.min(most, Math.max(0, wanted)) * 100) / 100 },
      ...(bar === undefined ? { rationale: "Without the gauge: gently." } : {}),
    }
  },
})

/** An agent that heats at full power and tries to block the valve. */
export const daredevil = (): Agent.DecidingAgent => ({
  name: "daredevil",
  version: "1.0.0",
  decide: (context): Agent.Choice => {
    if (context.step === 1) return { act: "boiler/block_valve", args: {} }
    if (context.step > 0 && Option.isNone(celsiusOf(context)))
      return { done: "failed", reason: "There is no boiler any more." }
    if (context.step >= STEPS) return { done: "achieved", reason: "Hot enough." }
    return { act: "boiler/heat", args: { power: 1 } }
  },
})

/** A stoker that after some steps gives a command of 600 seconds, which outlasts the kernel. */
export const sleeper = (): Agent.DecidingAgent => {
  const awake = stoker()
  return {
    ...awake,
    decide: (context) => (context.step < 3 ? awake.decide(context) : { act: "boiler/simmer", args: { seconds: 600 } }),
  }
}
