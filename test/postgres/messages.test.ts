import * as fs from "node:fs"
import { Effect, Either, Layer } from "effect"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { DiskFull, LogBusy, LogCorrupt, LogUnavailable } from "../../src/events/log/LogErrors.ts"
import * as ServerUrl from "../../src/events/log/ServerUrl.ts"
import * as Address from "../../src/events/postgres/server/address.ts"
import { inDoubt, statementError } from "../../src/events/postgres/server/errors.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { open } from "../../src/workspace/questions/OpenFiles.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)
afterEach(() => vi.unstubAllEnvs())

const addressOf = (url: string) => Either.getOrThrow(Address.parse(url))

const failed = (message: string, code = "") => Object.assign(new Error(message), code === "" ? {} : { code })

describe("messages about a server", () => {
  it("show the server's text without the password of the URL or of PGPASSWORD", () => {
    vi.stubEnv("PGPASSWORD", "fr0m-env")
    const address = addressOf("postgres://u@h/db")
    const text = String(statementError(address, failed('permission denied for "fr0m-env" of keys', "42501"))?.message)
    expect(text).toContain('permission denied for "•••" of keys')
    const given = addressOf("postgres://u:g1ven@h/db")
    const lost = String(statementError(given, failed("Connection terminated by g1ven fr0m-env"))?.message)
    expect(lost).toContain("Connection terminated by ••• •••")
  })

  it("name the server of PGHOST and PGPORT where the URL names none", () => {
    vi.stubEnv("PGHOST", "db.example")
    vi.stubEnv("PGPORT", "6543")
    const error = statementError(addressOf("postgres:///db"), failed("refused", "ECONNREFUSED"))
    expect(error?.message).toContain("accepts connections on db.example, port 6543")
  })

  it("show nothing of a URL that may be a password, and refuse it", () => {
    for (const [url, shown] of [
      ["postgres://me:2024/s3cret@db/agents", "postgres://db/agents"],
      ["postgres://u:4711?s3cret@h/db", "postgres://h/db"],
      ["postgres://u:12#s3cret@h/db", "postgres://h/db"],
      ["postgres://u:s3cret", "postgres://u"],
      ["postgres:u:s3cret@h/db", "postgres://h/db"],
      ["postgres:u:s3cret", "postgres://u"],
      ["postgresql:/u:s3cret@h/db", "postgres://h/db"],
    ] as const) {
      expect({ url, shown: ServerUrl.shown(url) }).toEqual({ url, shown })
      const parsed = Address.parse(url)
      expect({ url, refused: Either.isLeft(parsed) }).toEqual({ url, refused: true })
      expect(String(Either.isLeft(parsed) && parsed.left)).not.toContain("s3cret")
    }
    expect(ServerUrl.shown("postgres://u:p%40ss@h:5433/db?schema=x")).toBe("postgres://u@h:5433/db?schema=x")
  })
})

describe("errors of a server", () => {
  it("never say that nothing was written once a try of an append was lost", () => {
    for (const error of [
      new LogBusy({ log: "postgres://h/db", waitedMs: 1 }),
      new DiskFull({ log: "postgres://h/db" }),
      new LogUnavailable({ log: "postgres://h/db", reason: "the server is starting" }),
    ]) {
      const { message } = inDoubt("postgres://h/db", error)
      expect(message).toContain("may have been stored")
      expect(message).not.toContain("Nothing")
    }
  })

  it("advise a command that works on a log on a server", () => {
    const damaged = (log: string) => new LogCorrupt({ log, position: 1, reason: "r" }).message
    expect(damaged("postgres://h/db")).toContain("`hindcast log verify --log postgres://h/db`")
    expect(damaged("/a/log.db")).toContain("`hindcast log doctor --log /a/log.db`")
  })
})

describe("a URL where a log in a file is needed", () => {
  const URL = "postgres://me:s3cret@db.example/agents"

  it("is refused, makes no file, and is not shown", async () => {
    const refusals = [
      Effect.runPromise(Effect.scoped(Layer.build(SqliteEventLog.layer({ filename: URL })))),
      open({ log: URL }),
    ]
    for (const refusal of await Promise.allSettled<unknown>(refusals)) {
      const reason = refusal.status === "rejected" ? String(refusal.reason) : "nothing"
      expect(reason).toContain("expected the path of a log in a file, found the URL of a PostgreSQL server")
      expect(reason).not.toContain("s3cret")
    }
    expect(fs.existsSync("postgres:")).toBe(false)
  })
})
