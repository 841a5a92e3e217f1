/**
 * The option `--draw` of `hindcast studio`: plugin versions, by digest, that may draw their worlds with their own code.
 */
import { Effect, Either } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as PluginCopies from "../../kernel/registry/copies/PluginCopies.ts"
import * as Consent from "../../studio/drawing/Consent.ts"
import * as Drawing from "../../studio/drawing/Drawing.ts"
import * as DrawingCode from "../../studio/drawing/DrawingCode.ts"
import type { Json } from "../../values/Json.ts"
import { adviceOf, BadInput } from "../command/BadInput.ts"
import { repeatedText } from "../command/CommonOptions.ts"

export const option = repeatedText(
  "draw",
  "Let this version of a plugin draw its world in the page with its own code: PLUGIN@DIGEST, or PLUGIN@DIGEST=DIRECTORY with the directory of its files",
)

export const parsed = (typed: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Consent.Consent>, BadInput> =>
  Effect.forEach(typed, (text) =>
    Either.mapLeft(
      Consent.parse(text),
      (found) => new BadInput({ input: "--draw", expected: Consent.EXPECTED, found }),
    ),
  )

/**
 * Fails unless the log records exactly one version for each consent, that version brings drawing code, and its files
 * are unchanged.
 */
export const checked = (consents: ReadonlyArray<Consent.Consent>) =>
  Effect.gen(function* () {
    if (consents.length === 0) return
    const log = yield* EventLog
    const versions = yield* versionsIn(log)
    for (const consent of consents) {
      const version = yield* theOne(consent, versions)
      const { plugin, directory } = consent
      const kept = PluginCopies.pathOf(Drawing.copiesOf(log), plugin, version.digest)
      yield* DrawingCode.read(plugin, version.digest, directory ?? kept)
    }
  })

interface Version {
  readonly plugin: string
  readonly digest: string
  readonly version: string
  readonly draws: boolean
}

const versionsIn = (log: EventLog.Service) =>
  Effect.gen(function* () {
    const byDigest = new Map<string, Version>()
    yield* Pages.forEach(log.readPage, { types: ["PluginImported"] }, (page) => {
      for (const event of page) {
        if (!is(event, "PluginImported")) continue
        const { plugin, digest, version, manifest } = event.payload
        const draws = DrawingCode.fileIn(manifest as Json) !== undefined
        byDigest.set(`${plugin}@${digest}`, { plugin, digest, version, draws })
      }
    })
    return [...byDigest.values()]
  })

const theOne = (consent: Consent.Consent, versions: ReadonlyArray<Version>): Effect.Effect<Version, BadInput> => {
  const input = `--draw ${consent.plugin}@${consent.digest}`
  const ofPlugin = versions.filter(({ plugin }) => plugin === consent.plugin)
  const [one, another] = ofPlugin.filter(({ digest }) => digest.startsWith(consent.digest))
  if (ofPlugin.length === 0) {
    const names = [...new Set(versions.map(({ plugin }) => plugin))]
    const found = names.length === 0 ? "none" : names.join(", ")
    return new BadInput({
      input,
      expected: "a plugin of this log",
      found,
      ...adviceOf(consent.plugin, names),
      missing: true,
    })
  }
  if (one === undefined) {
    const found = ofPlugin.map((version) => `${shown(version)} (${version.version})`).join(", ")
    return new BadInput({ input, expected: "the digest of a version that the log records", found, missing: true })
  }
  if (another !== undefined) {
    const expected = "the beginning of only one version's digest"
    return new BadInput({ input, expected, found: `two: ${one.digest} and ${another.digest}` })
  }
  if (!one.draws) {
    const expected = "a version with drawing code (viewHtml in its manifest)"
    return new BadInput({ input, expected, found: `${one.plugin} ${one.version}, which has none` })
  }
  return Effect.succeed(one)
}

const shown = ({ plugin, digest }: Version): string => `${plugin}@${Consent.short(digest)}`
