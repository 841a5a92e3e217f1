import { Effect } from "effect"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import type { OnEmit } from "../channel/PushedReadings.ts"
import { type Actuator, actuatorsOf, type Manifest, type Sensor, sensorsOf } from "../manifest/schema.ts"
import { AnswerInvalid, CallFailed } from "../PluginError.ts"
import * as ComponentSchemas from "../schemas/ComponentSchemas.ts"
import { schemaTimeBudget } from "../schemas/SchemaTimeBudget.ts"
import type { Components } from "./Components.ts"

/** The code of a call's failure whose arguments disagree with the actuator's schema. */
export const ARGS_INVALID = "ArgumentsInvalid"

/** What one process's values are held to. */
export interface Enforced {
  /**
   * Holds calls to the manifest's schemas, on both sides: arguments that disagree are not sent (`CallFailed`), and an
   * answer that disagrees is none (`AnswerInvalid`), with the state that the command left.
   */
  readonly calls: <Calls extends Pick<Components, "read" | "act">>(calls: Calls) => Calls
  /** Holds readings that are pushed to the manifest's schemas: what disagrees is not taken, and its plugin is told. */
  readonly pushed: (onEmit: OnEmit) => OnEmit
}

/** The part of the host's time that the checks for one process take in the long run, and milliseconds at once. */
const PATIENCE = { share: 0.1, atOnceMs: 1_000 }

/** Enforces a manifest's schemas on one process, patiently: see `patience`. */
export const enforced = (manifest: Manifest): Enforced => {
  const plugin = manifest.name
  const sensors = byName<Sensor>(sensorsOf(manifest))
  const actuators = byName<Actuator>(actuatorsOf(manifest))
  const patiently = schemaTimeBudget(PATIENCE)
  const disagreement = (part: ComponentSchemas.Part, schema: JsonObject | undefined, value: Json) =>
    schema === undefined
      ? NONE
      : Effect.zipRight(
          ComponentSchemas.load,
          patiently(() => ComponentSchemas.disagreement(part, schema, value)),
        )

  return {
    calls: (calls) => ({
      ...calls,
      read: (sensor, options) => {
        const schema = sensors.get(sensor)?.reading
        // Most components have no schema, and every call passes here.
        if (schema === undefined) return calls.read(sensor, options)
        return Effect.tap(calls.read(sensor, options), (reading) =>
          Effect.flatMap(disagreement("reading", schema, reading), (wrong) =>
            wrong === undefined
              ? Effect.void
              : new AnswerInvalid({ plugin, call: `read ${plugin}/${sensor}`, reason: plainText(wrong) }),
          ),
        )
      },
      act: (actuator, args, options) => {
        const { args: taken, result: given } = actuators.get(actuator) ?? {}
        if (taken === undefined && given === undefined) return calls.act(actuator, args, options)
        return Effect.gen(function* () {
          const call = `act ${plugin}/${actuator}`
          const refused = yield* disagreement("args", taken, args)
          if (refused !== undefined) {
            return yield* new CallFailed({ plugin, call, error: { code: ARGS_INVALID, message: plainText(refused) } })
          }
          const answer = yield* calls.act(actuator, args, options)
          const wrong = yield* disagreement("result", given, answer.result)
          if (wrong === undefined) return answer
          const { state } = answer
          return yield* new AnswerInvalid({
            ...{ plugin, call, reason: plainText(wrong) },
            ...(state === undefined ? {} : { state }),
          })
        })
      },
    }),
    pushed: (onEmit) => (sensor, reading) =>
      Effect.flatMap(disagreement("reading", sensors.get(sensor)?.reading, reading), (wrong) =>
        wrong === undefined ? onEmit(sensor, reading) : Effect.fail(new Error(plainText(wrong))),
      ),
  }
}

const NONE = Effect.succeed(undefined)

const byName = <Component extends { readonly name: string }>(components: ReadonlyArray<Component>) =>
  new Map(components.map((component) => [component.name, component]))
