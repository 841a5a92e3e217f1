import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import * as path from "node:path"
import { Effect, Layer } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import * as Confirmations from "../../../src/kernel/gate/Confirmations.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import * as Authority from "../../../src/record/proxy/Authority.ts"
import * as Studio from "../../../src/studio/Studio.ts"
import * as TeamServer from "../../../src/studio/server/TeamServer.ts"
import * as AccessRecord from "../../../src/studio/team/AccessRecord.ts"
import * as Accounts from "../../../src/studio/team/Accounts.ts"
import * as OpenLogs from "../../../src/studio/team/OpenLogs.ts"
import * as PasswordHash from "../../../src/studio/team/PasswordHash.ts"
import * as ShareFile from "../../../src/studio/team/ShareFile.ts"
import { temporaryDirectory } from "../../temporary.ts"

export const HOST = "studio.test"
export const ORIGIN = `https://${HOST}`

export const PASSWORDS = {
  ada: "a horse, a staple, a battery",
  eve: "another quite long secret",
  bob: "bob's own words here",
}

/** Hashes cost a fraction of a second: each is made once. */
const hashes = new Map<string, Promise<string>>()
export const hashOf = (password: string): Promise<string> => {
  const known = hashes.get(password) ?? Effect.runPromise(PasswordHash.make(password))
  hashes.set(password, known)
  return known
}

let authority: Promise<Authority.Authority> | undefined
export const certificates = (): Promise<Authority.Authority> => {
  authority ??= Authority.make()
  return authority
}

/** A file of accounts: names, and their groups. */
export const writeAccounts = async (
  file: string,
  groups: { readonly [name: string]: ReadonlyArray<string> } = { ada: [], eve: [], bob: ["readers"] },
): Promise<void> => {
  const accounts = await Promise.all(
    Object.entries(groups).map(async ([name, of]) => ({
      name,
      password: await hashOf(PASSWORDS[name as keyof typeof PASSWORDS]),
      groups: of,
    })),
  )
  fs.writeFileSync(file, JSON.stringify({ accounts }), { mode: 0o600 })
}

/** A log with a task, and a note of a person, which is personal data. */
export const writeLog = (file: string, secret = "the secret of customer-3") =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append({
      ...{ stream: "task/visit", taskId: "visit", actor: "kernel" },
      events: [{ type: "TaskOpened", payload: { goal: "Show the shop", measures: [], agent: "guide@1" } }],
    })
    yield* log.append({
      ...{ stream: "diary", actor: "human:test", subject: "customer-3" },
      events: [{ type: "NoteAdded", payload: { about: "", text: secret } }],
    })
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename: file })))

/** Opens a log as the command does, without a kernel. */
export const openable = (
  named: ShareFile.NamedLog,
  allowing: Partial<Studio.Allowing> = { answer: true, annotate: true, write: true },
): OpenLogs.Openable<Layer.Layer.Success<ReturnType<typeof layerOf>>> => ({
  named,
  open: (personal) => layerOf(named.file, personal, allowing),
})

const layerOf = (filename: string, personal: boolean, allowing: Partial<Studio.Allowing>) =>
  Studio.ofLog({
    answer: false,
    forks: null,
    write: false,
    annotate: false,
    talk: null,
    by: "server",
    notes: [],
    ...allowing,
  }).pipe(
    Layer.provideMerge(Layer.mergeAll(TimeTravel.layer, Confirmations.layer)),
    Layer.provideMerge(Projector.layer),
    Layer.provideMerge(SqliteEventLog.layer({ filename, personal })),
  )

export interface Team {
  readonly directory: string
  readonly port: number
  readonly accounts: string
  readonly record: string
  readonly recorded: () => ReadonlyArray<{ readonly [field: string]: unknown }>
}

/** A shared Studio of the logs `shop` and `till`, with ada (all roles), eve (none) and the readers (see). */
export const team = (
  given: Partial<ShareFile.ShareFile> = {},
  { proxySecret, heartbeatMs }: { readonly proxySecret?: string; readonly heartbeatMs?: number } = {},
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const at = (name: string) => path.join(directory, name)
    yield* writeLog(at("shop.db"))
    yield* writeLog(at("till.db"))
    yield* Effect.promise(() => writeAccounts(at("accounts.yaml")))
    const isByProxy = given.proxy?.userHeader !== undefined
    const share = yield* ShareFile.decode(
      "share.yaml",
      {
        listen: { address: "127.0.0.1", port: 0 },
        origins: [ORIGIN],
        ...(given.proxy?.terminatesTls === true ? {} : { tls: { certificate: "cert.pem", key: "key.pem" } }),
        ...(isByProxy ? {} : { accounts: "accounts.yaml" }),
        roles: [
          { accounts: ["ada"], may: ["see", "answer", "annotate", "fork", "write"] },
          { groups: ["readers"], may: ["see"] },
        ],
        logs: [
          { id: "shop", file: "shop.db", personal: ["write"] },
          { id: "till", file: "till.db", roles: ["see"] },
        ],
        accessRecord: "access.jsonl",
        ...given,
      },
      directory,
    )
    const authority = yield* Effect.promise(certificates)
    const tls = share.tls === undefined ? undefined : authority.certified(HOST)
    const port = yield* TeamServer.serve({
      share,
      tls: tls === undefined ? undefined : { cert: String(tls.cert), key: String(tls.key) },
      proxySecret,
      accounts: share.accounts === undefined ? undefined : yield* Accounts.open(share.accounts),
      record: yield* AccessRecord.open(share.accessRecord),
      logs: yield* OpenLogs.make(share.logs.map((named) => openable(named))),
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    })
    const recorded = () =>
      fs
        .readFileSync(at("access.jsonl"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    return { directory, port, accounts: at("accounts.yaml"), record: at("access.jsonl"), recorded } satisfies Team
  })

/** Headers: a list repeats a name, which objects cannot. */
export interface Sent {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders | ReadonlyArray<string>
  readonly body?: string
  readonly isPlain?: boolean
}

export interface Got {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  readonly body: { readonly [field: string]: never }
}

/** Sends exactly these headers, besides a host if none is given. */
export const send = (port: number, asked: string, { method = "GET", headers = {}, body, isPlain = false }: Sent = {}) =>
  Effect.promise(async (): Promise<Got> => {
    const { certificate } = await certificates()
    const hosted = Array.isArray(headers)
      ? headers.some((name) => String(name).toLowerCase() === "host")
        ? headers
        : ["Host", HOST, ...headers]
      : { host: HOST, ...headers }
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path: asked, method, headers: hosted as http.OutgoingHttpHeaders }
      const request = isPlain
        ? http.request({ ...options, agent: false })
        : https.request({ ...options, agent: false, servername: HOST, ca: certificate })
      request.on("error", reject)
      request.on("response", (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          const isJson = String(response.headers["content-type"]).startsWith("application/json")
          const status = response.statusCode ?? 0
          resolve({ status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} })
        })
      })
      request.end(body)
    })
  })

export const JSON_TYPE = { "content-type": "application/json" }

/** Signs in, and answers with the headers that the page then sends. */
export const signIn = (port: number, account: keyof typeof PASSWORDS, more: http.OutgoingHttpHeaders = {}) =>
  Effect.gen(function* () {
    const got = yield* send(port, "/api/sign-in", {
      method: "POST",
      headers: { ...JSON_TYPE, origin: ORIGIN, ...more },
      body: JSON.stringify({ account, password: PASSWORDS[account] }),
    })
    if (got.status !== 200) throw new Error(`sign-in: ${got.status} ${got.text}`)
    const set = got.headers["set-cookie"]?.[0] ?? ""
    const cookie = set.split(";")[0] ?? ""
    const { body } = yield* send(port, "/api/session", { headers: { cookie } })
    return { set, cookie, csrf: String(body.csrf) }
  })

/** An order of the page. */
export const order = (signed: { readonly cookie: string; readonly csrf: string }, body: unknown = {}): Sent => ({
  method: "POST",
  headers: { ...JSON_TYPE, origin: ORIGIN, cookie: signed.cookie, "x-hindcast-csrf": signed.csrf },
  body: JSON.stringify(body),
})
