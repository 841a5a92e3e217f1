/** Patterns of actuator names in gate rules, with `*` as a wildcard. */

import { Schema } from "effect"
import { isPluginName } from "../../plugins/manifest/fields.ts"
import * as Options from "../../values/Options.ts"

/**
 * A pattern of full names, `plugin/actuator`; `*` stands for any characters. Rejects a pattern that no name can match.
 */
export const Pattern: Schema.Schema<string> = Options.checking(
  Schema.String.annotations({ description: "a pattern of full names, such as workspace/*" }),
  (pattern) => {
    if (typeof pattern !== "string" || canMatch(pattern)) return []
    const nearest = nearestOf(pattern)
    return [
      {
        keys: [],
        expected: "a pattern that can match a full name `plugin/actuator`, such as workspace/*",
        found: `${JSON.stringify(pattern)}, which matches none`,
        ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
      },
    ]
  },
)

/** Searches the pieces from the left without backtracking, so that no pattern takes long. */
export const matches = (pattern: string, name: string): boolean => {
  const [first = "", ...rest] = pattern.split("*")
  if (rest.length === 0) return pattern === name
  const last = rest.pop() ?? ""
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let from = first.length
  const end = name.length - last.length
  for (const piece of rest) {
    const at = name.indexOf(piece, from)
    if (at < 0 || at + piece.length > end) return false
    from = at + piece.length
  }
  return true
}

/** Whether a pattern can match an actuator of a plugin. */
export const isAbout = (pattern: string, plugin: string): boolean => {
  const [ofPlugin = "", actuator] = pattern.split("/")
  if (actuator !== undefined) return matches(ofPlugin, plugin)
  // A star matches the slash too: only the text before the first one has to fit.
  return `${plugin}/`.startsWith(ofPlugin.slice(0, ofPlugin.indexOf("*")))
}

/** A full name has one slash and no spaces, and its plugin is in lower case. */
const canMatch = (pattern: string): boolean => {
  if (pattern === "" || /[\s\p{C}]/u.test(pattern)) return false
  const [plugin = "", actuator, ...more] = pattern.split("/")
  if (more.length > 0 || actuator === "") return false
  // In a pattern without a slash, a star matches it. The text before the first star starts the plugin's name.
  if (actuator === undefined && !pattern.includes("*")) return false
  const ofPlugin = actuator === undefined ? plugin.slice(0, plugin.indexOf("*") + 1) : plugin
  return isPluginName(ofPlugin.replaceAll("*", "x"))
}

const nearestOf = (pattern: string): string | undefined => {
  const [plugin = "", actuator = "*", ...more] = pattern.replace(/\s+/gu, "").split("/")
  const meant = `${plugin.toLowerCase()}/${actuator === "" ? "*" : actuator}`
  return more.length === 0 && canMatch(meant) ? meant : undefined
}
