/**
 * The server of a shared Studio: TLS or a proxy that terminates it, accounts, roles, several logs, and a record of who
 * looked and who acted. Each request is checked in this order: connection and names (`Site`), person (`People`), order
 * (CSRF), log and role, record.
 */

import type { IncomingMessage } from "node:http"
import { Context, Effect, Schema, type Scope } from "effect"
import type { Tls } from "../../platform/loopback/Listening.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import { answer, bodyOf } from "../../platform/loopback/Messages.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { type Failure, only, refusal, refuse, shown } from "../../platform/loopback/Refusal.ts"
import { Allowed, forPerson, type Role } from "../Allowed.ts"
import * as AccessRecord from "../team/AccessRecord.ts"
import type { Accounts } from "../team/Accounts.ts"
import * as Addresses from "../team/Addresses.ts"
import type { OpenLog } from "../team/OpenLogs.ts"
import * as People from "../team/People.ts"
import * as Sessions from "../team/Sessions.ts"
import * as ShareFile from "../team/ShareFile.ts"
import * as SigningIn from "../team/SigningIn.ts"
import * as Site from "../team/Site.ts"
import type { SessionInfo } from "../wire/Session.ts"
import * as PageFiles from "./PageFiles.ts"
import * as Problems from "./Problems.ts"
import * as Routes from "./Routes.ts"

export interface TeamOptions {
  readonly share: ShareFile.ShareFile
  readonly tls: Tls | undefined
  readonly proxySecret: string | undefined
  /** Undefined if a proxy names the people. */
  readonly accounts: Accounts | undefined
  readonly record: AccessRecord.AccessRecord
  readonly logs: ReadonlyMap<string, OpenLog<Routes.Needs>>
  /** Default: 15 s. */
  readonly heartbeatMs?: number
  /** The directory of the page's files. Default: in the package. */
  readonly files?: string
}

/** Further connections are closed. */
const MAX_CONNECTIONS = 1_000

const HEARTBEAT_MS = 15_000

/** Browsers then speak only TLS with this host, for a year (RFC 6797). */
const ONLY_TLS = ["strict-transport-security", "max-age=31536000"] as const

/**
 * Serves until the scope closes.
 *
 * @returns the port
 */
export const serve = (options: TeamOptions): Effect.Effect<number, PortUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { share, tls, proxySecret } = options
    const isProxy = share.proxy === undefined ? undefined : Addresses.within(share.proxy.addresses)
    const { userHeader, groupsHeader } = share.proxy ?? {}
    const once = [userHeader, groupsHeader].flatMap((name) => (name === undefined ? [] : [name.toLowerCase()]))
    const site: Site.Site = { origins: share.origins, isProxy, proxySecret, once }
    const handle = yield* handlerOf(options, (request) => Addresses.ofPerson(request, isProxy ?? (() => false)))
    return yield* LoopbackServer.serve({
      name: "Studio",
      port: share.listen.port,
      host: share.listen.address,
      tls,
      maxConnections: MAX_CONNECTIONS,
      token: undefined,
      siteCheck: (request) => Site.refusalOf(site, request),
      headers: [...PageFiles.headers([]), ONLY_TLS],
      statusOf: Problems.statusOf,
      answer: (exchange) =>
        isOfApi(exchange.path)
          ? handle(exchange)
          : only(
              "GET",
              exchange.request.method,
              PageFiles.serve(exchange.response, exchange.path, options.files, true),
            ),
    })
  })

const isOfApi = (path: string): boolean => path === "/api" || path.startsWith("/api/")

type Answer = Effect.Effect<void, Failure>

const handlerOf = (
  { share, accounts, record, logs, heartbeatMs = HEARTBEAT_MS }: TeamOptions,
  addressOf: (request: IncomingMessage) => string,
) =>
  Effect.gen(function* () {
    const sessions = new Sessions.Sessions(share.sessionHours)
    const { userHeader = "", groupsHeader } = share.proxy ?? {}
    const people =
      accounts === undefined ? People.byHeader(userHeader, groupsHeader) : People.byPassword(accounts, sessions)
    const signIn = accounts === undefined ? undefined : yield* SigningIn.make({ accounts, sessions, record, addressOf })

    const logsOf = (someone: People.Someone) =>
      [...logs.values()].flatMap(({ named, isOpen }) => {
        const roles = ShareFile.rolesOf(share, someone, named)
        const personal = ShareFile.seesPersonal(named, roles)
        return roles.size === 0 ? [] : [{ id: named.id, roles: [...roles], personal, isOpen: isOpen() }]
      })

    const session = ({ request, response }: LoopbackServer.Exchange): Answer =>
      Effect.gen(function* () {
        const someone = yield* people.of(request)
        const info: SessionInfo =
          someone === undefined
            ? { account: null, by: people.by, csrf: null, logs: [] }
            : { account: someone.account, by: people.by, csrf: someone.csrf, logs: logsOf(someone) }
        yield* answer(response, 200, info)
      })

    const known = (request: IncomingMessage) =>
      Effect.flatMap(people.of(request), (someone) =>
        someone === undefined
          ? refuse(401, "SignedOut", "a person who is signed in", "nobody")
          : Effect.succeed(someone),
      )

    const signOut = ({ request, response }: LoopbackServer.Exchange): Answer =>
      Effect.gen(function* () {
        const someone = yield* known(request)
        const refused = People.orderRefusalOf(someone, request)
        if (refused !== undefined) return yield* Effect.fail(refused)
        yield* record.add({ account: someone.account, address: addressOf(request), action: "sign-out" })
        for (const value of Sessions.valuesIn(request.headers.cookie)) sessions.end(value)
        yield* answer(response, 200, {}, { "set-cookie": Sessions.cookieOf("", 0) })
      })

    /** A path below `/api/logs/`. */
    const ofLog = (exchange: LoopbackServer.Exchange): Answer =>
      Effect.gen(function* () {
        const { request, path, parameters } = exchange
        const someone = yield* known(request)
        const isOrder = request.method !== "GET"
        const refusedOrder = isOrder ? People.orderRefusalOf(someone, request) : undefined
        if (refusedOrder !== undefined) return yield* Effect.fail(refusedOrder)
        const [, id = "", action = ""] = /^\/api\/logs\/([^/]+)\/(.+)$/.exec(path) ?? []
        const log = logs.get(id)
        const roles = log === undefined ? new Set<Role>() : ShareFile.rolesOf(share, someone, log.named)
        // A log without a role for this person looks like one that does not exist.
        if (log === undefined || roles.size === 0) {
          return yield* refuse(404, "LogNotFound", "a log that you may see", shown(id))
        }
        const route = Routes.known.find((one) => one.path === `/api/${action}`)
        if (route === undefined) return yield* refuse(404, "NotFound", "a path of the API", shown(path))
        const isAllowed = roles.has(route.role)
        const fields = isAllowed && isOrder ? yield* bodyOf(request, Schema.Unknown) : Object.fromEntries(parameters)
        yield* record.add({
          ...{ account: someone.account, address: addressOf(request), action, log: id },
          about: AccessRecord.aboutOf(fields),
          ...(isAllowed ? {} : { refused: "RoleMissing" }),
        })
        const services = yield* log.services(ShareFile.seesPersonal(log.named, roles))
        const person = { account: someone.account, roles }
        const allowed = forPerson(Context.get(services, Allowed), person)
        const handled = Routes.handle({ ...exchange, path: route.path, heartbeatMs }).pipe(
          Problems.ofDamage,
          Effect.provide(Context.add(services, Allowed, allowed)),
        )
        // An order that has begun is completed; an answer that is being read stops when its reader may read no more.
        yield* isOrder ? handled : Effect.raceFirst(handled, Effect.zipRight(someone.untilGone, Effect.fail(GONE)))
      })

    return (exchange: LoopbackServer.Exchange): Answer => {
      const { path, request } = exchange
      if (path === "/api/session") return only("GET", request.method, session(exchange))
      if (path === "/api/sign-in" && signIn !== undefined) return only("POST", request.method, signIn(exchange))
      if (path === "/api/sign-out" && signIn !== undefined) return only("POST", request.method, signOut(exchange))
      if (path.startsWith("/api/logs/")) return ofLog(exchange)
      return Effect.zipRight(known(request), refuse(404, "NotFound", "a path of a log: /api/logs/ID/…", shown(path)))
    }
  })

const GONE = refusal(401, "SignedOut", "a person who is signed in", "a session that has ended")
