/** The table of groups where no task belongs to a group. */
import { expect, it } from "vitest"
import * as AuditTablePage from "../../src/cli/pages/audit/AuditTablePage.ts"
import type { Style } from "../../src/cli/terminal/Style.ts"

const shown = (tasks: number) => ({ scores: null, tasks, unscored: 0, left: 0 })

it.each(["model", "plugin"] as const)("says that no task used a %s, not that the log is empty", (by) => {
  const sentence = `60 tasks, none of them used a ${by}.`
  expect(AuditTablePage.groups({} as Style, shown(60), by, [], 120)).toEqual([sentence])
  expect(AuditTablePage.groupsMarkdown(shown(60), by, []).join("\n")).toContain(sentence)
  expect(AuditTablePage.groups({} as Style, shown(0), by, [], 120)).toEqual(["No task was opened in this log."])
})
