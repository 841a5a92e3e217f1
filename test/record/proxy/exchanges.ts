/** What Python's clients sent, and what they were answered. */

import * as fs from "node:fs"
import { Schema } from "effect"

const Exchange = Schema.Struct({
  /** Method, path and version. */
  line: Schema.String,
  headers: Schema.Array(Schema.Tuple(Schema.String, Schema.String)),
  body: Schema.String,
  head: Schema.String,
  answer: Schema.String,
})

export type Exchange = typeof Exchange.Type

const Cases = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ client: Schema.String, exchanges: Schema.Array(Exchange) }),
})

/** By the name of the case. */
export const cases = Schema.decodeUnknownSync(Schema.parseJson(Cases))(
  fs.readFileSync(new URL("exchanges.json", import.meta.url), "utf8"),
)

/** The bytes of a body: text, or base64 where it is none. */
export const bytesOf = (body: string): Uint8Array =>
  body.startsWith("base64:") ? Buffer.from(body.slice("base64:".length), "base64") : Buffer.from(body)

/** The path of a request. */
export const pathOf = ({ line }: Exchange): string => line.split(" ")[1] ?? ""
