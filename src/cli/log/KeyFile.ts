/** Reads the private key that signs anchors, or creates a new key pair. */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as Anchor from "../../events/integrity/Anchor.ts"
import type { BadInput } from "../command/BadInput.ts"
import * as TextFile from "./TextFile.ts"

const PRIVATE = 0o600

const PUBLIC = 0o644

export interface Key {
  readonly privateKey: string
  readonly remarks: ReadonlyArray<string>
}

/**
 * The private key in a file. If the file does not exist, creates a key pair, with the public key in `<file>.pub`. Warns
 * if other users can read the private key.
 */
export const readOrMake = (file: string): Effect.Effect<Key, BadInput> =>
  Effect.gen(function* () {
    if (!fs.existsSync(file)) return yield* make(file)
    const privateKey = yield* TextFile.read("--key", file)
    const { mode } = fs.statSync(file)
    const isReadableByOthers = process.platform !== "win32" && (mode & 0o077) !== 0
    const others = `others may read it (mode ${(mode & 0o777).toString(8)}), and could sign with it`
    return { privateKey, remarks: isReadableByOthers ? [`warning: ${file}: ${others}. chmod 600 ${file}`] : [] }
  })

const make = (file: string) =>
  Effect.gen(function* () {
    const { privateKey, publicKey } = Anchor.makeKeys()
    yield* TextFile.make("--key", `${file}.pub`, publicKey, PUBLIC)
    yield* TextFile.make("--key", file, privateKey, PRIVATE)
    return {
      privateKey,
      remarks: [
        `No key existed. The new private key is in ${file}: keep it where nobody who can change the log can read it.`,
        `The public key, with which others verify anchors, is in ${file}.pub.`,
      ],
    }
  })
