/** Commands of the text room, and their translation from actuators' arguments. */
import type { JsonObject } from "hindcast/plugin"
import { canonical } from "./names.ts"

/** Each verb is an actuator of this plugin. */
export const VERBS = ["look", "examine", "go", "take", "drop", "open", "close", "use", "read"] as const

export type Verb = (typeof VERBS)[number]

/** A command with canonical names; `""` for a missing one. */
export type Command =
  | { readonly verb: "look" }
  | { readonly verb: "go"; readonly direction: string }
  | { readonly verb: "use"; readonly thing: string; readonly on: string }
  | { readonly verb: Exclude<Verb, "look" | "go" | "use">; readonly thing: string }

/** Translates an actuator's arguments. */
export const commandOf = (verb: Verb, args: JsonObject): Command => {
  switch (verb) {
    case "look":
      // Looking at something examines it.
      return args.target === undefined ? { verb } : { verb: "examine", thing: nameIn(args, "target") }
    case "go":
      return { verb, direction: nameIn(args, "direction") }
    case "use":
      return { verb, thing: nameIn(args, "item"), on: nameIn(args, "on") }
    case "take":
    case "drop":
      return { verb, thing: nameIn(args, "item") }
    default:
      return { verb, thing: nameIn(args, "target") }
  }
}

const nameIn = (args: JsonObject, key: string): string => {
  const name = args[key]
  return typeof name === "string" ? canonical(name) : ""
}

/** A direction, a thing, or `""` for the room itself. */
export const targetOf = (command: Command): string => {
  switch (command.verb) {
    case "look":
      return ""
    case "go":
      return command.direction
    case "use":
      return command.on
    default:
      return command.thing
  }
}

/** The canonical text: `use brass_key on desk`. */
export const inWords = (command: Command): string =>
  command.verb === "use" ? `use ${command.thing} on ${command.on}` : `${command.verb} ${targetOf(command)}`.trimEnd()
