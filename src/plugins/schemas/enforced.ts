import { Effect } from "effect"
import { plainText } from "../../events/Json.ts"
import * as ComponentSchemas from "../ComponentSchemas.ts"
import { type Actuator, actuatorsOf, type Manifest, type Sensor, sensorsOf } from "../manifest/schema.ts"
import { AnswerInvalid, CallFailed } from "../PluginError.ts"
import type { OnEmit, PluginProcess } from "../PluginProcess.ts"

/** The code of a call's failure whose arguments disagree with the actuator's schema. */
export const ARGS_INVALID = "ArgumentsInvalid"

/**
 * Holds calls to the manifest's schemas, on both sides: arguments that disagree are not sent (`CallFailed`), and an answer
 * that disagrees is none (`AnswerInvalid`), with the state that the command left.
 */
export const enforced = <Calls extends Pick<PluginProcess, "read" | "act">>(
  manifest: Manifest,
  calls: Calls,
): Calls => {
  const plugin = manifest.name
  const sensors = byName<Sensor>(sensorsOf(manifest))
  const actuators = byName<Actuator>(actuatorsOf(manifest))
  return {
    ...calls,
    read: (sensor, options) =>
      Effect.tap(calls.read(sensor, options), (reading) => {
        const wrong = ComponentSchemas.disagreement("reading", sensors.get(sensor)?.reading, reading)
        return wrong === undefined
          ? Effect.void
          : new AnswerInvalid({ plugin, call: `read ${plugin}/${sensor}`, reason: plainText(wrong) })
      }),
    act: (actuator, args, options) =>
      Effect.suspend(() => {
        const call = `act ${plugin}/${actuator}`
        const wrong = ComponentSchemas.disagreement("args", actuators.get(actuator)?.args, args)
        if (wrong !== undefined) {
          return new CallFailed({ plugin, call, error: { code: ARGS_INVALID, message: plainText(wrong) } })
        }
        return Effect.tap(calls.act(actuator, args, options), ({ result, state }) => {
          const wrong = ComponentSchemas.disagreement("result", actuators.get(actuator)?.result, result)
          if (wrong === undefined) return Effect.void
          return new AnswerInvalid({
            ...{ plugin, call, reason: plainText(wrong) },
            ...(state === undefined ? {} : { state }),
          })
        })
      }),
  }
}

/** Holds readings that are pushed to the manifest's schemas: what disagrees is not taken, and its plugin is told. */
export const enforcedEmit = (manifest: Manifest, onEmit: OnEmit | undefined): OnEmit | undefined => {
  if (onEmit === undefined) return undefined
  const sensors = byName<Sensor>(sensorsOf(manifest))
  return (sensor, reading) =>
    Effect.suspend(() => {
      const wrong = ComponentSchemas.disagreement("reading", sensors.get(sensor)?.reading, reading)
      return wrong === undefined ? onEmit(sensor, reading) : Effect.fail(new Error(plainText(wrong)))
    })
}

const byName = <Component extends { readonly name: string }>(components: ReadonlyArray<Component>) =>
  new Map(components.map((component) => [component.name, component]))
