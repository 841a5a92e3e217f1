/**
 * Logs of Inspect (https://inspect.aisi.org.uk/eval-logs.html): JSON, or `.eval`, an archive with a part for each
 * sample or many (its chunked layout). Each epoch of a sample is a run.
 */

import { WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { field, isObject, listOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile, SourceRecord } from "../Source.ts"
import { mapSample } from "./Sample.ts"

export const inspect: Source = {
  name: "inspect",
  title: "log of Inspect",
  form: "document",
  capture: { pairing: "call-id", lacks: [WORLD] },
  recognizes: ({ name, zipped, text }: FileHead) =>
    zipped
      ? /\.eval$/i.test(name)
      : /^\s*\{/.test(text) && /"eval"\s*:\s*\{/.test(text) && /"(?:task_id|run_id|eval_id)"\s*:/.test(text),
  open: (file, runs) => mapper(file, runs),
  partsInOrder: (names) =>
    names
      .filter(isMapped)
      .map((name) => ({ name, order: orderOf(name) }))
      .sort((a, b) => compare(a.order, b.order))
      .map(({ name }) => name),
}

const compare = (a: ReadonlyArray<string | number>, b: ReadonlyArray<string | number>): number => {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? 0
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

/** A part of a sample in the chunked layout. */
const CHUNK = /^(samples\/.+_epoch_\d+)\/(?:(sample|metadata)\.json|(messages|events|attachments)\/(\d+)\.json)$/

/** A sample whose parts are being read. */
interface Chunked {
  readonly prefix: string
  shell: unknown
  readonly messages: Array<unknown>
  readonly events: Array<unknown>
  readonly attachments: Array<unknown>
}

const mapper = (file: SourceFile, runs: MappedRuns): Mapper => {
  let header: unknown
  let chunked: Chunked | undefined
  let isUnfinished = true

  const sample = (value: unknown) => mapSample(runs, file, header, value)
  const endChunked = () => {
    if (chunked === undefined) return
    const { shell, messages, events, attachments } = chunked
    chunked = undefined
    if (isObject(shell)) sample({ ...shell, events, attachments, events_data: { messages } })
  }
  const chunk = (value: unknown, [, prefix = "", shell, sequence]: RegExpExecArray) => {
    if (chunked?.prefix !== prefix) endChunked()
    chunked ??= { prefix, shell: undefined, messages: [], events: [], attachments: [] }
    const items = Array.isArray(value) ? value : []
    if (shell === "sample") chunked.shell = value
    else if (sequence === "messages") for (const item of items) chunked.messages.push(item)
    else if (sequence === "events") for (const item of items) chunked.events.push(item)
    else if (sequence === "attachments") for (const item of items) chunked.attachments.push(item)
  }

  return {
    record: ({ value, where }: SourceRecord) => {
      const part = CHUNK.exec(where)
      if (part !== null) chunk(value, part)
      else if (/^samples\/[^/]+\.json$/.test(where)) {
        endChunked()
        sample(value)
      } else if (where === "header.json") {
        header = value
        isUnfinished = field(value, "status") === "started"
      } else if (where === "_journal/start.json") header ??= value
      else if (isObject(field(value, "eval"))) {
        // The JSON form: a header with its samples.
        header = value
        isUnfinished = field(value, "status") === "started"
        for (const one of listOf(value, "samples")) sample(one)
      }
    },
    end: () => {
      endChunked()
      if (isUnfinished) runs.remark("a log that was not finished: the samples that it has are imported")
    },
  }
}

/** Sort key of an archive's parts: the header first, and in a chunked sample, referenced parts before the events. */
const orderOf = (name: string): ReadonlyArray<string | number> => {
  const [, prefix, shell, sequence, start] = CHUNK.exec(name) ?? []
  if (prefix !== undefined)
    return [2, prefix, shell === undefined ? (sequence === "events" ? 2 : 1) : 0, sequence ?? "", Number(start ?? 0)]
  return [name.startsWith("samples/") ? 2 : name === "header.json" ? 1 : 0, name]
}

const isMapped = (name: string): boolean =>
  name === "header.json" || name === "_journal/start.json" || CHUNK.test(name) || /^samples\/[^/]+\.json$/.test(name)
