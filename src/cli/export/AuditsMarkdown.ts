/** The Markdown of `hindcast export audits`: a table of all tasks, then a document for each task. */
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import type { Row } from "../../projections/exports/AuditsRows.ts"
import type { Encoder } from "../../projections/exports/Encoder.ts"
import { addTokens } from "../../projections/state/ModelCallEnd.ts"
import * as TokenCount from "../../projections/summary/TokenCount.ts"
import * as Money from "../../values/Money.ts"
import * as AuditMarkdown from "../pages/audit/AuditMarkdown.ts"
import { code, table } from "../terminal/Markdown.ts"
import type * as Table from "../terminal/Table.ts"

export const summary = (log: string): Encoder<Row> => {
  let begun = false
  const heading = () => {
    const lines = begun ? [] : [`# Audits of ${code(log)}`, ""]
    return lines.map((line) => `${line}\n`).join("")
  }
  return {
    add: (rows) => {
      const before = heading()
      const lines = table(
        COLUMNS,
        rows.map((row) => COLUMNS.map(({ of }) => of(row))),
      )
      const shown = begun ? lines.slice(HEADING_LINES) : lines
      begun ||= rows.length > 0
      return before + shown.map((line) => `${line}\n`).join("")
    },
    end: () => (begun ? "" : `${heading()}No task was opened in this log.\n`),
  }
}

const HEADING_LINES = 2

export const documents = (): Encoder<TaskAudit> => ({
  add: (audits) => audits.map((audit) => `\n${AuditMarkdown.lines(audit, new Map(), 2).join("\n")}\n`).join(""),
  end: () => "",
})

interface Column extends Table.Column {
  readonly of: (row: Row) => string
}

const number = (heading: string, of: (row: Row) => number | undefined): Column => ({
  heading,
  align: "right",
  of: (row) => String(of(row) ?? ""),
})

const COLUMNS: ReadonlyArray<Column> = [
  { heading: "Task", of: ({ audit }) => code(audit.taskId) },
  { heading: "Agent", of: ({ audit }) => code(audit.agent) },
  { heading: "Goal", of: ({ audit }) => code(audit.goal) },
  { heading: "Outcome", of: ({ audit }) => audit.outcome ?? "open" },
  number("Steps", ({ audit }) => audit.steps),
  number("Succeeded", ({ audit }) => audit.acting.succeeded),
  number("Failed", ({ audit }) => audit.acting.failed),
  {
    heading: "Tokens",
    align: "right",
    of: ({ audit: { model } }) => (model === undefined ? "" : tokensOf(model)),
  },
  {
    heading: "Cost",
    align: "right",
    of: ({ audit: { model } }) => (model === undefined ? "" : Money.costInTable(model.cost)),
  },
  { heading: "Scored by", of: ({ score }) => (score === null ? "" : code(score.label || score.scoreSetId)) },
  number("Earned", ({ score }) => score?.earned),
  number("Lost", ({ score }) => score?.lost),
  number("Net", ({ score }) => score?.net),
  number("Possible", ({ score }) => score?.possible),
]

const tokensOf = ({ inputTokens, outputTokens, unmetered }: NonNullable<TaskAudit["model"]>): string =>
  TokenCount.inTable({ known: addTokens(inputTokens, outputTokens), isLowerBound: unmetered > 0 })
