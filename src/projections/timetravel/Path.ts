import { Data, Effect } from "effect"
import { type Json, pointerKeys, pointerToken } from "../../values/Json.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"

/** Fix the call: at that moment the state has nothing at this path. */
export class PathNotFound extends Data.TaggedError("PathNotFound")<MissingPath> {
  override get message() {
    return `Nothing is at ${this.path} @${this.at}. ${hint(this)}`
  }
}

/** Fix the call: up to that moment the state never had anything at this path. */
export class PathNeverExisted extends Data.TaggedError("PathNeverExisted")<MissingPath> {
  override get message() {
    return `Nothing has ever been at ${this.path} up to @${this.at}. ${hint(this)}`
  }
}

/** Fix the call: this is no JSON Pointer. */
export class PathInvalid extends Data.TaggedError("PathInvalid")<{ readonly path: string }> {
  override get message() {
    return `"${this.path}" is no path: expected a JSON Pointer (RFC 6901), such as /shared/readings/room~1look, or "" for all.`
  }
}

interface MissingPath {
  readonly path: string
  readonly at: number
  /** The deepest part of the path that exists. */
  readonly parent: string
  /** What exists there. */
  readonly keys: ReadonlyArray<string>
}

/** A path of the state. */
export interface Path {
  /** As it was given: a JSON Pointer. */
  readonly text: string
  readonly keys: ReadonlyArray<string>
}

/** Reads a path. */
export const parse = (text: string): Effect.Effect<Path, PathInvalid> =>
  typeof text === "string" && (text === "" || text.startsWith("/"))
    ? Effect.succeed({ text, keys: pointerKeys(text) })
    : new PathInvalid({ path: text })

/** What is known of a path at which a state has nothing: how far it leads, and what is there. */
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

/** Keys that a message lists at most. */
const MAX_KEYS = 20

const hint = ({ parent, keys }: MissingPath): string => {
  const where = parent === "" ? "the top" : parent
  if (keys.length === 0) return `The path ends at ${where}, which holds nothing below it.`
  const listed = keys.slice(0, MAX_KEYS).map((key) => `${parent}/${pointerToken(key)}`)
  const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : ""
  return `At ${where} there is: ${listed.join(", ")}${more}.`
}
