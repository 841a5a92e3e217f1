/** The output of the demos: the terminal, with the command line's own pages, or nothing with `--json`. */
import { Effect } from "effect"
import type { Stage, User } from "#demo"
import * as PlayedModel from "../../agents/models/PlayedModel.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import { userAsActor, userName } from "../../platform/user/Machine.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import * as Outcome from "../../projections/summary/Outcome.ts"
import type { Json } from "../../values/Json.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Output from "../command/Output.ts"
import * as PackageFiles from "../command/PackageFiles.ts"
import { Tampered } from "../log/Tampered.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as ConfirmationPage from "../pages/events/ConfirmationPage.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as ScoreChange from "../pages/scores/ScoreChange.ts"
import * as PatchLines from "../pages/time/PatchLines.ts"
import * as Prompter from "../task/Prompter.ts"
import type { Style } from "../terminal/Style.ts"
import * as StyleOf from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import * as Text from "../terminal/Text.ts"
import * as Width from "../terminal/Width.ts"

export const FIRST_KERNEL = "demo-kernel"

export const onOutput = (most: number): Stage => {
  const style = Output.styleOf(process.stdout)
  const width = Math.min(most, Output.columnsOf(process.stdout))
  const say = (...lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
  const show = (lines: ReadonlyArray<string>) => say(...lines.map((line) => Width.cut(line, width)))
  return {
    ...lent(style),
    width,
    say,
    show,
    part: (title, ...about) => {
      const lines = about.flatMap((paragraph) => Width.wrap(paragraph, width))
      return say("", style.bold(title), ...lines.map((line) => style.dim(line)), "")
    },
    shell: (args, { most = Number.POSITIVE_INFINITY, end = false, cut = false } = {}) =>
      Effect.gen(function* () {
        const command = CommandHints.command(args)
        // Never cut a command: people type it.
        yield* Output.writeWhole(`$ ${style.name(command)}`)
        const lines = (yield* PackageFiles.run(args, cut ? undefined : width)).split("\n")
        const left = Math.max(0, lines.length - most)
        const more = left === 0 ? [] : [style.dim(`… ${left} lines`)]
        yield* show(end ? [...more, ...lines.slice(left)] : [...lines.slice(0, lines.length - left), ...more])
        return { command, answer: null }
      }),
  }
}

export const silent = (): Stage => ({
  ...lent(StyleOf.plain),
  width: Number.POSITIVE_INFINITY,
  part: () => Effect.void,
  say: () => Effect.void,
  show: () => Effect.void,
  shell: (args) =>
    Effect.gen(function* () {
      const document: Json = JSON.parse(yield* PackageFiles.run([...args, "--json"]))
      return { command: CommandHints.command(args), answer: document }
    }),
})

const lent = (style: Style): Omit<Stage, "part" | "say" | "show" | "shell" | "width"> => ({
  style,
  user: user(),
  pages: {
    value: Text.value,
    number: Text.number,
    shorten: Text.shorten,
    oneLine: Text.oneLine,
    summary: EventSummary.of,
    net: AuditPage.net,
    scoreChange: ScoreChange.of,
    withBefore: PatchLines.withBefore,
    table: (headings, cells) => Table.lines(style, headings, cells),
    rows: (cells) => Table.rows(style, cells, ["right"]),
    outcome: (of) => AuditPage.outcome(style, Outcome.of(of)),
    events: (events) => EventLine.lines(style, events),
    chain: (causes) => EventPage.chain(style, causes),
    question: (shown) => ConfirmationPage.page(style, shown, { width: Number.POSITIVE_INFINITY }).lines,
    changes: (of) => PatchLines.lines(style, of),
  },
})

export const user = (): User => ({
  actor: userAsActor(),
  owner: `hindcast demo of ${userName()}`,
  firstKernel: [CommandHints.main, FIRST_KERNEL],
  command: CommandHints.command,
  written: CommandHints.written,
  path: CommandHints.shortest,
  run: PackageFiles.run,
  ask: Prompter.ask,
  play: PlayedModel.played,
  verified: Effect.gen(function* () {
    const log = yield* EventLog
    const found = yield* log.verify
    if (found._tag !== "Tampered") return found
    const { position, reason } = found
    return yield* new Tampered({ log: log.name, position, reason })
  }),
})
