import { marked, type Token, type Tokens } from "marked"
import { describe, expect, it } from "vitest"
import * as AuditMarkdown from "../../src/cli/pages/audit/AuditMarkdown.ts"
import * as AuditTablePage from "../../src/cli/pages/audit/AuditTablePage.ts"
import * as AuditTable from "../../src/projections/comparison/AuditTable.ts"
import { audited, scored, TIMES, WILD } from "./auditStory.ts"

const isTable = (token: Token): token is Tokens.Table => token.type === "table"

/** What a Markdown parser that is not ours makes of a text. */
const read = (markdown: string) => {
  const tables = marked.lexer(markdown).filter(isTable)
  const obeyed: Array<string> = []
  marked.walkTokens(marked.lexer(markdown), ({ type }) => {
    if (["html", "link", "image", "em", "del", "blockquote", "list"].includes(type)) obeyed.push(type)
  })
  return { tables, obeyed }
}

/** A cell's text as it is shown. */
const shown = (cell: Tokens.TableCell | undefined): string =>
  (cell?.tokens ?? []).map((token) => ("text" in token ? String(token.text) : token.raw)).join("")

const shownOf = (words: string): string =>
  words
    .replaceAll(/\p{Cc}\[\d+m/gu, "")
    .replaceAll(/[\r\n\t]/g, " ")
    .replaceAll("\u202e", "\\u{202e}")
    .trim()

/** An audit in which everything that others wrote is these words. */
const auditOf = (words: string) => {
  const measures = scored().measures.map((measure) => ({
    ...measure,
    measure: words,
    rewards: measure.rewards.map((reward) => ({ ...reward, name: words })),
  }))
  const score = scored({
    label: words,
    critic: words,
    measures,
    unscored: [{ measure: words, name: words, reason: words }],
  })
  return audited({ goal: words, agent: words, reason: words, scores: [score] })
}

describe("an audit in Markdown, read by a parser that is not ours", () => {
  it.each(WILD)("is the same document whatever is written in it: %j", (words) => {
    const document = read(AuditMarkdown.lines(auditOf(words), TIMES).join("\n"))
    const calm = read(AuditMarkdown.lines(auditOf("calm"), TIMES).join("\n"))
    const shape = ({ tables }: typeof calm) => tables.map(({ header, rows }) => [header.length, rows.length])
    expect(shape(document)).toEqual(shape(calm))
    expect(document.obeyed).toEqual(calm.obeyed)
    const goal = document.tables.flatMap(({ rows }) => rows).find(([name]) => shown(name) === "Goal")
    expect(shown(goal?.[1]).trim()).toBe(shownOf(words) || "(empty)")
  })

  it.each(WILD)("is a row of a table whatever is written in it: %j", (words) => {
    const [page, calm] = [words, "calm"].map((text) => {
      const row = AuditTable.rowOf(auditOf(text), new Set(["set-1"]))
      const of = { scores: { name: text, label: text }, tasks: 1, unscored: 0, left: 0 }
      return read(AuditTablePage.rowsMarkdown(of, [row]).join("\n"))
    })
    expect(page?.tables.map(({ rows }) => rows.length)).toEqual([1])
    expect(page?.obeyed).toEqual(calm?.obeyed)
  })

  it("would be found out if it were not escaped", () => {
    const { tables, obeyed } = read("| a | b |\n| --- | --- |\n| <b>x</b> | [y](https://example.org) *z* |")
    expect(tables).toHaveLength(1)
    expect(obeyed).toEqual(expect.arrayContaining(["link", "em"]))
  })
})
