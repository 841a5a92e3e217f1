import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { server } from "../agents/models/servers.ts"
import { temporary } from "./recorded.ts"

/** Answers with the bytes that it was sent; never under `/never`; elsewhere under `/moved`. */
const echo = server((request, response) => {
  if (request.url === "/never") return
  if (request.url === "/moved") {
    response.writeHead(302, { location: "/here" }).end()
    return
  }
  if (request.url === "/head") response.setHeader("content-length", 7)
  if (request.url === "/304") response.writeHead(304)
  request.pipe(response)
})

/** Each with a new body, since a stream is read only once. */
const bodies: Record<string, () => RequestInit> = {
  text: () => ({ body: "sent" }),
  "no text": () => ({ body: "" }),
  bytes: () => ({ body: new TextEncoder().encode("sent") }),
  "a buffer": () => ({ body: new TextEncoder().encode("sent").buffer }),
  "a view of a buffer": () => ({ body: new DataView(new TextEncoder().encode("[sent]").buffer, 1, 4) }),
  "a blob": () => ({ body: new Blob(["se", "nt"]) }),
  "the fields of a form": () => ({ body: new URLSearchParams({ sent: "yes" }) }),
  "a stream": () => ({ body: new Blob(["sent"]).stream(), duplex: "half" }),
  "an iterable": () => ({ body: pieces() as never, duplex: "half" }),
}

async function* pieces() {
  yield new TextEncoder().encode("se")
  yield new TextEncoder().encode("nt")
}

/** Records a program, and replays it: both answers. */
const both = async <A>(program: (run: Run) => Promise<A>): Promise<readonly [A, A]> => {
  const log = temporary("requests.db")
  const run = await record({ log, goal: "Ask", agent: "tester" })
  const recorded = await program(run)
  await run.end("achieved")
  const ending = async (run: Run) => {
    const answer = await program(run)
    await run.end("achieved")
    return answer
  }
  return [recorded, await replayed({ log }, ending)]
}

describe.each(Object.entries(bodies))("a request with %s", (_, init) => {
  it.scopedLive(
    "is sent as fetch sends it, also where it is one's own request with another body, and is replayed",
    () =>
      Effect.gen(function* () {
        const url = yield* echo
        yield* Effect.promise(async () => {
          const sent = await (await fetch(url, { method: "POST", ...init() })).text()
          const asks = async ({ fetch }: Run) => [
            await (await fetch(url, { method: "POST", ...init() })).text(),
            await (await fetch(new Request(url, { method: "POST", body: "another" }), init())).text(),
          ]
          expect(await both(asks)).toEqual([
            [sent, sent],
            [sent, sent],
          ])
        })
      }),
  )
})

describe("a recording fetch", () => {
  it.scopedLive("sends a form, and a replay knows it again by its parts", () =>
    Effect.gen(function* () {
      const url = yield* echo
      yield* Effect.promise(async () => {
        const [recorded, again] = await both(async ({ fetch }) => {
          const body = new FormData()
          body.set("file", new Blob(["sent"]), "a.txt")
          return (await fetch(url, { method: "POST", body })).text()
        })
        expect(recorded).toMatch(/filename="a\.txt"[\s\S]*sent/)
        expect(again).toBe(recorded)
      })
    }),
  )

  it.scopedLive("says of a response and of its clones where they came from", () =>
    Effect.gen(function* () {
      const url = yield* echo
      const seen = [`${url}/here`, true, "basic"]
      yield* Effect.promise(async () => {
        const answers = await both(async ({ fetch }) => {
          const response = await fetch(`${url}/moved`)
          const all = [response, response.clone(), response.clone().clone()]
          await Promise.all(all.map((one) => one.text()))
          return all.map(({ url, redirected, type }) => [url, redirected, type])
        })
        expect(answers).toEqual([
          [seen, seen, seen],
          [seen, seen, seen],
        ])
      })
    }),
  )

  it.scopedLive("answers without a body where fetch does", () =>
    Effect.gen(function* () {
      const url = yield* echo
      yield* Effect.promise(async () => {
        const asks = async ({ fetch }: { readonly fetch: Run["fetch"] }) => {
          const [head, unchanged] = [await fetch(`${url}/head`, { method: "HEAD" }), await fetch(`${url}/304`)]
          return [head.body, await head.text(), unchanged.status, unchanged.body]
        }
        const direct = await asks({ fetch })
        expect(await both(asks)).toEqual([direct, direct])
      })
    }),
  )

  it.scopedLive("fails as fetch does when a signal ends the request", () =>
    Effect.gen(function* () {
      const url = yield* echo
      const reason = new Error("the program's own")
      yield* Effect.promise(async () => {
        const thrownBy = (asked: Promise<unknown>) => asked.then(String, ({ name, message }: Error) => [name, message])
        const asks = async ({ fetch }: { readonly fetch: Run["fetch"] }) => [
          await thrownBy(fetch(`${url}/never`, { signal: AbortSignal.timeout(5) })),
          await thrownBy(fetch(`${url}/never`, { signal: AbortSignal.abort() })),
          await thrownBy(fetch(`${url}/never`, { signal: AbortSignal.abort(reason) })),
          await thrownBy(fetch(new Request(`${url}/never`, { signal: AbortSignal.abort(reason) }))),
        ]
        const direct = await asks({ fetch })
        expect(await both(asks)).toEqual([direct, direct])
      })
    }),
  )
})
