/**
 * Translates between commands and the actions of HAL and PiaSE, `{ action_type, parameters }`: an action type names an
 * actuator, and the parameters are its arguments. Pure.
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
   * Other names for parameters, by action type: `{ take: { item_name: "item" } }` accepts `item_name` for the argument
   * `item` of the actuator `take`. Default: the names of the arguments.
   */
  readonly parameterNames?: ParameterNames
}

/** Names of arguments, by action type and parameter. */
interface ParameterNames {
  readonly [actionType: string]: { readonly [parameter: string]: string }
}

export const actionFields = {
  parameterNames: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Options.Text }),
  }),
}

interface Action {
  readonly action_type: string
  readonly parameters: JsonObject
}

/** Returns the command for an action. Drops the plugin's name in front of the action type. */
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

interface Parameter {
  readonly name: string
  readonly schema: JsonObject
  readonly required: boolean
}

/** Returns the parameters of an action, from the JSON Schema of the actuator's arguments. */
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

/** Returns a command's message: its reason if it did not succeed, otherwise the `message` of its result, or null. */
export const messageOf = ({ result, reason }: Ended): string | null => {
  const { message } = asObject(result)
  return reason ?? (typeof message === "string" ? message : null)
}

/** Whether the gate denied a command because the environment has no such command. */
export const isInvalid = ({ status, code }: Ended): boolean =>
  status === "denied" && (code === "active-actuators" || code === "args-schema")
