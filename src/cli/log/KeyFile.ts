import * as fs from "node:fs"
import { Effect } from "effect"
import * as Anchor from "../../events/integrity/Anchor.ts"
import type { BadInput } from "../command/BadInput.ts"
import * as TextFile from "./TextFile.ts"

/** The owner may read and write it, and nobody else. */
const PRIVATE = 0o600

const PUBLIC = 0o644

/** A key to sign with, in PEM, and what its owner should know of its file. */
export interface Key {
  readonly privateKey: string
  readonly remarks: ReadonlyArray<string>
}

/**
 * The private key in a file. Where there is no such file, a new pair is made: the private key there, the public one beside
 * it in `<file>.pub`. A key that others may read is used, with a warning.
 */
export const readOrMake = (file: string): Effect.Effect<Key, BadInput> =>
  Effect.gen(function* () {
    if (!fs.existsSync(file)) return yield* make(file)
    const privateKey = yield* TextFile.read("--key", file)
    const { mode } = fs.statSync(file)
    const isOpen = process.platform !== "win32" && (mode & 0o077) !== 0
    const others = `others may read it (mode ${(mode & 0o777).toString(8)}), and could sign with it`
    return { privateKey, remarks: isOpen ? [`warning: ${file}: ${others}. chmod 600 ${file}`] : [] }
  })

const make = (file: string) =>
  Effect.gen(function* () {
    const { privateKey, publicKey } = Anchor.makeKeys()
    yield* TextFile.make("--key", `${file}.pub`, publicKey, PUBLIC)
    yield* TextFile.make("--key", file, privateKey, PRIVATE)
    return {
      privateKey,
      remarks: [
        `There was no key yet. A new one to sign with is in ${file}: keep it where whoever may change the log cannot read it.`,
        `The public one, for whoever checks, is in ${file}.pub.`,
      ],
    }
  })
