import type { JsonObject } from "hindcast/plugin"
import { canonical } from "./names.ts"

/** Everything that can be done in a room. Each is an actuator of this plugin. */
export const VERBS = ["look", "examine", "go", "take", "drop", "open", "close", "use", "read"] as const

export type Verb = (typeof VERBS)[number]

/** One thing to do, with canonical names. A name that was not given is `""`. */
export type Command =
  | { readonly verb: "look" }
  | { readonly verb: "go"; readonly direction: string }
  | { readonly verb: "use"; readonly thing: string; readonly on: string }
  | { readonly verb: Exclude<Verb, "look" | "go" | "use">; readonly thing: string }

/** The command that a verb and an actuator's arguments make. */
export const commandOf = (verb: Verb, args: JsonObject): Command => {
  switch (verb) {
    case "look":
      // To look at something is to examine it.
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

/** What a command is done to: a direction, a thing, or `""` for the room itself. */
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

/** A command as one line, the same for every way to write it: `use brass_key on desk`. */
export const inWords = (command: Command): string =>
  command.verb === "use" ? `use ${command.thing} on ${command.on}` : `${command.verb} ${targetOf(command)}`.trimEnd()
