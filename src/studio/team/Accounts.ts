/**
 * The accounts of a shared Studio, from a YAML file. The file is read again when it changes, so that removing an account
 * or changing its password ends its sessions at once. An invalid file signs everybody out.
 */

import * as fs from "node:fs"
import { Effect, Schema } from "effect"
import * as YamlFile from "../../kernel/rules/YamlFile.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as Options from "../../values/Options.ts"
import { isUnmistakable } from "../../values/PlainText.ts"
import { PasswordHash } from "./PasswordHash.ts"
import * as SecretFile from "./SecretFile.ts"

export interface Account {
  readonly name: string
  /** The hash of its password. */
  readonly password: string
  readonly groups?: ReadonlyArray<string>
}

const isName = Schema.is(Options.Name)

/**
 * A name that no other can be mistaken for, since the log names people by it. A comma separates groups in a header, and
 * shows that two headers were joined.
 */
export const AccountName: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter(
    (text) => isName(text) && isUnmistakable(text) && text === text.normalize("NFC") && !text.includes(","),
  ),
  Schema.annotations({
    description: "1 to 200 visible characters without a comma, and no letters that look like those of another script",
  }),
)

interface AccountsFile {
  readonly accounts: ReadonlyArray<Account>
}

const AccountsFile: Schema.Schema<AccountsFile> = Options.of<AccountsFile>({
  required: {
    accounts: Schema.Array(
      Options.of<Account>({
        required: { name: AccountName, password: PasswordHash },
        optional: { groups: Schema.Array(AccountName) },
      }),
    ),
  },
})

export interface Accounts {
  /** The account as the file has it now. */
  readonly get: (name: string) => Effect.Effect<Account | undefined>
}

export type AccountsUnusable = SecretFile.ShareFileRefused | YamlFile.FileUnreadable | Options.InvalidOptions

/** Fails if the file is unusable now. */
export const open = (file: string): Effect.Effect<Accounts, AccountsUnusable> =>
  Effect.gen(function* () {
    let known = yield* read(file)
    let mark = markOf(file)
    const reread = Effect.matchEffect(read(file), {
      onSuccess: (accounts) =>
        Effect.sync(() => {
          known = accounts
        }),
      onFailure: (problem) => {
        known = new Map()
        return ProgramLog.error("nobody can use Studio until the file of accounts is valid", problem)
      },
    })
    const current = Effect.suspend(() => {
      const now = markOf(file)
      if (now === mark) return Effect.void
      mark = now
      return reread
    })
    return { get: (name) => Effect.map(current, () => known.get(name)) }
  })

/** Changes whenever the file is written or replaced. */
const markOf = (file: string): string => {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "none" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":")
}

const read = (file: string): Effect.Effect<ReadonlyMap<string, Account>, AccountsUnusable> =>
  Effect.gen(function* () {
    yield* SecretFile.read(file)
    const { accounts } = yield* Options.decode(file, AccountsFile, yield* YamlFile.readYaml(file))
    const names = accounts.map(({ name }) => name)
    const twice = names.findIndex((name, index) => names.indexOf(name) < index)
    if (twice >= 0) {
      const found = JSON.stringify(names[twice])
      const problems = [{ path: `accounts[${twice}].name`, expected: "each name once", found }]
      return yield* new Options.InvalidOptions({ of: file, problems })
    }
    return new Map(accounts.map((account) => [account.name, account]))
  })
