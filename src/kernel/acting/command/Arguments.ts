/** Copies the arguments of a command and checks that they are JSON. */

import { types } from "node:util"
import { Data, Effect, Either } from "effect"
import { findNonJson, type JsonObject, type NotJson, pointerToken } from "../../../values/Json.ts"

/** The arguments are not a JSON object, so the log cannot store them. Fix the call. */
export class InvalidCommand extends Data.TaggedError("InvalidCommand")<{
  readonly actuator: string
  readonly path: string
  readonly found: string
}> {
  override get message() {
    return `Command ${this.actuator}: expected arguments that are a JSON object, found ${this.found} at ${this.path || "/"}. Nothing was recorded or executed.`
  }
}

export const copied = (actuator: string, args: JsonObject): Effect.Effect<JsonObject, InvalidCommand> =>
  Effect.mapError(checkedCopy(args), (flaw) => new InvalidCommand({ actuator, ...flaw }))

const checkedCopy = (args: JsonObject): Either.Either<JsonObject, NotJson> => {
  try {
    if (Array.isArray(args)) return Either.left({ path: "", found: "a list" })
    if (typeof args !== "object" || args === null) return Either.left({ path: "", found: String(args) })
    const flaw = findNonJson(args) ?? findProxy(args)
    if (flaw !== undefined) return Either.left(flaw)
    const copy = structuredClone(args)
    // A getter may have returned another value the second time.
    const changed = findNonJson(copy)
    return changed === undefined ? Either.right(copy) : Either.left(changed)
  } catch (cause) {
    const found = `a value that throws when it is read (${cause instanceof Error ? cause.message : String(cause)})`
    return Either.left({ path: "", found })
  }
}

const findProxy = (value: unknown): NotJson | undefined => {
  if (types.isProxy(value)) return { path: "", found: "a proxy" }
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const proxy = findProxy(part)
    if (proxy !== undefined) return { ...proxy, path: `/${pointerToken(key)}${proxy.path}` }
  }
  return undefined
}
