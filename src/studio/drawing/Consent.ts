/**
 * A person's consent that one plugin version may draw its world with its own code, as text: `PLUGIN@DIGEST` or
 * `PLUGIN@DIGEST=DIRECTORY`.
 */

import { Either, Schema } from "effect"

export interface Consent {
  readonly plugin: string
  /** The digest of the plugin's files, or at least its first `LEAST_DIGITS` digits. */
  readonly digest: string
  /** The plugin's directory. Null: the copy that the import kept next to the log. */
  readonly directory: string | null
}

/** Minimum digits of a digest: 64 bits, so that nobody can craft another plugin with the same beginning. */
export const LEAST_DIGITS = 16

export const EXPECTED = `PLUGIN@DIGEST, with at least ${LEAST_DIGITS} of the 64 digits of the plugin's digest, and =DIRECTORY if the log has no copy of it beside it`

const FORM = /^([a-z0-9][a-z0-9._-]*)@([0-9a-f]{16,64})(?:=(.+))?$/s

/** Parses a consent. The left side names what was found instead. */
export const parse = (text: string): Either.Either<Consent, string> => {
  const [, plugin, digest, directory = null] = FORM.exec(text) ?? []
  if (plugin !== undefined && digest !== undefined) return Either.right({ plugin, digest, directory })
  const digits = /@([0-9a-f]*)(?:=.*)?$/s.exec(text)?.[1]
  const isShort = digits !== undefined && digits.length < LEAST_DIGITS
  return Either.left(isShort ? `${JSON.stringify(text)}, with ${digits.length} digits` : JSON.stringify(text))
}

export const ConsentText = Schema.String.pipe(
  Schema.filter((text) => Either.isRight(parse(text))),
  Schema.annotations({ description: EXPECTED }),
)

export const isFor = (consent: Consent, plugin: string, digest: string): boolean =>
  consent.plugin === plugin && digest.startsWith(consent.digest)

/** The digits of a digest that people see. */
export const short = (digest: string): string => digest.slice(0, LEAST_DIGITS)
