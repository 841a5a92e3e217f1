/** The values that the operations of a JSON Patch replace or remove. */

import { Either } from "effect"
import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { type Json, pointerKeys, valueAt } from "../../values/Json.ts"
import * as JsonPatch from "./JsonPatch.ts"

/** An operation of a patch with the value that it replaces or removes. */
export type WithBefore<Operation extends PatchOperation> = Operation & { readonly before?: Json }

/** Adds to each operation its old value, from the document with all earlier operations applied. */
export const withBefore = <Operation extends PatchOperation>(
  document: Json,
  operations: ReadonlyArray<Operation>,
): ReadonlyArray<WithBefore<Operation>> => {
  let current: Json | undefined = document
  return operations.map((operation) => {
    const before = current === undefined ? undefined : valueAt(current, pointerKeys(operation.path))
    current = Either.getOrElse(JsonPatch.apply(current, [operation]), () => current)
    return operation.op === "add" || before === undefined ? operation : { ...operation, before }
  })
}
