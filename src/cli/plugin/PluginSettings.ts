/** The commands `hindcast plugin priority` and `meta`: settings of plugins and components. */
import { Args, Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { find, type NotInRegistry, Registry } from "../../kernel/registry/Registry.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { type Json, type JsonObject, parseJson } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { value as shown, signed } from "../terminal/Text.ts"
import { target } from "./PluginOptions.ts"

const component = argument("component", "A component: plugin/component")
const priorityText = argument("priority", "A number, such as 10, 0.5 or -3; higher runs first")

export const priority = Command.make(
  "priority",
  { ...common, component, text: priorityText },
  ({ log, json, component, text }) =>
    Effect.gen(function* () {
      const priority = yield* numberIn(text)
      if (!component.includes("/")) {
        const expected = "a component, written plugin/component"
        return yield* new BadInput({ input: "component", expected, found: `"${component}"` })
      }
      yield* (yield* Registry).setPriority(component, priority)
      yield* Output.show(json, { component, priority }, () => [`${component} has priority ${signed(priority)}.`])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Set a sensor's or actuator's priority"))

/** Parses a number. Accepts the minus sign "−" of tables too. */
const numberIn = (text: string): Effect.Effect<number, BadInput> => {
  const plain = text.trim().replace("\u2212", "-")
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN
  const expected = "a number, such as 10, 0.5 or -3; higher runs first"
  return Number.isFinite(number)
    ? Effect.succeed(number)
    : new BadInput({ input: "priority", expected, found: `"${text}"` })
}

export class MetadataNotFound extends Data.TaggedError("MetadataNotFound")<{
  readonly target: string
  readonly key: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const known = this.known.length === 0 ? "it has none" : `it has ${this.known.join(", ")}`
    return `${this.target} has no metadata "${this.key}": ${known}. \`hindcast plugin meta ${quoteWord(this.target)} ${quoteWord(this.key)} VALUE\` sets it.`
  }
}

const key = argument("key", "The metadata's key")
const value = argument("value", "The new value, as JSON. Default: show the value").pipe(Args.optional)
const unset = flag("unset", "Remove the key")

export const meta = Command.make(
  "meta",
  { ...common, target, key, value, unset },
  ({ log, json, target, key, value, unset }) => {
    if (unset && Option.isSome(value)) {
      return new BadInput({ input: "--unset", expected: "no value with it", found: value.value })
    }
    const change = unset || Option.isSome(value)
    return Effect.gen(function* () {
      const registry = yield* Registry
      if (unset) yield* registry.unsetMetadata(target, key)
      if (Option.isSome(value)) yield* registry.setMetadata(target, key, yield* parse(value.value))
      const metadata = yield* metadataOf(yield* registry.state, target)
      const current = Object.hasOwn(metadata, key) ? metadata[key] : undefined
      if (current === undefined && !unset) {
        return yield* new MetadataNotFound({ target, key, known: Object.keys(metadata) })
      }
      const document = { target, key, exists: current !== undefined, value: current ?? null }
      yield* Output.show(json, document, () => [`${target} ${key} is ${shown(current)}`])
    }).pipe(Effect.provide(change ? OpenLog.forWriting(log) : OpenLog.forReading(log)))
  },
).pipe(Command.withDescription("Show, set or remove metadata of a plugin or a component"))

const parse = (text: string): Effect.Effect<Json, BadInput> =>
  Effect.try({
    try: () => parseJson(text),
    catch: () => new BadInput({ input: "value", expected: `JSON (text in quotes: '"${text}"')`, found: text }),
  })

const metadataOf = (registry: PluginRegistry, target: string): Effect.Effect<JsonObject, NotInRegistry> =>
  Effect.map(find(registry, target), ({ metadata, components }) => {
    const component = target.slice(target.indexOf("/") + 1)
    return target.includes("/") ? (SafeRecord.get(components, component)?.metadata ?? {}) : metadata
  })
