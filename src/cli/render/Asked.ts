import type { JsonObject } from "../../events/Json.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import { json, oneLine } from "./Text.ts"

/** What a person is asked to confirm, a line for each fact. All of it: nobody can decide about what is not shown. */
export const lines = (style: Style, shown: JsonObject): ReadonlyArray<string> =>
  Table.rows(
    Object.entries(shown).map(([name, of]) => [
      `  ${style.dim(oneLine(name))}`,
      typeof of === "string" ? oneLine(of) : json(of),
    ]),
  )
