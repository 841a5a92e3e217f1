/** Default options of an environment's reset: those of the file that its manifest names. */

import * as path from "node:path"
import { Effect, Schema } from "effect"
import type { Environment } from "../../plugins/manifest/Manifest.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Rubric from "../rules/Rubric.ts"

export type Named = Pick<Environment, "scenario" | "configuration" | "options">

/**
 * Reads the default options, if the environment names a file. Fails unless the file holds a mapping that fits the
 * environment's schema.
 */
export const read = (
  directory: string,
  { scenario, configuration, options }: Named,
): Effect.Effect<JsonObject, Rubric.FileUnreadable> =>
  Effect.gen(function* () {
    const name = scenario ?? configuration
    if (name === undefined) return {}
    const file = path.join(directory, name)
    const found = yield* Rubric.readYaml(file)
    if (!Schema.is(JsonObject)(found)) {
      return yield* new Rubric.FileUnreadable({ file, reason: "expected a mapping of options, found another value" })
    }
    const wrong = ComponentSchemas.validationError("options", options, found)
    return wrong === undefined ? found : yield* new Rubric.FileUnreadable({ file, reason: wrong })
  })
