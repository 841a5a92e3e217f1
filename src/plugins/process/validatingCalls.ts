/** Validates calls and pushed readings against the manifest's JSON Schemas. */
import { Effect } from "effect"
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import type { OnEmit } from "../channel/PushedReadings.ts"
import { type Actuator, actuatorsOf, type Manifest, type Sensor, sensorsOf } from "../manifest/schema.ts"
import { AnswerInvalid, CallFailed } from "../PluginError.ts"
import * as ComponentSchemas from "../schemas/ComponentSchemas.ts"
import { schemaTimeBudget } from "../schemas/SchemaTimeBudget.ts"
import type { Components } from "./ComponentCalls.ts"

/** The failure code for arguments that do not match the actuator's schema. */
export const ARGS_INVALID = "ArgumentsInvalid"

/** Wraps the calls of one process. */
export interface Validators {
  /**
   * Validates both directions. Invalid arguments are not sent: the call fails with `CallFailed`. An invalid answer
   * fails the call with `AnswerInvalid`, which holds the state after the command.
   */
  readonly calls: <Calls extends Pick<Components, "read" | "act" | "settle">>(calls: Calls) => Calls
  /** Validates pushed readings. An invalid one is not taken, and the plugin gets the error. */
  readonly pushed: (onEmit: OnEmit) => OnEmit
}

/** Validation time of one process: long-run share of the host's time, and burst in milliseconds. */
const TIME_BUDGET = { share: 0.1, burstMs: 1_000 }

/** The wrappers stay within the time budget; see `schemaTimeBudget`. */
export const validatorsOf = (manifest: Manifest): Validators => {
  const plugin = manifest.name
  const sensors = byName<Sensor>(sensorsOf(manifest))
  const actuators = byName<Actuator>(actuatorsOf(manifest))
  const patiently = schemaTimeBudget(TIME_BUDGET)
  const validationError = (part: ComponentSchemas.SchemaPart, schema: JsonObject | undefined, value: Json) =>
    schema === undefined
      ? NONE
      : Effect.zipRight(
          ComponentSchemas.load,
          patiently(() => ComponentSchemas.validationError(part, schema, value)),
        )

  return {
    calls: (calls) => ({
      ...calls,
      read: (sensor, options) => {
        const schema = sensors.get(sensor)?.reading
        // Most components have no schema, and every call takes this path.
        if (schema === undefined) return calls.read(sensor, options)
        return Effect.tap(calls.read(sensor, options), (reading) =>
          Effect.flatMap(validationError("reading", schema, reading), (wrong) =>
            wrong === undefined
              ? Effect.void
              : new AnswerInvalid({ plugin, call: `read ${plugin}/${sensor}`, reason: plainText(wrong) }),
          ),
        )
      },
      act: (actuator, args, options) => {
        const { args: argsSchema, result: resultSchema } = actuators.get(actuator) ?? {}
        if (argsSchema === undefined && resultSchema === undefined) return calls.act(actuator, args, options)
        return Effect.gen(function* () {
          const call = `act ${plugin}/${actuator}`
          const wrongArgs = yield* validationError("args", argsSchema, args)
          if (wrongArgs !== undefined) {
            return yield* new CallFailed({ plugin, call, error: { code: ARGS_INVALID, message: plainText(wrongArgs) } })
          }
          const answer = yield* calls.act(actuator, args, options)
          const wrong = yield* validationError("result", resultSchema, answer.result)
          if (wrong === undefined) return answer
          const { state } = answer
          return yield* new AnswerInvalid({
            plugin,
            call,
            reason: plainText(wrong),
            ...defined({ state }),
          })
        })
      },
      settle: (actuator, args, options) => {
        const { result: schema } = actuators.get(actuator) ?? {}
        if (schema === undefined) return calls.settle(actuator, args, options)
        return Effect.tap(calls.settle(actuator, args, options), (answer) =>
          answer?.settled.status !== "succeeded"
            ? Effect.void
            : Effect.flatMap(validationError("result", schema, answer.settled.result), (wrong) =>
                wrong === undefined
                  ? Effect.void
                  : new AnswerInvalid({ plugin, call: `settle ${plugin}/${actuator}`, reason: plainText(wrong) }),
              ),
        )
      },
    }),
    pushed: (onEmit) => (sensor, reading) =>
      Effect.flatMap(validationError("reading", sensors.get(sensor)?.reading, reading), (wrong) =>
        wrong === undefined ? onEmit(sensor, reading) : Effect.fail(new Error(plainText(wrong))),
      ),
  }
}

const NONE = Effect.succeed(undefined)

const byName = <Component extends { readonly name: string }>(components: ReadonlyArray<Component>) =>
  new Map(components.map((component) => [component.name, component]))
