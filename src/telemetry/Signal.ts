/** The three signals of OTLP/HTTP, and the answers to them. */

/** It accepts `metrics` without recording them. */
export type SignalName = "traces" | "logs" | "metrics"

export interface Signal {
  readonly name: SignalName
  /** The contents of a request, in words. */
  readonly items: string
  /** The field of `partial_success` that counts the rejected ones, in OTLP/JSON. */
  readonly rejectedField: string
}

export const SIGNALS: { readonly [path: string]: Signal | undefined } = {
  "/v1/traces": { name: "traces", items: "spans", rejectedField: "rejectedSpans" },
  "/v1/logs": { name: "logs", items: "log records", rejectedField: "rejectedLogRecords" },
  "/v1/metrics": { name: "metrics", items: "data points", rejectedField: "rejectedDataPoints" },
}

export const PATHS: ReadonlyArray<string> = Object.keys(SIGNALS)

export type Encoding = "json" | "protobuf"

export const CONTENT_TYPES: { readonly [encoding in Encoding]: string } = {
  json: "application/json",
  protobuf: "application/x-protobuf",
}

export const encodingOf = (contentType: string | undefined): Encoding | undefined => {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase()
  if (type === CONTENT_TYPES.json) return "json"
  return type === CONTENT_TYPES.protobuf || type === "application/protobuf" ? "protobuf" : undefined
}

/** What became of a request's items. */
export interface Outcome {
  readonly rejected: number
  /** Why, or a remark although nothing was rejected; empty for none. */
  readonly message: string
}

/** The body of a success: with `partial_success` if there is something to say. */
export const successBody = async (signal: Signal, encoding: Encoding, outcome: Outcome): Promise<Uint8Array> => {
  const { rejected, message } = outcome
  const isFull = rejected === 0 && message === ""
  if (encoding === "protobuf") {
    const { encode } = await import("../importing/protobuf/Protobuf.ts")
    return encode("Response", isFull ? {} : { partialSuccess: { rejected, errorMessage: message } })
  }
  const partialSuccess = { [signal.rejectedField]: String(rejected), errorMessage: message }
  return Buffer.from(JSON.stringify(isFull ? {} : { partialSuccess }))
}

/** The body of a refusal: a `google.rpc.Status`. */
export const refusalBody = async (encoding: Encoding, code: number, message: string): Promise<Uint8Array> => {
  if (encoding === "json") return Buffer.from(JSON.stringify({ code, message }))
  const { encode } = await import("../importing/protobuf/Protobuf.ts")
  return encode("Status", { code, message })
}
