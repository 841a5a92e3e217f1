import { Option, Schema } from "effect"
import type { Choice, DecidingAgent, View } from "../../../../kernel/agents/Agent.ts"

const Temperature = Schema.Struct({ celsius: Schema.Number })
const Pressure = Schema.Struct({ bar: Schema.Number })

const celsiusOf = ({ readings }: View) =>
  Option.map(Schema.decodeUnknownOption(Temperature)(readings["boiler/temperature"]), ({ celsius }) => celsius)

const barOf = ({ readings }: View) =>
  Option.map(Schema.decodeUnknownOption(Pressure)(readings["boiler/pressure"]), ({ bar }) => bar)

/** Steps that a boiler is looked after. */
const WATCH = 7

/** An agent that keeps a boiler at 70 °C. Where the gauge gives nothing it goes by the thermometer, and gently. */
export const stoker = (): DecidingAgent => ({
  name: "stoker",
  version: "2.1.0",
  decide: (view): Choice => {
    const celsius = Option.getOrUndefined(celsiusOf(view))
    if (celsius === undefined) return { done: "abandoned", reason: "The thermometer is gone." }
    if (view.step >= WATCH) return { done: "achieved", reason: `The watch is over, at ${celsius} °C.` }
    const bar = Option.getOrUndefined(barOf(view))
    if ((bar ?? 0) > 3.2 || celsius > 80) return { act: "boiler/vent", args: {} }
    // What is lost in a step, and half of what is lacking.
    const wanted = (0.06 * (celsius - 15) + (70 - celsius) / 2) / 16
    const most = bar === undefined ? 0.6 : 1
    return {
      act: "boiler/heat",
      args: { power: Math.round(Math.min(most, Math.max(0, wanted)) * 100) / 100 },
      ...(bar === undefined ? { rationale: "Without the gauge: gently." } : {}),
    }
  },
})

/** An agent that wants it hot, and would hold the valve shut if anybody let it. */
export const daredevil = (): DecidingAgent => ({
  name: "daredevil",
  version: "1.0.0",
  decide: (view): Choice => {
    if (view.step === 1) return { act: "boiler/block_valve", args: {} }
    if (view.step > 0 && Option.isNone(celsiusOf(view)))
      return { done: "failed", reason: "There is no boiler any more." }
    if (view.step >= WATCH) return { done: "achieved", reason: "Hot enough." }
    return { act: "boiler/heat", args: { power: 1 } }
  },
})

/** A stoker that leaves the boiler to itself after some steps, for more seconds than anybody waits. */
export const sleeper = (): DecidingAgent => {
  const awake = stoker()
  return {
    ...awake,
    decide: (view) => (view.step < 3 ? awake.decide(view) : { act: "boiler/simmer", args: { seconds: 600 } }),
  }
}
