import { inspect } from "node:util"

/** Everything that a program may print of a value. */
export const printed = (value: unknown): string =>
  [
    inspect(value, { depth: null, showHidden: true }),
    JSON.stringify(value) ?? "",
    String(value),
    value instanceof Error ? `${value.message}\n${value.stack}` : "",
  ].join("\n")
