import { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { FetchOptions, FetchResult, RunResult } from "../author.ts"
import type { Executed, Intercept, Method } from "../hostapi/Client.ts"
import type { Grants } from "../manifest/Grants.ts"

/**
 * Answers in the host's place. What the manifest does not ask for is refused as the host would refuse it. To let a request
 * fail, throw: the error's `code` and message are what the plugin sees. Files need no answers: there is the workspace.
 */
export interface Answers {
  /** What a command left behind. Default of what is left out: exit code 0 and no output. */
  readonly run?: (command: string, args: ReadonlyArray<string>) => Partial<RunResult> | Promise<Partial<RunResult>>
  /** What came back from the network. Default of what is left out: status 200 and no body. */
  readonly fetch?: (url: string, options: FetchOptions) => Partial<FetchResult> | Promise<Partial<FetchResult>>
}

/** One thing that a plugin asked of the host, and what came of it. */
export interface BrokeredCall {
  readonly method: Method
  /** `{ command, args }`, `{ path }`, `{ path, content }` or `{ url, method, headers, body }`, as the plugin said it. */
  readonly params: JsonObject
  /** What the plugin was answered, where it was. */
  readonly answer?: Json
  /** Why it was refused or failed, where it was. */
  readonly error?: Failure
}

/** Answers requests by the script, or lets the host carry them out; notes each in a list, in the order of their ends. */
export const intercepting =
  (grants: Grants, answers: Answers, noted: Array<BrokeredCall>): Intercept =>
  (method, params, carryOut) =>
    Effect.suspend(() => scripted(grants, answers, method, params) ?? carryOut).pipe(
      Effect.tapBoth({
        onSuccess: ({ value }) => Effect.sync(() => noted.push({ method, params, answer: value })),
        onFailure: (error) => Effect.sync(() => noted.push({ method, params, error })),
      }),
      Effect.onInterrupt(() => Effect.sync(() => noted.push({ method, params, error: CANCELLED }))),
    )

const CANCELLED: Failure = { code: "Cancelled", message: "the call that it was asked for ended first" }

const scripted = (
  grants: Grants,
  answers: Answers,
  method: Method,
  params: JsonObject,
): Effect.Effect<Executed, Failure> | undefined => {
  const { run, fetch } = answers
  if (method === "run" && run !== undefined && isCommand(params)) {
    const { command, args } = params
    const isGranted = grants.runAny || grants.run.includes(command)
    return isGranted ? answered(async () => ({ ...RAN, ...(await run(command, args)) })) : undefined
  }
  if (method === "fetch" && fetch !== undefined && isRequest(params) && URL.canParse(params.url)) {
    const { url, ...options } = params
    const { host, hostname } = new URL(url)
    const isGranted = grants.net.includes(host) || grants.net.includes(hostname)
    return isGranted ? answered(async () => ({ ...FETCHED, url, ...(await fetch(url, options)) })) : undefined
  }
  return undefined
}

const RAN: RunResult = { code: 0, signal: null, stdout: "", stderr: "" }
const FETCHED = { status: 200, headers: {}, body: "", encoding: "utf8" } as const

const isCommand = (params: JsonObject): params is { readonly command: string; readonly args: ReadonlyArray<string> } =>
  typeof params.command === "string" && Array.isArray(params.args)

const isRequest = (params: JsonObject): params is { readonly url: string } => typeof params.url === "string"

const answered = (answer: () => Promise<JsonObject>): Effect.Effect<Executed, Failure> =>
  Effect.tryPromise({ try: answer, catch: failureOf }).pipe(
    Effect.map((value) => ({ value, logged: { scripted: true } })),
  )

const failureOf = (cause: unknown): Failure => {
  if (!(cause instanceof Error)) return { code: "Error", message: String(cause) }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.name
  return { code, message: cause.message }
}
