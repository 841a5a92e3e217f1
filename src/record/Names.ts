/** The names of a run's tools, sensors and other functions: each is taken once. */

import * as RecordOptions from "./RecordOptions.ts"
import { NameTaken } from "./Run.ts"

/** Takes a name, for one run. Throws `NameTaken`, `InvalidOptions` where it is none, and what `assertOpen` throws. */
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
