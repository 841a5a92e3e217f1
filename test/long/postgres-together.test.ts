/** All who use one server at once, while it restarts, stands still and is cut off: runners, a recorder, a follower, Studio. */
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { Deferred, Effect, Stream } from "effect"
import { expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { start } from "../cli/hindcast.ts"
import { control, ownServer, processesOf } from "../postgres/cluster.ts"
import { all, assertOnce, next, submitAll, trial } from "../postgres/runnerTrial.ts"

const STEPS = 6

const listening = (server: http.Server | net.Server) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resolve(typeof address === "object" && address !== null ? address.port : 0)
          })
        }),
    ),
    () => Effect.sync(() => server.close()),
  )

/** What stands between all of them and the server. While it is cut, it takes no connection and passes nothing on. */
const network = (url: string) =>
  Effect.gen(function* () {
    const { port } = new URL(url)
    const open = new Set<net.Socket>()
    let isCut = false
    const server = net.createServer((client) => {
      if (isCut) {
        client.destroy()
        return
      }
      const upstream = net.connect(Number(port), "127.0.0.1")
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(from)
        from.on("error", () => {})
        from.on("close", () => {
          open.delete(from)
          to.destroy()
        })
        from.pipe(to)
      }
    })
    const own = yield* listening(server)
    const through = new URL(url)
    through.port = String(own)
    const set = (to: boolean) =>
      Effect.sync(() => {
        isCut = to
        if (to) for (const socket of open) socket.destroy()
      })
    yield* Effect.addFinalizer(() => set(true))
    return { url: through.href, cut: set(true), join: set(false) }
  })

/** A provider that repeats what it is told. */
const provider = Effect.map(
  listening(
    http.createServer(async (request, response) => {
      let body = ""
      for await (const piece of request) body += piece
      const message = { role: "assistant", content: `heard ${JSON.parse(body).messages.at(-1).content}` }
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ id: "1", model: "m", choices: [{ index: 0, finish_reason: "stop", message }] }))
    }),
  ),
  (port) => `http://127.0.0.1:${port}/v1`,
)

/** Asks the model until a file is there. Prints each answer. */
const AGENT = `import { existsSync } from "node:fs"
for (let said = 0; !existsSync(process.argv[2]); said++) {
  const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "line " + said }] }),
  })
  console.log((await answer.json()).choices[0].message.content)
  await new Promise((resolve) => setTimeout(resolve, 100))
}
`

it(
  "runners, a recorder, a follower and Studio lose nothing while the server restarts, stands still and is cut off",
  () =>
    Effect.gen(function* () {
      const server = yield* ownServer()
      const { url, cut, join } = yield* network(server.url)
      const given = yield* trial(url, STEPS)
      yield* Effect.provide(
        Effect.gen(function* () {
          const log = yield* EventLog
          const seen: Array<number> = []
          const ended = yield* Deferred.make<void>()
          yield* log.follow().pipe(
            Stream.runForEach((item) =>
              Effect.gen(function* () {
                if (!("position" in item) || !("type" in item)) return
                seen.push(item.position)
                if (item.type === "NoteAdded") yield* Deferred.succeed(ended, undefined)
              }),
            ),
            Effect.forkScoped,
          )
          yield* given.runner("one")
          yield* given.runner("two")

          const studio = start(["studio", "--json"], { env: { HINDCAST_LOG: url } })
          yield* Effect.addFinalizer(() => Effect.sync(() => studio.child.kill("SIGKILL")))
          const address = yield* Effect.promise(async () => {
            for await (const line of createInterface({ input: studio.child.stdout }))
              return new URL(JSON.parse(line).url)
            throw new Error((await studio.ended).stderr)
          })
          const authorization = `Bearer ${address.hash.replace("#token=", "")}`
          const headOfStudio = Effect.promise(async () => {
            const answer = await fetch(new URL("/api/log", address), { headers: { authorization } })
            return answer.ok ? await answer.json() : answer.status
          })

          const agent = path.join(given.directory, "agent.mjs")
          const enough = path.join(given.directory, "enough")
          fs.writeFileSync(agent, AGENT)
          const OPENAI_BASE_URL = yield* provider
          const recorder = start(["record", "--", process.execPath, agent, enough], {
            env: { HINDCAST_LOG: url, OPENAI_BASE_URL },
          })
          yield* Effect.addFinalizer(() => Effect.sync(() => recorder.child.kill("SIGKILL")))

          const ids: Array<string> = []
          const disturbed = (prefix: string, disturbance: Effect.Effect<void>) =>
            Effect.gen(function* () {
              ids.push(...(yield* submitAll(6, prefix)))
              yield* next(0, ["CommandDispatched"], (ids.length - 6) * STEPS + 5)
              const { position } = yield* log.head
              yield* disturbance
              yield* next(position, ["ModelResponded"], 1)
              yield* next(0, ["TaskClosed"], ids.length)
            })
          yield* disturbed(
            "restart",
            Effect.sync(() => control(server.directory, "restart", "immediate")),
          )
          const signal = (name: NodeJS.Signals, pids: ReadonlyArray<number>) => {
            for (const pid of pids) if (fs.existsSync(`/proc/${pid}`)) process.kill(pid, name)
          }
          yield* disturbed(
            "pause",
            Effect.gen(function* () {
              const pids = processesOf(server.directory)
              signal("SIGSTOP", pids)
              yield* Effect.ensuring(
                Effect.sleep("30 seconds"),
                Effect.sync(() => signal("SIGCONT", pids)),
              )
            }),
          )
          yield* disturbed("cut", Effect.andThen(Effect.andThen(cut, Effect.sleep("5 seconds")), join))

          fs.writeFileSync(enough, "")
          const { code, stdout, stderr } = yield* Effect.promise(() => recorder.ended)
          expect({ code, stderr }).toMatchObject({ code: 0 })
          const recorded = /as task (\S+)\./.exec(stderr)?.[1] ?? "none"
          const answers = (yield* all(["ModelResponded"])).length
          expect(stdout.split("\n").filter((line) => line.startsWith("heard line")).length).toBe(answers)

          yield* log.append({
            stream: "s",
            actor: "human:test",
            events: [{ type: "NoteAdded", payload: { about: "s", text: "end" } }],
          })
          yield* Deferred.await(ended)
          const { position } = yield* log.head
          expect(seen).toEqual(Array.from({ length: position }, (_, index) => index + 1))
          expect(yield* headOfStudio).toMatchObject({ head: position })
          expect((yield* assertOnce([...ids, recorded], given.marks())).ended).toBe(ids.length * STEPS)
        }),
        given.layer,
      )
    }).pipe(Effect.scoped, Effect.runPromise),
  600_000,
)
