import * as http from "node:http"
import { Effect, Layer } from "effect"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import * as Studio from "../../src/studio/Studio.ts"

/** What a log is asked by, without a kernel. */
export const services = (filename: string, readonly = true) =>
  Layer.mergeAll(TimeTravel.layer, Confirmations.layer).pipe(
    Layer.provideMerge(Projector.layer),
    Layer.provideMerge(SqliteEventLog.layer({ filename, readonly })),
  )

/** What a request is made with, where it is not what the page sends. */
export interface Sent {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string
  readonly token?: string | null
}

/** An answer, whole. */
export interface Got {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/** Sends exactly these headers to a server, as a page or a stranger would. */
export const send = (
  { port, token }: { readonly port: number; readonly token: string },
  path: string,
  { method = "GET", headers = {}, body, token: given = token }: Sent = {},
): Effect.Effect<Got> =>
  Effect.async((resume) => {
    const authorization = given === null ? {} : { authorization: `Bearer ${given}` }
    const request = http.request({ host: "127.0.0.1", port, path, method, headers: { ...authorization, ...headers } })
    request.on("error", (cause) => resume(Effect.die(cause)))
    request.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(
          Effect.succeed({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        ),
      )
    })
    request.end(body)
  })

/** A server in the context, as its page talks to it. */
export const page = Effect.map(Studio.Studio, (server) => {
  const get = <A>(path: string): Effect.Effect<A> =>
    Effect.map(send(server, path), ({ status, text }) => {
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
      return JSON.parse(text)
    })
  const post = (path: string, body: unknown) =>
    Effect.map(
      send(server, path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
      ({ status, text }) => ({ status, body: JSON.parse(text) }),
    )
  const refused = (path: string) =>
    Effect.map(send(server, path), ({ status, text }) => ({ status, ...JSON.parse(text) }))
  return { server, get, post, refused, send: (path: string, sent?: Sent) => send(server, path, sent) }
})

const NOTHING: Studio.Allowing = {
  answer: false,
  forks: null,
  write: false,
  annotate: false,
  talk: null,
  by: "ada",
  notes: [],
}

/** A server of a log's file, and what the log is asked by otherwise. */
export const served = (
  filename: string,
  allowed: Partial<Studio.Allowing> = {},
  readonly = true,
  serving: Studio.Serving = {},
) => Layer.provideMerge(Studio.serving({ ...NOTHING, ...allowed }, serving), services(filename, readonly))

/** The parameters of a path. */
export const query = (parameters: { readonly [name: string]: string | number }): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/** One event of a stream. */
export interface Told {
  readonly id: number
  readonly type: string
  readonly data: unknown
}

/** Listens to a path until what was told is enough, and goes away. */
export const listenTo = (
  { port, token }: { readonly port: number; readonly token: string },
  asked: string,
  isEnough: (told: ReadonlyArray<Told>) => boolean,
) =>
  Effect.promise(async () => {
    const controller = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}${asked}`, {
      signal: controller.signal,
      headers: { authorization: `Bearer ${token}` },
    })
    if (response.body === null || response.status !== 200) throw new Error(`HTTP ${response.status}`)
    const told: Array<Told> = []
    let rest = ""
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        const [, id, type, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
        if (id !== undefined && type !== undefined) told.push({ id: Number(id), type, data: JSON.parse(data ?? "") })
      }
      if (isEnough(told)) {
        controller.abort()
        return told
      }
    }
    throw new Error("the stream ended")
  })
