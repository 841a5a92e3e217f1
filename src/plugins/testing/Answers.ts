/** Scripted answers to host requests, for tests of plugins. */

import { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import type { FetchOptions, FetchResult, RunResult } from "../author.ts"
import type { Method, RequestInterceptor, RequestResult } from "../hostapi/Client.ts"
import type { Grants } from "../manifest/Grants.ts"

/**
 * Answers host requests in the host's place. The host still refuses requests without a grant. To fail a request, throw:
 * the plugin sees the error's `code` and `message`. File requests cannot be scripted, since they use the test's
 * workspace.
 */
export interface Answers {
  /** Returns a command's result. Defaults: exit code 0, no output. */
  readonly run?: (command: string, args: ReadonlyArray<string>) => Partial<RunResult> | Promise<Partial<RunResult>>
  /** Returns a response. Defaults: status 200, no body. */
  readonly fetch?: (url: string, options: FetchOptions) => Partial<FetchResult> | Promise<Partial<FetchResult>>
}

/** A host request of the plugin, with its result. */
export interface BrokeredCall {
  readonly method: Method
  /**
   * As the plugin sent them: `{ command, args }`, `{ path }`, `{ path, content }` or `{ url, method, headers, body }`.
   */
  readonly params: JsonObject
  /** Present if the request succeeded. */
  readonly answer?: Json
  /** Present if the request failed. */
  readonly error?: Failure
}

/** Answers scripted requests and leaves the others to the host. Adds each finished request to `recorded`. */
export const intercepting =
  (grants: Grants, answers: Answers, recorded: Array<BrokeredCall>): RequestInterceptor =>
  (method, params, carryOut) =>
    Effect.suspend(() => scripted(grants, answers, method, params) ?? carryOut).pipe(
      Effect.tapBoth({
        onSuccess: ({ value }) => Effect.sync(() => recorded.push({ method, params, answer: value })),
        onFailure: (error) => Effect.sync(() => recorded.push({ method, params, error })),
      }),
      Effect.onInterrupt(() => Effect.sync(() => recorded.push({ method, params, error: CANCELLED }))),
    )

const CANCELLED: Failure = { code: "Cancelled", message: "the call that it was asked for ended first" }

const scripted = (
  grants: Grants,
  answers: Answers,
  method: Method,
  params: JsonObject,
): Effect.Effect<RequestResult, Failure> | undefined => {
  const { run, fetch } = answers
  if (method === "run" && run !== undefined && isCommand(params)) {
    const { command, args } = params
    const isGranted = grants.runAny || grants.run.includes(command)
    return isGranted ? answered(async () => ({ ...RUN_DEFAULTS, ...(await run(command, args)) })) : undefined
  }
  if (method === "fetch" && fetch !== undefined && isRequest(params) && canParseUrl(params.url)) {
    const { url, ...options } = params
    const { host, hostname } = new URL(url)
    const isGranted = grants.net.includes(host) || grants.net.includes(hostname)
    return isGranted ? answered(async () => ({ ...FETCH_DEFAULTS, url, ...(await fetch(url, options)) })) : undefined
  }
  return undefined
}

const RUN_DEFAULTS: RunResult = { code: 0, signal: null, stdout: "", stderr: "" }
const FETCH_DEFAULTS = { status: 200, headers: {}, body: "", encoding: "utf8" } as const

const isCommand = (params: JsonObject): params is { readonly command: string; readonly args: ReadonlyArray<string> } =>
  typeof params.command === "string" && Array.isArray(params.args)

const isRequest = (params: JsonObject): params is { readonly url: string } => typeof params.url === "string"

const answered = (answer: () => Promise<JsonObject>): Effect.Effect<RequestResult, Failure> =>
  Effect.tryPromise({ try: answer, catch: failureOf }).pipe(
    Effect.map((value) => ({ value, logged: { scripted: true } })),
  )

const failureOf = (cause: unknown): Failure => {
  if (!(cause instanceof Error)) return { code: "Error", message: String(cause) }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.name
  return { code, message: cause.message }
}
