import * as path from "node:path"
import { Chunk, Effect, Stream } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import type { Forwarding } from "../../src/telemetry/Forwarding.ts"
import { Inbox } from "../../src/telemetry/Inbox.ts"
import * as Listener from "../../src/telemetry/Listener.ts"
import * as Recording from "../../src/telemetry/Recording.ts"
import * as LiveExport from "../../src/telemetry/sending/LiveExport.ts"

export interface Receiver {
  readonly url: string
  readonly inbox: Inbox
  readonly counts: Listener.Counts
  readonly remarks: Array<string>
  readonly post: (
    path: string,
    body: string | Uint8Array | object,
    headers?: Record<string, string>,
  ) => Promise<Response>
  /** Records all that arrived, and answers the log's events. */
  readonly recorded: () => Promise<ReadonlyArray<Event>>
}

export interface Receiving {
  readonly token?: string
  readonly host?: string
  readonly forwarding?: Forwarding
}

/** Runs a test with a receiver whose log is in `directory`, and ends it. */
export const receiving = <A>(
  directory: string,
  test: (receiver: Receiver) => Promise<A>,
  { token, host, forwarding }: Receiving = {},
): Promise<A> =>
  Effect.gen(function* () {
    const counts = Listener.noCounts()
    const remarks: Array<string> = []
    const file = path.join(directory, "log.db")
    const inbox = yield* Effect.acquireRelease(
      Effect.sync(() => Inbox.open(`${file}-listen`, Recording.quietMs)),
      (inbox) => Effect.sync(() => inbox.close()),
    )
    const port = yield* Listener.listen({
      ...{ inbox, port: 0, host, token, forwarding, counts },
      ownName: LiveExport.viaOf(yield* EventLog).pipe(Effect.orElseSucceed(() => undefined)),
      onRemark: (remark) => void remarks.push(remark),
    })
    const log = yield* EventLog
    const url = `http://127.0.0.1:${port}`
    const progress: Recording.Progress = {
      onTask: () => {},
      onLeftOut: (why) => void remarks.push(why),
      onTrouble: (message) => void remarks.push(message),
    }
    return yield* Effect.promise(() =>
      test({
        ...{ url, inbox, counts, remarks },
        post: (path, body, headers = {}) =>
          fetch(`${url}${path}`, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body:
              typeof body === "string"
                ? body
                : body instanceof Uint8Array
                  ? new Uint8Array(body)
                  : JSON.stringify(body),
          }),
        recorded: () =>
          Effect.runPromise(
            Recording.drain(inbox, progress).pipe(
              Effect.zipRight(Stream.runCollect(log.read())),
              Effect.map(Chunk.toReadonlyArray),
              Effect.provideService(EventLog, log),
            ),
          ),
      }),
    )
  }).pipe(
    Effect.provide(SqliteEventLog.layer({ filename: path.join(directory, "log.db") })),
    Effect.scoped,
    Effect.runPromise,
  )

/** An attribute of OTLP/JSON. */
export const attribute = (key: string, value: unknown): object => ({
  key,
  value:
    typeof value === "string"
      ? { stringValue: value }
      : typeof value === "boolean"
        ? { boolValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
})

export const attributes = (of: Readonly<Record<string, unknown>>): ReadonlyArray<object> =>
  Object.entries(of).map(([key, value]) => attribute(key, value))

export const TRACE = "5b8efff798038103d269b633813fc60c"

const START = Date.UTC(2026, 0, 2, 3, 4, 5)

export interface Sent {
  readonly id: number
  readonly parent?: number
  readonly trace?: string
  readonly from: number
  readonly to: number
  readonly of?: Readonly<Record<string, unknown>>
  readonly events?: ReadonlyArray<object>
}

/** A span in OTLP/JSON. Times are seconds after the start. */
export const span = ({ id, parent, trace = TRACE, from, to, of = {}, events = [] }: Sent): object => ({
  traceId: trace,
  spanId: spanId(id),
  ...(parent === undefined ? {} : { parentSpanId: spanId(parent) }),
  name: `span ${id}`,
  kind: 1,
  startTimeUnixNano: `${START + from * 1000}000000`,
  endTimeUnixNano: `${START + to * 1000}000000`,
  attributes: attributes(of),
  events,
})

export const spanId = (id: number): string => id.toString(16).padStart(16, "0")

export const request = (spans: ReadonlyArray<object>): object => ({
  resourceSpans: [{ resource: { attributes: attributes({ "service.name": "weather" }) }, scopeSpans: [{ spans }] }],
})

const said = (role: string, ...parts: ReadonlyArray<object>) => ({ role, parts })

const QUESTION = said("user", { type: "text", content: "Weather?" })
const CALL = said("assistant", { type: "tool_call", id: "c", name: "weather", arguments: { in: "Oslo" } })
const RESULT = said("tool", { type: "tool_call_response", id: "c", response: "snow" })
const ANSWER = said("assistant", { type: "text", content: "It snows." })

const chat = (input: ReadonlyArray<object>, output: object) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "gpt-5",
  "gen_ai.usage.input_tokens": 10,
  "gen_ai.usage.output_tokens": 5,
  "gen_ai.input.messages": JSON.stringify(input),
  "gen_ai.output.messages": JSON.stringify([output]),
})

/** An agent that asks a tool, in the order in which its spans end. */
export const weather = (
  trace = TRACE,
  more: Readonly<Record<string, unknown>> = {},
  first = 1,
): ReadonlyArray<object> => [
  span({ trace, id: first + 1, parent: first, from: 1, to: 2, of: { ...chat([QUESTION], CALL), ...more } }),
  span({
    ...{ trace, id: first + 2, parent: first, from: 2, to: 3 },
    of: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
      "gen_ai.tool.call.id": "c",
      "gen_ai.tool.call.result": "snow",
    },
  }),
  span({ trace, id: first + 3, parent: first, from: 3, to: 4, of: chat([QUESTION, CALL, RESULT], ANSWER) }),
  span({
    ...{ trace, id: first, from: 0, to: 5 },
    of: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "forecaster" },
  }),
]
