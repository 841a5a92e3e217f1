/** The server of a log as a source. Sends its secrets in headers, never in an address. */
import type { FindLine } from "../../wire/Asking.ts"
import type { Problem } from "../../wire/Log.ts"
import { questionOf } from "../../wire/Shared.ts"
import { type LiveEvent, type Source, SourceFailed } from "./Source.ts"

/** Where the API of a log is, and the headers that each request carries. */
export interface Api {
  /** Without a slash at the end. */
  readonly base: string
  readonly headers: { readonly [name: string]: string }
}

/** The API of a server that one person started. */
export const ofToken = (token: string): Api => ({ base: "/api", headers: { authorization: `Bearer ${token}` } })

export const httpSource = ({ base, headers: own }: Api): Source => {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...init.headers, ...own }
    const response = await fetch(`${base}/${path}`, { ...init, headers, cache: "no-store" }).catch((cause: unknown) => {
      if (init.signal?.aborted === true) throw cause
      throw new SourceFailed(
        "Unreachable",
        "The server does not respond. If it has ended, start `hindcast studio` again and open the link that it prints.",
      )
    })
    if (response.ok) return response
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new SourceFailed(
      problem.error ?? `Status${response.status}`,
      problem.message ?? `The server answered with status ${response.status}.`,
    )
  }
  const json = async (response: Response) => (await response.json()) as never
  return {
    ask: async (path, parameters = {}, signal) =>
      json(await request(questionOf(path, parameters), signal ? { signal } : {})),
    order: async (path, order, signal) =>
      json(
        await request(path, {
          ...(signal ? { signal } : {}),
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(order),
        }),
      ),
    find: async (parameters, onLine, signal) => {
      const response = await request(questionOf("find", parameters), { signal })
      for await (const line of lines(response)) if (line !== "") onLine(JSON.parse(line) as FindLine)
    },
    follow: async (path, parameters, onEvent, signal) => {
      const response = await request(questionOf(path, parameters), { signal })
      let event: { name: string; data: string } = { name: "message", data: "" }
      for await (const line of lines(response)) {
        if (line === "") {
          if (event.data !== "") onEvent({ name: event.name, data: JSON.parse(event.data) } satisfies LiveEvent)
          event = { name: "message", data: "" }
        } else if (line.startsWith("event:")) event.name = line.slice(6).trim()
        else if (line.startsWith("data:")) event.data += line.slice(5).trimStart()
      }
    },
  }
}

async function* lines(response: Response): AsyncGenerator<string> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const parts = (rest + value).split(/\r?\n/)
    rest = parts.pop() ?? ""
    yield* parts
  }
  if (rest !== "") yield rest
}
