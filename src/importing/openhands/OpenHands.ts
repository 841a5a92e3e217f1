/**
 * Conversations of the OpenHands SDK (https://docs.openhands.dev/sdk/arch/events): a directory with a file for each event
 * (`event-00000-<id>.json`), or the same events as JSON Lines.
 */

import { APPROVALS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { parsed, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { Conversation } from "./Conversation.ts"

const KIND = /^(?:[A-Z]\w*Event|UserRejectObservation|Condensation|CondensationRequest)$/

const isOwn = (record: unknown): boolean =>
  KIND.test(textOf(record, "kind") ?? "") &&
  textOf(record, "id") !== undefined &&
  textOf(record, "source") !== undefined

const STATE = "../base_state.json"

export const openhands: Source = {
  name: "openhands",
  title: "conversation of OpenHands",
  form: "lines",
  capture: { pairing: "call-id", lacks: [SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  piece: /^event-\d+-.+\.json$/,
  companions: [STATE],
  recognizes: ({ lines, name, text }: FileHead) =>
    lines.some(isOwn) || (/^event-\d+-.+\.json$/.test(name) && isOwn(parsed(text))),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const state = parsed(file.beside(STATE) ?? "")
    let conversation: Conversation | undefined
    return {
      record: ({ value }) => {
        conversation ??= new Conversation(runs, file, idOf(state, value), state)
        conversation.record(value)
      },
      end: () => conversation?.end(),
    }
  },
}

/** The conversation's id, otherwise its first event's. */
const idOf = (state: unknown, first: unknown): string =>
  textOf(state, "id") ?? textOf(first, "id") ?? contentIdOf(first)
