/** A person's word that one version of a plugin may draw its world by its own code, as text: `PLUGIN@DIGEST`, or `PLUGIN@DIGEST=DIRECTORY`. */

import { Either, Schema } from "effect"

/** The word. */
export interface Consent {
  readonly plugin: string
  /** The digest of the plugin's files, or its first digits: at least `LEAST_DIGITS`. */
  readonly digest: string
  /** The plugin's directory. Null: the copy that the import kept beside the log. */
  readonly directory: string | null
}

/** Fewest digits of a digest: 64 bits, so that nobody makes another plugin that begins with them. */
export const LEAST_DIGITS = 16

/** What a consent looks like, in words. */
export const EXPECTED = `PLUGIN@DIGEST, with at least ${LEAST_DIGITS} of the 64 digits of the plugin's digest, and =DIRECTORY where its copy beside the log is not there`

const FORM = /^([a-z0-9][a-z0-9._-]*)@([0-9a-f]{16,64})(?:=(.+))?$/s

/** The consent in a text; else, what is wrong with it. */
export const parse = (text: string): Either.Either<Consent, string> => {
  const [, plugin, digest, directory = null] = FORM.exec(text) ?? []
  if (plugin !== undefined && digest !== undefined) return Either.right({ plugin, digest, directory })
  const digits = /@([0-9a-f]*)(?:=.*)?$/s.exec(text)?.[1]
  const isShort = digits !== undefined && digits.length < LEAST_DIGITS
  return Either.left(isShort ? `${JSON.stringify(text)}, with ${digits.length} digits` : JSON.stringify(text))
}

/** Schema of the text. */
export const ConsentText = Schema.String.pipe(
  Schema.filter((text) => Either.isRight(parse(text))),
  Schema.annotations({ description: EXPECTED }),
)

/** Whether a consent is for a version of a plugin. */
export const isFor = (consent: Consent, plugin: string, digest: string): boolean =>
  consent.plugin === plugin && digest.startsWith(consent.digest)

/** The digits of a digest that people are shown. */
export const short = (digest: string): string => digest.slice(0, LEAST_DIGITS)
