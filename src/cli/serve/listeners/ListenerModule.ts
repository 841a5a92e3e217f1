/** Loads what `--listener` names: a JavaScript module that exports listeners, and, if it likes, rules, tools and sensors. */
import { Data, Effect, Schema } from "effect"
import type { HindcastOptions } from "../../../kernel/Hindcast.ts"
import { Listener } from "../../../listeners/Listener.ts"
import type { Rule } from "../../../listeners/Rule.ts"
import * as DefaultExport from "../../task/DefaultExport.ts"

export class ListenerUnavailable extends Data.TaggedError("ListenerUnavailable")<{
  readonly file: string
  readonly found: string
  readonly missing?: boolean
}> {
  override get message() {
    return `--listener ${this.file}: expected a JavaScript module whose default export is a listener, a list of them, or an object with listeners and, if you like, rules, tools and sensors; found ${this.found}.`
  }
}

/** The exports of a module. The rules, tools and sensors are unchecked: whoever takes them decodes them. */
export interface Exported extends Pick<HindcastOptions, "tools" | "sensors"> {
  readonly listeners: ReadonlyArray<Listener>
  readonly rules: ReadonlyArray<Rule>
}

const isListener = Schema.is(Listener)

/** Runs the module in this process, with all of its permissions. */
export const load = (file: string): Effect.Effect<Exported, ListenerUnavailable> =>
  Effect.gen(function* () {
    const exported = yield* Effect.mapError(
      DefaultExport.load(file),
      (why) => new ListenerUnavailable({ file, ...why }),
    )
    if (isListener(exported)) return { listeners: [exported], rules: [] }
    if (Array.isArray(exported) && exported.length > 0 && exported.every(isListener)) {
      return { listeners: exported, rules: [] }
    }
    if (typeof exported !== "object" || exported === null || Array.isArray(exported)) {
      return yield* new ListenerUnavailable({ file, found: exported === undefined ? "none" : "something else" })
    }
    const unknown = Object.keys(exported).find((name) => !KNOWN.includes(name))
    if (unknown !== undefined) return yield* new ListenerUnavailable({ file, found: `the field ${unknown}` })
    const { listeners, rules = [], ...program } = exported as Partial<Exported>
    if (!Array.isArray(listeners) || listeners.length === 0 || !listeners.every(isListener)) {
      return yield* new ListenerUnavailable({ file, found: "an object without listeners" })
    }
    if (!Array.isArray(rules)) return yield* new ListenerUnavailable({ file, found: "rules that are no list" })
    return { listeners, rules, ...program }
  })

const KNOWN = ["listeners", "rules", "tools", "sensors"]
