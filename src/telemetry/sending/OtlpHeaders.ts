/** The headers that an OTLP receiver asks for, from the standard variable: arguments would show them to other users. */

import { Data, Effect } from "effect"

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter */
export const VARIABLE = "OTEL_EXPORTER_OTLP_HEADERS"

/** The variable has another form. Its value may have a key in it, so the error does not show it. */
export class HeadersInvalid extends Data.TaggedError("HeadersInvalid")<{ readonly expected: string }> {
  override get message() {
    return `${VARIABLE}: expected ${this.expected}, found something else.`
  }
}

/** Headers as `name=value,name=value`, percent-encoded. */
export const fromEnvironment: Effect.Effect<Headers, HeadersInvalid> = Effect.try({
  try: () => {
    const headers = new Headers()
    for (const pair of (process.env[VARIABLE] ?? "").split(",").filter((one) => one.trim() !== "")) {
      const [name = "", ...value] = pair.split("=")
      headers.append(name.trim(), decodeURIComponent(value.join("=").trim()))
    }
    return headers
  },
  catch: () => new HeadersInvalid({ expected: "name=value, separated by commas" }),
})
