/** Answers `/api/sign-in`. */

import { Effect, Schema } from "effect"
import type { Exchange } from "../../platform/loopback/LoopbackServer.ts"
import { answer, bodyOf } from "../../platform/loopback/Messages.ts"
import { refuse } from "../../platform/loopback/Refusal.ts"
import type { SignIn } from "../wire/Session.ts"
import type { AccessRecord } from "./AccessRecord.ts"
import type { Accounts } from "./Accounts.ts"
import * as Addresses from "./Addresses.ts"
import { FailedSignIns } from "./FailedSignIns.ts"
import * as PasswordHash from "./PasswordHash.ts"
import * as Sessions from "./Sessions.ts"

/** Maximum number of passwords that are checked at once; each needs 32 MiB. */
const MAX_CHECKS = 2

/** Maximum number of people who wait for such a check. */
const MAX_WAITING = 32

/** In bytes. Strangers may send these bodies. */
const MAX_BODY = 16_384

const Body: Schema.Schema<SignIn> = Schema.Struct({
  account: Schema.NonEmptyString.pipe(Schema.maxLength(200)),
  password: Schema.NonEmptyString.pipe(Schema.maxLength(PasswordHash.LONGEST)),
})

interface Signing {
  readonly accounts: Accounts
  readonly sessions: Sessions.Sessions
  readonly record: AccessRecord
  /** The address of the person's machine. */
  readonly addressOf: (request: Exchange["request"]) => string
}

export const make = ({ accounts, sessions, record, addressOf }: Signing) =>
  Effect.gen(function* () {
    const failed = new FailedSignIns()
    const checks = yield* Effect.makeSemaphore(MAX_CHECKS)
    let waiting = 0

    const isRight = (password: string, hash: string | undefined) =>
      Effect.acquireUseRelease(
        Effect.sync(() => (waiting += 1)),
        () =>
          checks.withPermits(1)(hash === undefined ? PasswordHash.inVain(password) : PasswordHash.isOf(password, hash)),
        () => Effect.sync(() => (waiting -= 1)),
      )

    return ({ request, response }: Exchange) =>
      Effect.gen(function* () {
        const { account: name, password } = yield* bodyOf(request, Body, MAX_BODY)
        const address = addressOf(request)
        const subscriber = Addresses.subscriberOf(address)
        const account = yield* accounts.get(name)
        // A name that nobody has may be a password in the wrong field.
        const access = { account: account?.name ?? null, address, action: "sign-in" }
        const wait = failed.begin(subscriber, name)
        if (wait !== undefined) {
          yield* record.add({ ...access, refused: "TooManyAttempts" })
          const retry = { "retry-after": String(wait) }
          return yield* refuse(
            429,
            "TooManyAttempts",
            `a pause of ${wait} s after so many attempts`,
            "another one",
            retry,
          )
        }
        if (waiting >= MAX_WAITING) {
          failed.succeeded(subscriber, name)
          return yield* refuse(503, "Busy", `at most ${MAX_WAITING} people who sign in at once`, "more", {
            "retry-after": "5",
          })
        }
        const isKnown = yield* isRight(password, account?.password)
        if (account === undefined || !isKnown) {
          yield* record.add({ ...access, refused: "WrongPassword" })
          return yield* refuse(401, "WrongPassword", "the name of an account and its password", "others")
        }
        failed.succeeded(subscriber, name)
        yield* record.add(access)
        for (const value of Sessions.valuesIn(request.headers.cookie)) sessions.end(value)
        const cookie = Sessions.cookieOf(sessions.start(account), sessions.seconds)
        yield* answer(response, 200, { account: account.name }, { "set-cookie": cookie })
      })
  })
