/** Fields that several parts of a manifest share. */
import { Schema } from "effect"
import { MAX_LENGTHS } from "./characterChecks.ts"

export const Text = Schema.NonEmptyString.annotations({ description: "non-empty text" })

/** The second half of `plugin/component`. */
export const ComponentId = Schema.String.pipe(
  Schema.pattern(/^[^\s/\p{Cc}]+$/u),
  Schema.annotations({ description: 'a name without spaces and "/", non-empty' }),
)

/** A plugin's name. */
export const PluginName = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9._-]*$/),
  Schema.annotations({ description: "a name of a-z, 0-9, '.', '_' and '-' that starts with a letter or digit" }),
)

/** Whether a text is a valid plugin name. */
export const isPluginName = (text: string): boolean => Schema.is(PluginName)(text) && text.length <= MAX_LENGTHS.name

/** The harm that a command can do, by its author's word. `manifest/Risk.ts` computes the effective risk. */
export const Risk = Schema.Literal("none", "low", "medium", "high", "irreversible").annotations({
  identifier: "Risk",
  description: '"none", "low", "medium", "high" or "irreversible"',
})

export type Risk = typeof Risk.Type

/** The interpreter's version: `3.11` or `3.11.4` for that one, `>=3.9` for that one or a later one of Python 3. */
export const PythonVersion = Schema.String.pipe(
  Schema.pattern(/^(?:>=)?3\.\d{1,3}(?:\.\d{1,3})?$/),
  Schema.annotations({ description: 'a version of Python, such as "3.11", or the earliest one, such as ">=3.9"' }),
)
