/** Reads files of YAML, such as rubrics and guides. */

import { Data, Effect } from "effect"
import * as SmallFile from "../../platform/SmallFile.ts"
import { findNonJson, type Json } from "../../values/Json.ts"
import * as YamlDepth from "./YamlDepth.ts"

/** A file that cannot be read, or whose text is not YAML. */
export class FileUnreadable extends Data.TaggedError("FileUnreadable")<{
  readonly file: string
  readonly reason: string
  /** Whether there is no such file. */
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.file}: ${this.reason}`
  }
}

/** Reads a YAML or JSON file whose value is JSON. */
export const readYaml = (file: string): Effect.Effect<Json, FileUnreadable> =>
  // YAML's parser is loaded with the first file: most programs read none.
  Effect.promise(() => import("yaml")).pipe(
    // It is CommonJS: where it is bundled, all that it exports is the default.
    Effect.flatMap(({ default: { parse, YAMLParseError } }) =>
      Effect.try({
        try: () => {
          const text = SmallFile.read(file)
          if (YamlDepth.isTooDeep(text))
            throw new Error(`one that opens more than ${YamlDepth.MAX_OPENED} levels at once`)
          return parse(text) as unknown
        },
        catch: (cause) =>
          new FileUnreadable({
            file,
            reason:
              cause instanceof YAMLParseError
                ? `expected YAML or JSON, found ${cause.message}`
                : `expected a file that can be read, found ${unreadable(cause)}`,
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
