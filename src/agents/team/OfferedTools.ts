/** The part of a task's actuators that an agent from a model may call (its option `tools`). */

import { Effect, Schema } from "effect"
import type { ActuatorCapability } from "../../kernel/agents/Agent.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"

/** Schema of a name: an actuator, or all actuators of a plugin. */
export const Name = Schema.String.pipe(
  Schema.pattern(/^[^/\s]+\/[^/\s]+$/),
  Schema.annotations({ description: "an actuator, such as program/lookup, or all of a plugin, such as program/*" }),
)

const ALL = "/*"

const isNamed = (name: string, actuator: string): boolean =>
  name === actuator || (name.endsWith(ALL) && actuator.startsWith(name.slice(0, -ALL.length + 1)))

/** The actuators with one of these names; without names, all. */
export const of = (
  names: ReadonlyArray<string> | undefined,
  actuators: ReadonlyArray<ActuatorCapability>,
): ReadonlyArray<ActuatorCapability> =>
  names === undefined ? actuators : actuators.filter(({ name }) => names.some((named) => isNamed(named, name)))

/** Fails if the task has no actuator of a name. */
export const check = (
  names: ReadonlyArray<string> | undefined,
  actuators: ReadonlyArray<ActuatorCapability>,
): Effect.Effect<void, Options.InvalidOptions> =>
  Effect.suspend(() => {
    const problems = (names ?? []).flatMap((name, index) => {
      if (actuators.some((actuator) => isNamed(name, actuator.name))) return []
      const known = actuators.map(({ name }) => name)
      const [nearest] = DidYouMean.similarNames(name, known)
      const expected = `an active actuator of the task (${known.join(", ") || "it has none"})`
      return [{ path: `tools.${index}`, expected, found: JSON.stringify(name), ...defined({ nearest }) }]
    })
    return problems.length === 0 ? Effect.void : new Options.InvalidOptions({ of: "fromModel", problems })
  })
