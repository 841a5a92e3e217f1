/** Paths into the environment's state, as JSON Pointers (RFC 6901), and their errors. */

import { Data, Effect } from "effect"
import { at } from "../../values/Formats.ts"
import { type Json, pointerKeys, pointerToken } from "../../values/Json.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"

/** The state at this position has no value at the path. */
export class PathNotFound extends Data.TaggedError("PathNotFound")<MissingPath> {
  override get message() {
    return `There is no value at ${this.path} ${at(this.at)}. ${hint(this)}`
  }
}

/** The state never had a value at the path, up to this position. */
export class PathNeverExisted extends Data.TaggedError("PathNeverExisted")<MissingPath> {
  override get message() {
    return `There never was a value at ${this.path} up to ${at(this.at)}. ${hint(this)}`
  }
}

/** The path is not a JSON Pointer. */
export class PathInvalid extends Data.TaggedError("PathInvalid")<{ readonly path: string }> {
  override get message() {
    return `"${this.path}" is not a path: expected a JSON Pointer (RFC 6901) such as /shared/readings/room~1look, or "" for the whole state.`
  }
}

/** A path that a state lacks, with existing parts near it. */
interface MissingPath {
  readonly path: string
  readonly at: number
  /** The longest prefix of the path that exists. */
  readonly parent: string
  /** The keys at `parent`. */
  readonly keys: ReadonlyArray<string>
}

/** A parsed path of the state. */
export interface Path {
  /** The JSON Pointer as given. */
  readonly text: string
  readonly keys: ReadonlyArray<string>
}

export const parse = (text: string): Effect.Effect<Path, PathInvalid> =>
  typeof text === "string" && (text === "" || text.startsWith("/"))
    ? Effect.succeed({ text, keys: pointerKeys(text) })
    : new PathInvalid({ path: text })

/** Describes a path that a state lacks: its longest existing prefix, and the keys there. */
export const missing = (state: Json, { text, keys }: Path, at: number): MissingPath => {
  let parent = keys
  while (JsonPointer.valueAt(state, parent) === undefined) parent = parent.slice(0, -1)
  const found = JsonPointer.valueAt(state, parent)
  return {
    path: text,
    at,
    parent: JsonPointer.write(parent),
    keys: typeof found === "object" && found !== null ? Object.keys(found) : [],
  }
}

/** Maximum number of keys in a message. */
const MAX_KEYS = 20

const hint = ({ parent, keys }: MissingPath): string => {
  const where = parent === "" ? "the top" : parent
  if (keys.length === 0) return `The path ends at ${where}, which has no keys.`
  const listed = keys.slice(0, MAX_KEYS).map((key) => `${parent}/${pointerToken(key)}`)
  const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : ""
  return `${where === "the top" ? "The state" : where} has: ${listed.join(", ")}${more}.`
}
