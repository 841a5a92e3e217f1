/** Formats a log's contents and the space that they take. */

import type { Space, StoragePart, StorageShare } from "../../../events/maintenance/StorageUsage.ts"
import type { OldTransaction } from "../../../events/postgres/oldTransactions.ts"
import type { Head } from "../../../events/vocabulary/Event.ts"
import * as GateSummary from "../../../projections/summary/GateSummary.ts"
import { duration } from "../../../values/Formats.ts"
import type { JsonObject } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, size } from "../../terminal/Text.ts"

export interface Info {
  readonly path: string
  readonly bytes: number
  readonly head: Head
  /** Number of events in the file by type, the type with the most space first. */
  readonly types: Readonly<Record<string, number>>
  readonly tasks: { readonly all: number; readonly open: number }
  readonly plugins: ReadonlyArray<{ readonly name: string; readonly version: string; readonly active: boolean }>
  /** The gate configuration of the last kernel; null if there was none, or an earlier version did not record it. */
  readonly gate: JsonObject | null
  readonly snapshot: number
  readonly space: Space
  /** Of a server: transactions that have been open for more than ten minutes. */
  readonly oldTransactions?: ReadonlyArray<OldTransaction>
}

export const lines = (
  style: Style,
  { path, head, tasks, plugins, gate, snapshot, space, oldTransactions = [] }: Info,
): ReadonlyArray<string> => [
  `${style.bold(path)}, ${size(space.fileBytes)}${sizeNote("write-ahead log", space.walBytes)}${sizeNote("archived", space.segmentBytes)}${sizeNote("recorded files", space.filesBytes)}`,
  `${count(head.position, "event")}${space.events.archived === 0 ? "" : `, ${space.events.archived} of them archived`}, head ${at(head.position)} ${style.dim(head.hash)}`,
  `${count(tasks.all, "task")}, ${tasks.open} open`,
  `${count(plugins.length, "plugin")}${plugins.map(({ name, version, active }) => `, ${name} ${version}${active ? "" : " (inactive)"}`).join("")}`,
  snapshotLine(snapshot, head),
  ...oldTransactions.map((one) => style.bad(warningOf(one))),
  ...(gate === null ? [] : [`gate of the last kernel: ${GateSummary.of(gate)}`]),
  "",
  ...Table.lines(style, ["space", ...Table.right("size", "share")], spaceRows(space)),
  "",
  ...archivedNote(style, space),
  ...Table.lines(style, shareColumns("type"), shareRows(space.types, space)),
  "",
  ...archivedNote(style, space),
  ...Table.lines(style, shareColumns("stream"), [...shareRows(space.streams, space), ...otherStreams(space)]),
]

const warningOf = ({ pid, user, program, state, ageMs }: OldTransaction): string =>
  `session ${pid} of ${oneLine(user)}${program === "" ? "" : ` (${oneLine(program)})`} has had a transaction open for ${duration(ageMs)}, ${oneLine(state)}: tables grow until it ends. \`SELECT pg_terminate_backend(${pid})\` ends it`

const snapshotLine = (snapshot: number, { position }: Head): string =>
  snapshot === 0
    ? CommandHints.inText("no snapshot of the whole state; `hindcast log snapshot` stores one")
    : `snapshot of ${at(snapshot)}, ${count(position - snapshot, "event")} before the head`

/** Notes that the counts by type and stream leave out archived events. */
const archivedNote = (style: Style, { events: { archived } }: Space): ReadonlyArray<string> =>
  archived === 0 ? [] : [style.dim(`in the file (${archived} more ${archived === 1 ? "is" : "are"} archived)`)]

const sizeNote = (what: string, bytes: number): string => (bytes === 0 ? "" : `, ${what} ${size(bytes)}`)

/** All parts of the file, which add up to its size. Combines parts that would show as 0.0 %. */
const spaceRows = ({ events, parts, freeBytes, keptBytes, bytes }: Space) => {
  const row = (what: string, of: number) => [what, size(of), percent(of, bytes)]
  const others = parts.filter(({ name }) => name !== "events")
  const [large, small] = [
    others.filter((part) => isVisible(part, bytes)),
    others.filter((part) => !isVisible(part, bytes)),
  ]
  return [
    row("events: payloads", events.payloadBytes),
    row("events: envelopes", events.envelopeBytes),
    row("events: page overhead", events.pageBytes),
    ...large.map((part) => row(oneLine(titleOf(part)), part.bytes)),
    ...(small.length === 0
      ? []
      : [
          row(
            `(${count(small.length, "other")})`,
            small.reduce((sum, part) => sum + part.bytes, 0),
          ),
        ]),
    row("free pages", freeBytes),
    row("SQLite's bookkeeping", keptBytes),
    row("total", bytes),
  ]
}

const isVisible = (part: StoragePart, bytes: number): boolean => part.bytes / bytes >= 0.0005

const titleOf = ({ name, kind, table, columns }: StoragePart): string =>
  kind === "index" ? `${table}: index by ${columns.join(", ")}` : name

const shareColumns = (heading: string) => [heading, ...Table.right("events", "payloads", "share")]

const shareRows = (shares: ReadonlyArray<StorageShare>, space: Space) =>
  shares.map(({ name, events, payloadBytes }) => [
    oneLine(name),
    String(events),
    size(payloadBytes),
    percent(payloadBytes, allPayloads(space)),
  ])

const otherStreams = (space: Space) => {
  const { streams, events, payloadBytes } = space.otherStreams
  return streams === 0 ? [] : shareRows([{ name: `(${count(streams, "other")})`, events, payloadBytes }], space)
}

const allPayloads = ({ types }: Space): number => types.reduce((total, { payloadBytes }) => total + payloadBytes, 0)

const percent = (part: number, of: number): string => `${of === 0 ? "0.0" : ((part / of) * 100).toFixed(1)} %`
