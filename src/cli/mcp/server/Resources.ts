/** The resources of the server: the course, the audit, the report and Studio's answers of each task, and its page. */
import * as path from "node:path"
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import { Effect, Option } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { VERSION } from "../../../kernel/versions.ts"
import * as Rewards from "../../../projections/audit/Rewards.ts"
import * as TaskAudit from "../../../projections/audit/TaskAudit.ts"
import * as ScoreOption from "../../export/ScoreOption.ts"
import * as AuditPage from "../../pages/audit/AuditPage.ts"
import * as Style from "../../terminal/Style.ts"
import { skeleton } from "../tools/Events.ts"
import * as Answer from "./Answer.ts"
import type { Past } from "./OpenedLog.ts"
import * as StudioApp from "./StudioApp.ts"
import * as TaskArgument from "./TaskArgument.ts"

/** Runs a question on the log, within the time limit of answers. */
export type Ask = <A, E>(name: string, question: Effect.Effect<A, E, Past>, signal: AbortSignal) => Promise<A>

interface Resource {
  readonly name: string
  readonly uri: string
  readonly title: string
  readonly mimeType: string
  readonly text: (task: string) => Effect.Effect<string, unknown, Past>
}

const RESOURCES: ReadonlyArray<Resource> = [
  {
    name: "task",
    uri: "hindcast://task/{task}",
    title: "The course of a task, a line for each event",
    mimeType: "text/plain",
    text: (task) => Effect.map(skeleton.run({ task }), Answer.text),
  },
  {
    name: "audit",
    uri: "hindcast://task/{task}/audit",
    title: "The audit of a task: readings, commands, changes and scores",
    mimeType: "text/plain",
    text: (task) =>
      onTask(task, (taskId) =>
        Effect.gen(function* () {
          const audit = yield* TaskAudit.load(taskId)
          const lines = AuditPage.lines(Style.plain, audit, yield* Rewards.times(audit))
          return Answer.text({ lines: Answer.cut(lines).lines })
        }),
      ),
  },
  {
    name: "report",
    uri: "hindcast://task/{task}/report.html",
    title: "The report of a task, a page with charts that opens offline",
    mimeType: "text/html",
    text: (task) =>
      onTask(task, (taskId) =>
        Effect.gen(function* () {
          const { taskPage } = yield* Effect.promise(() => import("../../export/Html.ts"))
          const log = yield* EventLog
          const head = (yield* log.head).position
          const source = { log: path.basename(log.name), head, by: `Hindcast ${VERSION}` }
          const { chunks } = yield* taskPage(taskId, yield* ScoreOption.resolve(Option.none()), source)
          return [...chunks].join("")
        }),
      ),
  },
  {
    name: "studio",
    uri: StudioApp.TASK,
    title: "A task as Studio's page shows it, for that page alone",
    mimeType: "application/json",
    text: (task) =>
      Effect.flatMap(TaskArgument.named(task), ({ taskId, log }) =>
        Effect.flatMap(
          Effect.promise(() => import("./StudioAnswers.ts")),
          ({ of }) => of({ timeline: log.timeline, task: taskId }),
        ),
      ),
  },
]

const onTask = <A, E, R>(task: string, question: (taskId: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(TaskArgument.named(task), ({ taskId, log }) => Effect.provideService(question(taskId), EventLog, log))

/** Adds the resources to a server. A client learns of tasks by `find_tasks`: a list of all could be endless. */
export const register = (server: McpServer, ask: Ask): void => {
  for (const { name, uri, title, mimeType, text } of RESOURCES) {
    server.registerResource(
      name,
      new ResourceTemplate(uri, { list: undefined }),
      { title, mimeType },
      async ({ href }, { task }, { mcpReq }) => ({
        contents: [
          { uri: href, mimeType, text: await ask(name, text(decodeURIComponent(String(task))), mcpReq.signal) },
        ],
      }),
    )
  }
  server.registerResource(
    "studio-page",
    StudioApp.PAGE,
    { title: "Studio, a time-travel debugger", mimeType: StudioApp.MIME_TYPE },
    async ({ href }, { mcpReq }) => {
      const page = Effect.flatMap(
        Effect.promise(() => import("../../../studio/shared/SharedFile.ts")),
        ({ app }) => app,
      )
      const text = await ask("studio-page", page, mcpReq.signal)
      return { contents: [{ uri: href, mimeType: StudioApp.MIME_TYPE, text, _meta: StudioApp.PAGE_META }] }
    },
  )
}
