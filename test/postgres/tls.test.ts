import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import * as Authority from "../../src/record/proxy/Authority.ts"
import { control, own, ownServer } from "./cluster.ts"

const note = {
  stream: "s",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "s", text: "over TLS" } }],
}

const failing = (url: string) => Effect.flip(Effect.scoped(Layer.build(layer({ url }))))

describe("TLS", () => {
  it("encrypts, and verify-full accepts the server's own name by its own authority alone; errors say what to do", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { url, directory } = yield* ownServer()
          const authority = yield* Effect.promise(Authority.make)
          const { key, cert } = authority.certified("localhost")
          const file = (name: string, text: string) => {
            const place = path.join(directory, name)
            fs.writeFileSync(place, text, { mode: 0o600 })
            own(place)
            return place
          }
          const trusted = file("authority.pem", authority.certificate)
          const other = file("other.pem", (yield* Effect.promise(Authority.make)).certificate)
          const at = (host: string, parameters: string) => {
            const changed = new URL(`${url}?${parameters}`)
            changed.hostname = host
            return changed.href
          }
          // The server of tests has no certificate yet.
          expect((yield* failing(at("127.0.0.1", "sslmode=require"))).message).toContain(
            "Add sslmode=require or sslmode=disable",
          )

          file("data/server.key", key)
          file("data/server.crt", cert)
          fs.appendFileSync(path.join(directory, "data", "postgresql.auto.conf"), "ssl = on\n")
          const rules = path.join(directory, "data", "pg_hba.conf")
          fs.writeFileSync(rules, `hostnossl all all all reject\n${fs.readFileSync(rules, "utf8")}`)
          yield* Effect.sync(() => control(directory, "restart"))

          for (const good of [
            at("127.0.0.1", "sslmode=require"),
            at("localhost", `sslmode=verify-full&sslrootcert=${encodeURIComponent(trusted)}`),
          ]) {
            const log = Context.get(yield* Layer.build(layer({ url: good })), EventLog)
            yield* log.append(note)
            expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
          }
          const root = (of: string) => `sslmode=verify-full&sslrootcert=${encodeURIComponent(of)}`
          for (const [bad, text] of [
            [at("localhost", "sslmode=verify-full"), "no trusted authority signed the server's certificate"],
            [at("localhost", root(other)), "no trusted authority signed the server's certificate"],
            [at("127.0.0.1", root(trusted)), "the server's certificate is for another name"],
            [at("localhost", root(path.join(directory, "gone.pem"))), "cannot be read"],
            [at("localhost", root(path.join(directory, "data", "server.key"))), "are none in PEM"],
            [at("127.0.0.1", "sslmode=disable"), "the server refuses connections without encryption"],
            [at("127.0.0.1", `sslmode=require&sslrootcert=${trusted}`), "expected it with sslmode=verify-full"],
          ] as const) {
            const { message } = yield* failing(bad)
            expect(message).toContain(text)
            for (const secret of [decodeURIComponent(new URL(url).password), new URL(url).password])
              expect(message).not.toContain(secret)
          }
        }),
      ),
    ))
})
