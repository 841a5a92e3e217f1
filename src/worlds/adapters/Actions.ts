/**
 * Actions as HAL and PiaSE write them, `{ action_type, parameters }`, and the commands that they are: the action types
 * are the names of the actuators, the parameters their arguments. Pure.
 */

import { Schema } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ActuatorDescription, Commanded, Ended } from "../handle/Environment.ts"

/** Options of an adapter whose actions have types and parameters. */
export interface ActionOptions {
  /**
   * Other names of parameters, by action type: `{ take: { item_name: "item" } }` accepts `item_name` for the argument
   * `item` of the actuator `take`. Default: the names are those of the arguments.
   */
  readonly parameterNames?: ParameterNames
}

/** The arguments' names, by action type and parameter. */
interface ParameterNames {
  readonly [actionType: string]: { readonly [parameter: string]: string }
}

/** Schemas of the fields of `ActionOptions`. */
export const actionFields = {
  parameterNames: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Options.Text }),
  }),
}

/** An action, whichever of the seeds it is of. */
interface Action {
  readonly action_type: string
  readonly parameters: JsonObject
}

/** The command that an action stands for. The plugin's name before the action type is left out. */
export const commandOf = (
  plugin: string,
  { action_type, parameters }: Action,
  { parameterNames = {} }: ActionOptions,
): Commanded => {
  const actuator = action_type.startsWith(`${plugin}/`) ? action_type.slice(plugin.length + 1) : action_type
  const names = SafeRecord.get(parameterNames, actuator) ?? {}
  const args = Object.entries(parameters).map(([name, value]) => [SafeRecord.get(names, name) ?? name, value] as const)
  return { actuator, args: Object.fromEntries(args) }
}

/** A parameter of an action: its name, its JSON Schema, and whether it must be given. */
interface Parameter {
  readonly name: string
  readonly schema: JsonObject
  readonly required: boolean
}

/** The parameters of an action, from the JSON Schema of the actuator's arguments. */
export const parametersOf = (
  { name, args }: ActuatorDescription,
  { parameterNames = {} }: ActionOptions,
): ReadonlyArray<Parameter> => {
  const theirs = Object.entries(SafeRecord.get(parameterNames, name) ?? {})
  const { properties, required } = asObject(args)
  return Object.entries(asObject(properties)).map(([argument, schema]) => ({
    name: theirs.find(([, ours]) => ours === argument)?.[0] ?? argument,
    schema: asObject(schema),
    required: Array.isArray(required) && required.includes(argument),
  }))
}

/** What a command answered or why it did not succeed, in words; null if it answered without any. */
export const messageOf = ({ result, reason }: Ended): string | null => {
  const { message } = asObject(result)
  return reason ?? (typeof message === "string" ? message : null)
}

/** The gate's rules that deny a command because it is none that the environment has. */
export const isInvalid = ({ status, code }: Ended): boolean =>
  status === "denied" && (code === "active-actuators" || code === "args-schema")
