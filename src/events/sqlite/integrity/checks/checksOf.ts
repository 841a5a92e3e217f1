/** Lists the checks of a verification. */

import { blobs } from "./blobs.ts"
import type { Check, Stores } from "./Check.ts"
import { counts } from "./counts.ts"
import { names } from "./internedNames.ts"
import { keys } from "./keys.ts"
import { pages } from "./pages.ts"
import { schema } from "./schema.ts"
import { segmentFiles } from "./segmentFiles.ts"
import { snapshots } from "./snapshots.ts"
import { strays } from "./strayRows.ts"
import { versions } from "./versions.ts"

/** All but the chain, in order. */
export const checksOf = (stores: Stores): ReadonlyArray<Check> => [
  schema(stores),
  pages(stores),
  counts(stores),
  versions(stores),
  strays(stores),
  names(stores),
  blobs(stores),
  segmentFiles(stores),
  keys(stores),
  snapshots(stores),
]
