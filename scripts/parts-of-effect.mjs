/** Exports of `effect` without a namespace come from its module `Function`. */
const FUNCTIONS = new Set(["absurd", "flow", "hole", "identity", "pipe", "unsafeCoerce"])

/**
 * Replaces `import { Effect, pipe } from "effect"`, which loads all of `effect`, with imports of the named parts.
 *
 * @param partOf returns the import of a part under a local name (default: of the part's namespace)
 */
export const byPartsOfEffect = (
  source,
  partOf = (exported, local) => `import * as ${local} from "effect/${exported}";`,
) =>
  source.replaceAll(/^import \{([^}]*)\} from "effect";$/gm, (_, names) =>
    names
      .split(",")
      .map((name) => {
        const [exported, local = exported] = name.trim().split(" as ")
        return FUNCTIONS.has(exported)
          ? `import { ${exported} as ${local} } from "effect/Function";`
          : partOf(exported, local)
      })
      .join(" "),
  )
