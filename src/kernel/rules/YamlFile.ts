/** Reads YAML files, such as rubrics and guides. */

import { Data, Effect } from "effect"
import * as SmallFile from "../../platform/SmallFile.ts"
import { findNonJson, type Json } from "../../values/Json.ts"
import * as YamlDepth from "./YamlDepth.ts"

/** The file is unreadable, or not YAML. */
export class FileUnreadable extends Data.TaggedError("FileUnreadable")<{
  readonly file: string
  readonly reason: string
  /** The file does not exist. */
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.file}: ${this.reason}`
  }
}

/** Reads a YAML or JSON file that holds a JSON value. */
export const readYaml = (file: string): Effect.Effect<Json, FileUnreadable> =>
  // Loaded on first use: most programs read no YAML.
  Effect.promise(() => import("yaml")).pipe(
    // A CommonJS module: in a bundle, its only export is the default.
    Effect.flatMap(({ default: { parse, YAMLParseError } }) =>
      Effect.try({
        try: () => {
          const text = SmallFile.read(file)
          if (YamlDepth.isTooDeep(text)) throw new Error(`one with more than ${YamlDepth.MAX_OPENED} levels of nesting`)
          return parse(text) as unknown
        },
        catch: (cause) =>
          new FileUnreadable({
            file,
            reason:
              cause instanceof YAMLParseError
                ? `expected YAML or JSON, found ${cause.message}`
                : `expected a readable file, found ${unreadable(cause)}`,
            missing: SmallFile.isMissing(cause),
          }),
      }),
    ),
    Effect.flatMap((value) => {
      const bad = findNonJson(value)
      return bad === undefined
        ? Effect.succeed(value as Json)
        : new FileUnreadable({ file, reason: `${bad.path || "/"}: expected JSON, found ${bad.found}` })
    }),
  )

const unreadable = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (SmallFile.isMissing(cause)) return "none"
  return code === "EISDIR" ? "a directory" : cause instanceof Error ? cause.message : String(cause)
}
