/** The name of a log's file as an option: never the URL of a server, which would become a file named after its password. */

import * as Options from "../../values/Options.ts"
import * as ServerUrl from "./ServerUrl.ts"

/** The answer to a caller who names a server. It never shows the URL. */
const EXPECTED = "the path of a log in a file"
const FOUND = "the URL of a PostgreSQL server, which does not work here"

/** A path. The error for a URL does not show it. */
export const LogFileName = Options.checking(Options.Path, (value) =>
  typeof value === "string" && ServerUrl.isAddress(value) ? [{ keys: [], expected: EXPECTED, found: FOUND }] : [],
)
