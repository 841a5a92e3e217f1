/** The plugins that may draw their worlds with their own code, and the frames in which it runs. */

import { Context, Effect, Either, Layer } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as PluginCopies from "../../kernel/registry/copies/PluginCopies.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import type { ViewCode } from "../wire/CourseSlice.ts"
import * as Consent from "./Consent.ts"
import * as DrawingCode from "./DrawingCode.ts"
import * as FrameDocument from "./FrameDocument.ts"
import * as FrameServer from "./FrameServer.ts"

export interface Service {
  /** The origins of the frames, which the page's policy allows. */
  readonly origins: ReadonlyArray<string>
  /** Where a version's code draws, or why it does not. */
  readonly codeOf: (plugin: string, digest: string) => Effect.Effect<ViewCode>
  /** Lets the page of this origin show the frames. Until then, nothing may. */
  readonly showIn: (page: string) => Effect.Effect<void>
}

const nothing: Service = {
  origins: [],
  codeOf: (_, digest) => Effect.succeed({ digest, frame: null, problem: null }),
  showIn: () => Effect.void,
}

/** By default, no code draws. */
export class Drawing extends Context.Reference<Drawing>()("hindcast/studio/Drawing", {
  defaultValue: (): Service => nothing,
}) {}

/** The directory with the plugin copies that imports keep next to a log. */
export const copiesOf = (log: EventLog.Service): string => PluginCopies.directoryOf(log.name)

/** Serves the frames of the consented versions. Without consents, nothing listens. */
export const layer = (consents: ReadonlyArray<Consent.Consent>): Layer.Layer<never, PortUnavailable, EventLog> =>
  consents.length === 0 ? Layer.empty : Layer.scoped(Drawing, serving(consents))

/** A consent, bound to the first requested version whose digest begins with its digits. */
interface BoundConsent {
  readonly consent: Consent.Consent
  digest: string | null
  file: string | null
}

const serving = (consents: ReadonlyArray<Consent.Consent>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const frames = new Map(
      consents.map((consent) => [labelOf(consent), { consent, digest: null, file: null } as BoundConsent]),
    )
    let page: string | null = null
    const { originOf, addressOf } = yield* FrameServer.serve((label) => {
      const file = frames.get(label)?.file
      return page === null || file == null ? undefined : FrameDocument.of(file, page)
    })

    const codeOf = (plugin: string, digest: string): Effect.Effect<ViewCode> =>
      Effect.gen(function* () {
        const without = (problem: string | null): ViewCode => ({ digest, frame: null, problem })
        const ofPlugin = [...frames.values()].filter(({ consent }) => consent.plugin === plugin)
        if (ofPlugin.length === 0) return without(null)
        const frame = ofPlugin.find(({ consent }) => Consent.isFor(consent, plugin, digest))
        if (frame === undefined) return without(elsewhere(plugin, digest, ofPlugin))
        const { consent } = frame
        if (frame.digest !== null && frame.digest !== digest) return without(ambiguous(consent))
        if (frame.file === null) {
          const directory = consent.directory ?? PluginCopies.pathOf(copiesOf(log), plugin, digest)
          const read = yield* Effect.either(DrawingCode.read(plugin, digest, directory))
          if (Either.isLeft(read)) return without(read.left.message)
          frame.digest = digest
          frame.file = read.right
        }
        return { digest, frame: addressOf(labelOf(consent)), problem: null }
      })

    return {
      origins: [...frames.keys()].map(originOf),
      codeOf,
      showIn: (origin) =>
        Effect.sync(() => {
          page = origin
        }),
    } satisfies Service
  })

/**
 * Each version gets a host name of its own, so that the browser gives it a process of its own. A label has at most 63
 * characters (RFC 1035).
 */
const labelOf = ({ digest }: Consent.Consent): string => digest.slice(0, 63)

const elsewhere = (plugin: string, digest: string, frames: ReadonlyArray<BoundConsent>): string => {
  const allowed = frames.map(({ consent }) => `${plugin}@${Consent.short(consent.digest)}`).join(", ")
  return `Studio was started to draw with the code of ${allowed}; at this position ${plugin}@${Consent.short(digest)} is installed.`
}

const ambiguous = ({ plugin, digest }: Consent.Consent): string =>
  `The log has two versions of ${plugin} whose digests begin with ${digest}: give more digits to --draw.`
