/** The option `--health` of commands that run for long: a port for probes and metrics. */
import { Effect, Option } from "effect"
import { BadInput } from "../command/BadInput.ts"
import { optionalText } from "../command/CommonOptions.ts"

export interface Address {
  readonly host: string
  readonly port: number
}

const LOOPBACK = "127.0.0.1"

export const option = optionalText(
  "health",
  "Answer /healthz, /readyz and /metrics (for Prometheus) on PORT of 127.0.0.1, or on HOST:PORT, without a token. Default: nowhere",
)

/** The address as typed; undefined if none was. */
export const parsed = (typed: Option.Option<string>): Effect.Effect<Address | undefined, BadInput> => {
  if (Option.isNone(typed)) return Effect.succeed(undefined)
  const [, named, inBrackets, port = ""] = /^(?:([^:[\]\s/]+):|\[([0-9a-f:.]+)\]:)?(\d{1,5})$/i.exec(typed.value) ?? []
  if (port === "" || Number(port) > MAX_PORT)
    return new BadInput({
      input: "--health",
      expected: "PORT or HOST:PORT, such as 9464 or 0.0.0.0:9464",
      found: JSON.stringify(typed.value),
    })
  return Effect.succeed({ host: named ?? inBrackets ?? LOOPBACK, port: Number(port) })
}

const MAX_PORT = 65_535
