/** Who sends a request: the account of a session, or the one that a trusted proxy names. */

import { createHmac, randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { Effect, Schedule, Schema } from "effect"
import { isSameText } from "../../platform/loopback/Access.ts"
import { type Refusal, refusal, refuse } from "../../platform/loopback/Refusal.ts"
import { CSRF_HEADER } from "../wire/Session.ts"
import { AccountName, type Accounts } from "./Accounts.ts"
import * as Sessions from "./Sessions.ts"

export interface Someone {
  readonly account: string
  readonly groups: ReadonlyArray<string>
  /** The value of orders in `CSRF_HEADER`. */
  readonly csrf: string
  /** Ends when this person must be recognised again: after a sign-out, an expiry, a removed account. */
  readonly untilGone: Effect.Effect<void>
}

export interface People {
  readonly by: "password" | "proxy"
  /** Undefined for somebody unknown. */
  readonly of: (request: IncomingMessage) => Effect.Effect<Someone | undefined, Refusal>
}

/** Interval at which streams check whether their person may still see them. */
const CHECK = "1 second"

/** A proxy's session cannot be seen from here, so streams end after this time, and their page asks the proxy again. */
const LONGEST_STREAM = "10 minutes"

/** Without the key, which no request sees, nobody can compute another person's value. */
const csrfBy = (key: Buffer, who: string): string => createHmac("sha256", key).update(who).digest("base64url")

export const byPassword = (accounts: Accounts, sessions: Sessions.Sessions): People => {
  const key = randomBytes(32)
  const current = (value: string, isRequest: boolean) =>
    Effect.gen(function* () {
      const session = sessions.accountOf(value, isRequest)
      if (session === undefined) return undefined
      const account = yield* accounts.get(session.account)
      if (account?.password === session.password) return account
      sessions.end(value)
      return undefined
    })
  return {
    by: "password",
    of: (request) =>
      Effect.gen(function* () {
        const [value, another] = Sessions.valuesIn(request.headers.cookie)
        if (another !== undefined) return yield* refuse(400, "DuplicateCookie", "one session", "several")
        const account = value === undefined ? undefined : yield* current(value, true)
        if (value === undefined || account === undefined) return undefined
        const isGone = Effect.map(current(value, false), (found) => found === undefined)
        return {
          account: account.name,
          groups: account.groups ?? [],
          csrf: csrfBy(key, `session ${value}`),
          untilGone: Effect.asVoid(Effect.repeat(isGone, { schedule: Schedule.spaced(CHECK), until: (gone) => gone })),
        }
      }),
  }
}

export const byHeader = (userHeader: string, groupsHeader: string | undefined): People => {
  const key = randomBytes(32)
  return {
    by: "proxy",
    of: ({ headers }) =>
      Effect.gen(function* () {
        const account = textOf(headers[userHeader.toLowerCase()])
        if (account === "") return undefined
        const listed = groupsHeader === undefined ? "" : textOf(headers[groupsHeader.toLowerCase()])
        const groups = listed.split(",").flatMap((group) => (group.trim() === "" ? [] : [group.trim()]))
        if (![account, ...groups].every(Schema.is(AccountName))) {
          return yield* refuse(403, "InvalidAccount", "names of an account and groups that the log can show", "others")
        }
        const untilGone = Effect.sleep(LONGEST_STREAM)
        return { account, groups, csrf: csrfBy(key, `account ${account}`), untilGone }
      }),
  }
}

/** Node reads headers as Latin-1; proxies send UTF-8. Other bytes become a character that no account's name has. */
const textOf = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" ? Buffer.from(header, "latin1").toString("utf8").replaceAll("\ufffd", "\u0000") : ""

/** Refuses an order that Studio's own page did not give. */
export const orderRefusalOf = ({ csrf }: Someone, { headers }: IncomingMessage): Refusal | undefined => {
  const given = headers[CSRF_HEADER]
  if (typeof given === "string" && isSameText(given, csrf)) return undefined
  const found = given === undefined ? "none" : "another one"
  return refusal(403, "ForbiddenOrder", "the value of this session in X-Hindcast-Csrf (reload the page)", found)
}
