/** The command `hindcast password`: makes the hash of a password for an account of a shared Studio. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as PasswordHash from "../../studio/team/PasswordHash.ts"
import { BadInput } from "../command/BadInput.ts"
import { json } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as Question from "../terminal/Question.ts"

export const password = Command.make("password", { json }, ({ json }) =>
  Effect.gen(function* () {
    const typed = yield* Question.secret("Password: ")
    yield* checked(typed)
    // Piped input is a program's, which makes no typing mistakes.
    if (Question.isTyped() && (yield* Question.secret("The same password again: ")) !== typed) {
      return yield* new BadInput({ input: "password", expected: "the same password twice", found: "two passwords" })
    }
    const hash = yield* PasswordHash.make(typed)
    yield* Output.show(json, { hash }, () => [hash])
  }),
).pipe(Command.withDescription("Hash a password that you type, for an account of a shared Studio"))

const checked = (typed: string): Effect.Effect<void, BadInput> => {
  const { length } = typed
  return length >= PasswordHash.SHORTEST && length <= PasswordHash.LONGEST
    ? Effect.void
    : new BadInput({
        input: "password",
        expected: `${PasswordHash.SHORTEST} to ${PasswordHash.LONGEST} characters on a line of the standard input`,
        found: length === 0 ? "none" : String(length),
      })
}
