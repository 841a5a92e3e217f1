import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect, Either } from "effect"
import * as AccessRecord from "../../../src/studio/team/AccessRecord.ts"
import * as Accounts from "../../../src/studio/team/Accounts.ts"
import * as Addresses from "../../../src/studio/team/Addresses.ts"
import { FailedSignIns, MOST_BY_ACCOUNT } from "../../../src/studio/team/FailedSignIns.ts"
import * as PasswordHash from "../../../src/studio/team/PasswordHash.ts"
import { Sessions } from "../../../src/studio/team/Sessions.ts"
import * as ShareFile from "../../../src/studio/team/ShareFile.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { hashOf } from "./given.ts"

const VALID = {
  listen: { address: "0.0.0.0", port: 8443 },
  origins: ["https://studio.example.com"],
  tls: { certificate: "cert.pem", key: "key.pem" },
  accounts: "accounts.yaml",
  roles: [{ accounts: ["ada"], may: ["see"] }],
  logs: [{ id: "shop", file: "shop.db" }],
  accessRecord: "access.jsonl",
}

const decoded = (change: object) => Effect.either(ShareFile.decode("share.yaml", { ...VALID, ...change }, "/srv"))

const PROXY = { addresses: ["10.0.0.2"], terminatesTls: true }

describe("the file of a shared Studio", () => {
  it("has a published JSON Schema; `npx vitest -u` on this test writes it", async () => {
    const text = `${JSON.stringify(ShareFile.jsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../../schema/studio-share.schema.json")
    expect(new Ajv({ strict: false }).compile(ShareFile.jsonSchema())(VALID)).toBe(true)
    expect(new Ajv({ strict: false }).compile(ShareFile.jsonSchema())({ ...VALID, logs: [] })).toBe(false)
  })

  it.effect("names files relative to itself", () =>
    Effect.gen(function* () {
      const share = yield* ShareFile.decode("share.yaml", VALID, "/srv")
      expect(share).toMatchObject({
        tls: { certificate: "/srv/cert.pem", key: "/srv/key.pem" },
        accounts: "/srv/accounts.yaml",
        logs: [{ id: "shop", file: "/srv/shop.db" }],
        accessRecord: "/srv/access.jsonl",
      })
    }),
  )

  it.effect("is refused where it would share logs openly, or says two things", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<readonly [change: object, at: string]> = [
        [{ tls: undefined }, "tls"],
        [{ tls: undefined, proxy: { addresses: ["10.0.0.2"] } }, "tls"],
        [{ proxy: PROXY }, "proxy.terminatesTls"],
        [{ accounts: undefined }, "accounts"],
        [{ tls: undefined, proxy: { ...PROXY, userHeader: "X-Forwarded-User" } }, "accounts"],
        [{ tls: undefined, proxy: { ...PROXY, groupsHeader: "X-Groups" } }, "proxy.groupsHeader"],
        [{ origins: ["http://studio.example.com"] }, "origins"],
        [{ origins: ["https://studio.example.com/"] }, "origins"],
        [{ origins: ["https://u:p@studio.example.com"] }, "origins"],
        [{ origins: [] }, "origins"],
        [{ listen: { address: "studio.example.com", port: 1 } }, "listen.address"],
        [{ listen: { address: "0.0.0.0", port: 70_000 } }, "listen.port"],
        [{ roles: [{ may: ["see"] }] }, "roles[0]"],
        [{ roles: [{ everyone: false, may: ["see"] }] }, "roles[0]"],
        [{ roles: [{ everyone: true, may: ["admin"] }] }, "roles[0].may[0]"],
        [{ roles: [{ accounts: ["аda"], may: ["see"] }] }, "roles[0].accounts[0]"],
        [{ logs: [VALID.logs[0], VALID.logs[0]] }, "logs"],
        [{ logs: [{ id: "../shop", file: "shop.db" }] }, "logs[0].id"],
        [{ logs: [{ id: "__proto__", file: "shop.db" }] }, "logs[0].id"],
        [{ proxy: { addresses: ["0.0.0.0/0"] } }, "proxy.addresses[0]"],
        [{ proxy: { addresses: ["proxy.example.com"] } }, "proxy.addresses[0]"],
        [{ sessionHours: 0 }, "sessionHours"],
        [{ loopback: true }, "loopback"],
      ]
      for (const [change, at] of refused) {
        const found = yield* decoded(change)
        expect([change, Either.isLeft(found) ? found.left.problems.map(({ path }) => path) : []]).toEqual([
          change,
          expect.arrayContaining([expect.stringContaining(at)]),
        ])
      }
    }),
  )

  it.effect("needs a secret for a header from this machine, where every user can send it", () =>
    Effect.gen(function* () {
      const given = (addresses: ReadonlyArray<string>, rest: object = {}) =>
        decoded({
          ...{ tls: undefined, accounts: undefined },
          proxy: { ...PROXY, addresses, userHeader: "X-User", ...rest },
        })
      for (const address of ["127.0.0.1", "::1", "127.0.0.0/8", "127.5.5.5", "64.0.0.0/2"]) {
        expect([address, Either.isLeft(yield* given(["10.0.0.2", address]))]).toEqual([address, true])
        expect([address, Either.isRight(yield* given([address], { secretFile: "secret" }))]).toEqual([address, true])
      }
      expect(Either.isRight(yield* given(["10.0.0.2", "fd00::/8"]))).toBe(true)
      for (const name of ["Cookie", "host", "X-Forwarded-For", "X User", "X_User"]) {
        expect([name, Either.isLeft(yield* given(["10.0.0.2"], { userHeader: name }))]).toEqual([name, true])
      }
    }),
  )

  it("gives the union of a person's roles, as far as the log has them", () => {
    const share = {
      roles: [
        { everyone: true, may: ["see"] },
        { groups: ["reviewers"], may: ["answer", "annotate"] },
        { accounts: ["ada"], may: ["write"] },
      ] as const,
    }
    const of = (account: string, groups: ReadonlyArray<string>, log: object = {}) => [
      ...ShareFile.rolesOf(share, { account, groups }, { id: "a", file: "a", ...log }),
    ]
    expect(of("eve", [])).toEqual(["see"])
    expect(of("eve", ["ada", "write"])).toEqual(["see"])
    expect(of("reviewers", [])).toEqual(["see"])
    expect(of("ada", ["reviewers"])).toEqual(["see", "answer", "annotate", "write"])
    expect(of("ada", ["reviewers"], { roles: ["answer"] })).toEqual(["answer"])
    expect(of("ada", [], { roles: [] })).toEqual([])
  })
})

describe("a password's hash", () => {
  it.live("fits this password alone, in whatever form it was typed, and is never the same twice", () =>
    Effect.gen(function* () {
      const hash = yield* PasswordHash.make("caf\u00e9 au lait, deux fois")
      expect(hash).toMatch(/^scrypt:32768:8:3:[\w-]{22}:[\w-]{43}$/)
      expect(yield* PasswordHash.isOf("cafe\u0301 au lait, deux fois", hash)).toBe(true)
      expect(yield* PasswordHash.isOf("caf\u00e9 au lait, deux foi", hash)).toBe(false)
      expect(yield* PasswordHash.make("caf\u00e9 au lait, deux fois")).not.toBe(hash)
      expect(yield* PasswordHash.inVain("anything")).toBe(false)
    }),
  )

  it.scopedLive("is refused in a file if it is cheap to guess, enormous to check, or none; so are open files", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "accounts.yaml")
      const good = yield* Effect.promise(() => hashOf("a horse, a staple, a battery"))
      const opening = (accounts: ReadonlyArray<object>, mode = 0o600) => {
        fs.rmSync(file, { force: true })
        fs.writeFileSync(file, JSON.stringify({ accounts }))
        fs.chmodSync(file, mode)
        return Effect.either(Accounts.open(file))
      }
      const isOpened = (accounts: ReadonlyArray<object>, mode?: number) =>
        Effect.map(opening(accounts, mode), Either.isRight)
      expect(yield* isOpened([{ name: "ada", password: good }])).toBe(true)
      for (const bad of [
        "secret",
        good.replace("32768", "16"),
        good.replace("32768", "32767"),
        good.replace("32768", "33554432"),
        good.replace(":3:", ":99:"),
        good.slice(0, -1),
        good.replace("scrypt", "plain"),
      ]) {
        expect([bad, yield* isOpened([{ name: "ada", password: bad }])]).toEqual([bad, false])
      }
      expect(
        yield* isOpened([
          { name: "ada", password: good },
          { name: "ada", password: good },
        ]),
      ).toBe(false)
      expect(yield* isOpened([{ name: "a\u202eda", password: good }])).toBe(false)
      if (process.platform !== "win32") {
        for (const mode of [0o644, 0o620, 0o602])
          expect(yield* isOpened([{ name: "ada", password: good }], mode)).toBe(false)
        const refused = yield* opening([], 0o644)
        expect(String(Either.isLeft(refused) ? refused.left.message : "")).toContain("chmod 600")
      }
    }),
  )
})

describe("addresses", () => {
  it("of people come from the nearest stranger that proxies report, not from what anybody typed", () => {
    const isProxy = Addresses.within(["10.0.0.0/8", "::1"])
    const of = (remoteAddress: string, forwarded?: string) =>
      Addresses.ofPerson({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as never, isProxy)
    expect(of("203.0.113.9", "6.6.6.6")).toBe("203.0.113.9")
    expect(of("10.0.0.2", "6.6.6.6, 203.0.113.9")).toBe("203.0.113.9")
    expect(of("::ffff:10.0.0.2", "203.0.113.9, 10.0.0.7")).toBe("203.0.113.9")
    expect(of("10.0.0.2", "<script>")).toBe("10.0.0.2")
    expect(of("10.0.0.2")).toBe("10.0.0.2")
    expect(of("::1", "2001:db8::1")).toBe("2001:db8::1")
  })

  it("of one IPv6 network count as one subscriber's", () => {
    const same = ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::ffff"].map(Addresses.subscriberOf)
    expect(new Set(same).size).toBe(1)
    expect(Addresses.subscriberOf("2001:db8:1:3::1")).not.toBe(same[0])
    expect(Addresses.subscriberOf("::1")).toBe("0:0:0:0")
    expect(Addresses.subscriberOf("203.0.113.9")).toBe("203.0.113.9")
  })
})

describe("time", () => {
  it("ends a session after its hours, and earlier without a request", () => {
    let now = 1_000_000
    const sessions = new Sessions(12, () => now)
    const account = { name: "ada", password: "hash" }
    const idle = sessions.start(account)
    const used = sessions.start(account)
    now += 2 * 3_600_000 - 1
    expect(sessions.accountOf(used)?.account).toBe("ada")
    // A stream that looks whether it may go on is no request.
    expect(sessions.accountOf(idle, false)?.account).toBe("ada")
    now += 1
    expect(sessions.accountOf(idle)).toBeUndefined()
    for (let hour = 2; hour < 11; hour++) {
      now += 3_600_000
      expect(sessions.accountOf(used)).toBeDefined()
    }
    now += 3_600_000
    expect(sessions.accountOf(used)).toBeUndefined()
    const many = Array.from({ length: 25 }, () => sessions.start(account))
    expect(many.filter((value) => sessions.accountOf(value) !== undefined).length).toBe(20)
    expect(sessions.accountOf("")).toBeUndefined()
  })

  it("forgives failed attempts, which count for an account from all addresses", () => {
    let now = 0
    const failed = new FailedSignIns(() => now)
    for (let index = 0; index < MOST_BY_ACCOUNT; index++) expect(failed.begin(`a${index}`, "ada")).toBeUndefined()
    expect(failed.begin("another", "ada")).toBe(900)
    expect(failed.begin("another", "eve")).toBeUndefined()
    now += 900_000
    expect(failed.begin("another", "ada")).toBeUndefined()
    failed.succeeded("another", "ada")
    for (let index = 0; index < 10; index++) {
      expect(failed.begin("one", "bob")).toBeUndefined()
      failed.succeeded("one", "bob")
    }
    expect(failed.begin("one", "bob")).toBeUndefined()
  })
})

describe("the record of accesses", () => {
  it.scopedLive("is appended to, is its owner's, and refuses when its file is gone", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "access.jsonl")
      fs.writeFileSync(file, "earlier\n", { mode: 0o600 })
      const { add } = yield* AccessRecord.open(file)
      yield* add({ account: "ada", address: "::1", action: "log", log: "shop", about: { task: "t", position: 7 } })
      const [earlier, line, rest] = fs.readFileSync(file, "utf8").split("\n")
      expect([earlier, rest]).toEqual(["earlier", ""])
      expect(JSON.parse(line ?? "")).toEqual({
        ...{ time: expect.stringMatching(/^\d{4}-.*Z$/), account: "ada", address: "::1", action: "log", log: "shop" },
        about: { task: "t", position: 7 },
      })
      fs.rmSync(file)
      const refused = yield* Effect.flip(add({ account: "ada", address: "::1", action: "log" }))
      expect(refused).toMatchObject({ _tag: "AccessNotRecorded", reason: expect.stringContaining("removed") })
      const fresh = path.join(path.dirname(file), "fresh.jsonl")
      yield* AccessRecord.open(fresh)
      if (process.platform !== "win32") expect(fs.statSync(fresh).mode & 0o777).toBe(0o600)
      expect(yield* Effect.flip(AccessRecord.open(path.dirname(file)))).toMatchObject({
        _tag: "AccessRecordUnavailable",
      })
    }),
  )

  it("holds names and positions, and nothing else that a request says", () => {
    const about = AccessRecord.aboutOf
    expect(about({ timeline: "main", task: "t", at: 12, text: "secret", reason: "secret", where: "secret" })).toEqual({
      ...{ timeline: "main", task: "t", position: 12 },
    })
    expect(about({ task: "a\u202eb", question: "x".repeat(201), position: "7" })).toEqual({ position: 7 })
    for (const none of [null, 7, "text", [], { task: { text: "secret" }, position: "NaN" }])
      expect(about(none)).toEqual({})
    expect(about(JSON.parse('{"__proto__":{"task":"secret"}}'))).toEqual({})
  })
})
