/** The command `hindcast log create`: a log on a server, with roles that may use it and no other log of the database. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { Access, Granted } from "../../events/postgres/tenants.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, repeatedText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { oneLine } from "../terminal/Text.ts"

/** The variable with the password of new roles, for setting up by a script. */
const PASSWORD = "HINDCAST_ROLE_PASSWORD"

const options = {
  writer: repeatedText("writer", "A role that may append, and read personal data. Created if it does not exist"),
  reader: repeatedText("reader", "A role that may read, personal data too. Created if it does not exist"),
  readerWithoutKeys: repeatedText(
    "reader-without-keys",
    "A role that may read all but personal data. Created if it does not exist",
  ),
}

export const create = Command.make(
  "create",
  { ...common, ...options },
  ({ log, json, writer, reader, readerWithoutKeys }) =>
    Effect.gen(function* () {
      const url = yield* OpenLog.serverOf(log)
      if (url === undefined)
        return yield* new BadInput({
          input: OpenLog.shownOf(log),
          expected: "a log on a PostgreSQL server, such as --log 'postgres://owner@db.example/agents?schema=acme'",
          found: "a file",
          advice: "The first command that appends creates a log in a file.",
        })
      const all: ReadonlyArray<readonly [Access, ReadonlyArray<string>]> = [
        ["writer", writer],
        ["reader", reader],
        ["reader without keys", readerWithoutKeys],
      ]
      const grants = all.flatMap(([access, roles]) => roles.map((role) => ({ role, access })))
      const twice = grants.find(({ role }, index) => grants.findIndex((one) => one.role === role) < index)
      if (twice !== undefined)
        return yield* new BadInput({ input: twice.role, expected: "each role once", found: "two kinds of access" })
      const tenants = yield* Effect.promise(() => import("../../events/postgres/tenants.ts"))
      const chosen = process.env[PASSWORD] || undefined
      if (chosen !== undefined && !/^[\x21-\x7e]{12,128}$/.test(chosen))
        return yield* new BadInput({
          input: PASSWORD,
          expected: "12 to 128 ASCII characters without spaces",
          found: "others",
        })
      const tenant = yield* tenants.create(url, grants, chosen)
      // Whoever chose it has it.
      const made =
        chosen === undefined ? tenant : { ...tenant, roles: tenant.roles.map((one) => ({ ...one, password: null })) }
      yield* Output.show(json, made, () => [
        made.created ? `Created the log ${made.log}` : `The log ${made.log} exists.`,
        ...made.roles.map((granted) => `  ${oneLine(granted.role)}, ${granted.access}${passwordOf(granted)}`),
        ...(made.roles.some(({ password }) => password !== null)
          ? ["Keep the passwords, for PGPASSWORD or a file that PGPASSFILE names: they are not shown again."]
          : []),
      ])
    }),
).pipe(
  Command.withDescription(
    "Create a log on a PostgreSQL server, in a schema of its own, and roles that may use it and no other log of the database",
  ),
)

const passwordOf = ({ password }: Granted): string =>
  password === null ? "" : `, a new role with the password ${password}`
