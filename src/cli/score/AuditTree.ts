/** The mode `--tree` of `hindcast audit`: a task with the tasks that its agents started. */
import { Effect, Option } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import * as TreeAudit from "../../projections/tree/TreeAudit.ts"
import * as Ids from "../command/Ids.ts"
import * as Output from "../command/Output.ts"
import * as TreePage from "../pages/audit/TreePage.ts"
import type { AuditInput } from "./AuditMode.ts"

/** Shows a task's tree. The log must be the whole one: children of a forked task are on `main`. */
export const show = (text: string, { json, markdown, timeline }: AuditInput) =>
  Effect.gen(function* () {
    const taskId = yield* Ids.task(text)
    const found = yield* TreeAudit.load(
      taskId,
      Option.getOrElse(timeline, () => MAIN),
    )
    if (markdown) return yield* Output.showDocument(json, found, TreePage.markdown(found))
    return yield* Output.show(json, found, (style) => TreePage.lines(style, found, Output.columnsOf(process.stdout)))
  })
