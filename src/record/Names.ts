/** The names of a run's tools, sensors and io functions, each usable once. */

import * as RecordOptions from "./RecordOptions.ts"
import { NameTaken } from "./Run.ts"

/**
 * Returns a function that claims a name within one run. It throws `NameTaken`, `InvalidOptions` for an invalid name,
 * and the errors of `assertOpen`.
 */
export const claiming = (assertOpen: (call: string) => void) => {
  const names = new Set<string>()
  return (kind: NameTaken["kind"], name: string): void => {
    assertOpen(`run.${kind}`)
    if (kind === "tool") RecordOptions.toolNameOf(name)
    else RecordOptions.nameOf(`run.${kind}`, name)
    if (names.has(name)) throw new NameTaken({ kind, name })
    names.add(name)
  }
}
